//! `freshcontext install` and `uninstall`: our entry in a client's list of MCP servers, and out of it again.

mod clients;
mod edit;

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::{FAILED, WRONG};
use crate::output::{self, Style, paint};
pub(crate) use clients::Client;
use clients::Rules;
use edit::{NAME, Start};

/// What is added to a file's name for the copy of what stood there before.
const BACKUP: &str = ".freshcontext-backup";

/// What the command line asks for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Action<'w> {
    /// Put the entry in; these words start the program, or none for this very program.
    Install(&'w [String]),
    /// Take it out.
    Uninstall,
}

/// A client's file as it was found.
struct Found {
    /// Where it is, links followed.
    file: PathBuf,
    /// What it says; `None` where there is none.
    text: Option<String>,
}

/// Changes the file of a client; the exit code.
pub(super) fn run(client: Client, action: Action<'_>, dry: bool, environment: &[(String, String)]) -> u8 {
    let rules = match client.rules(environment) {
        Ok(rules) => rules,
        Err(problem) => {
            output::error(&problem, None);
            return FAILED;
        }
    };
    let start = match action {
        Action::Uninstall => None,
        Action::Install(words) => match start(words) {
            Ok(start) => Some(start),
            Err(problem) => {
                output::error(
                    &problem,
                    Some("name the command that the client is to start, after two hyphens: -- freshcontext"),
                );
                return WRONG;
            }
        },
    };
    let done = find(&rules.file).and_then(|found| change(&found, &rules, start.as_ref(), dry));
    match done {
        Ok(said) => {
            output::line(&said);
            0
        }
        Err(problem) => {
            let problem = format!("{} is left as it is: {problem}", rules.file.display());
            output::error(
                &problem,
                Some("mend the file, or write the entry by hand: README.md says how"),
            );
            FAILED
        }
    }
}

/// What the client is to start.
fn start(words: &[String]) -> Result<Start, String> {
    let stdio = "stdio".to_owned();
    if let [command, rest @ ..] = words {
        let arguments = rest.iter().cloned().chain([stdio]).collect();
        return Ok(Start {
            command: command.clone(),
            arguments,
        });
    }
    // The whole path: desktop clients often have another PATH than the shell.
    let program =
        std::env::current_exe().map_err(|error| format!("this program's own path is not known: {error}"))?;
    let command = program
        .into_os_string()
        .into_string()
        .map_err(|path| format!("this program's path is not Unicode: {}", path.display()))?;
    Ok(Start {
        command,
        arguments: vec![stdio],
    })
}

fn find(file: &Path) -> Result<Found, String> {
    let failed = |error: io::Error| error.to_string();
    if fs::symlink_metadata(file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(Found {
            file: file.to_owned(),
            text: None,
        });
    }
    let file = fs::canonicalize(file).map_err(failed)?;
    let text = fs::read_to_string(&file).map_err(failed)?;
    Ok(Found {
        file,
        text: Some(text),
    })
}

/// Makes the change, shows it, and says what was done.
fn change(found: &Found, rules: &Rules, start: Option<&Start>, dry: bool) -> Result<String, String> {
    let failed = |error: io::Error| error.to_string();
    let Rules { name, .. } = rules;
    let shown = found.file.display();
    let had = found.text.as_deref().unwrap_or_default();
    let backup = beside(&found.file, BACKUP);
    let mut undone = false;
    let new = match start {
        Some(start) => Some(edit::with(had, rules, start)?),
        None => match edit::without(had, rules)? {
            None => return Ok(format!("{name}: {shown} has no entry `{NAME}`; nothing to do")),
            Some(rest) => match before(&backup, had, rules) {
                Some(before) => {
                    undone = true;
                    Some(before)
                }
                None if edit::says_nothing(&rest, rules.form) && !backup.exists() => None,
                None => Some(rest),
            },
        },
    };
    if found.text.is_some() && new.as_deref() == Some(had) {
        return Ok(format!("{name}: {shown} has this entry already; nothing to do"));
    }
    show(had, new.as_deref().unwrap_or_default(), &found.file);
    if dry {
        return Ok(format!(
            "{name}: {shown} would be changed like this; nothing was written"
        ));
    }
    let now = fs::read_to_string(&found.file).ok();
    if now != found.text {
        return Err("it has just been changed by another program; try again".to_owned());
    }
    let done = match &new {
        None => {
            fs::remove_file(&found.file).map_err(failed)?;
            "held nothing else and was removed".to_owned()
        }
        Some(new) if undone => {
            write(&found.file, new).map_err(failed)?;
            fs::remove_file(&backup).map_err(failed)?;
            "is as it was before".to_owned()
        }
        Some(new) if found.text.is_some() => {
            fs::copy(&found.file, &backup)
                .map_err(|error| format!("its copy {} cannot be written: {error}", backup.display()))?;
            write(&found.file, new).map_err(failed)?;
            format!("was written; what it was before is in {}", backup.display())
        }
        Some(new) => {
            write(&found.file, new).map_err(failed)?;
            "was written".to_owned()
        }
    };
    Ok(format!(
        "{name}: {shown} {done}. Restart {name} to let it read the file."
    ))
}

/// The text before our entry was put in, where the copy is of that and nothing has changed since.
fn before(backup: &Path, had: &str, rules: &Rules) -> Option<String> {
    let text = fs::read_to_string(backup).ok()?;
    let start = edit::read(had, rules)?;
    let untouched = edit::without(&text, rules).ok()?.is_none();
    let again = edit::with(&text, rules, &start).ok()?;
    (untouched && again == had).then_some(text)
}

/// Shows what changes, and nothing around it: lines beside ours may hold keys of other servers.
fn show(had: &str, new: &str, file: &Path) {
    let name = file.display().to_string();
    let difference = TextDiff::from_lines(had, new);
    let mut difference = difference.unified_diff();
    let text = difference.context_radius(0).header(&name, &name).to_string();
    for line in output::safe(&text).lines() {
        let style = match line.chars().next() {
            Some('+') => Style::Good,
            Some('-') => Style::Bad,
            _ => Style::Dim,
        };
        output::line(&paint(style, line));
    }
}

/// A file's name with more at its end.
fn beside(file: &Path, more: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(more);
    PathBuf::from(name)
}

/// Puts a whole new text in a file's place at once, so that nobody reads half of it. Who may read the file stays the
/// same; a new one is its owner's alone, as it may come to hold keys.
fn write(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let had = fs::metadata(file).ok().map(|had| had.permissions());
    let unfinished = beside(file, &format!(".{}", std::process::id()));
    let written = fill(&unfinished, text, had).and_then(|()| fs::rename(&unfinished, file));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn fill(file: &Path, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
    let mut file = private(file)?;
    file.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

fn private(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}
