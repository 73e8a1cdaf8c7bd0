//! `freshcontext install` and `uninstall`: add or remove this server in a client's list of MCP servers.

pub(crate) mod clients;
mod command;
mod copies;
mod edit;
mod links;
mod variables;

use std::fs;
use std::path::{Path, PathBuf};

use freshcontext_config::load;
use freshcontext_contract::Limits;

use super::args::{Command, Global};
use super::{FAILED, WRONG, layers};
use crate::output::{self, Style, paint};
use clients::{Client, Rules};
use edit::{NAME, Start};
use freshcontext_files::read::{self as input, Bound};
use freshcontext_files::write::{self as atomic_file, FolderLock, NewFile};

/// What the client is to start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'w> {
    /// Command to start; if empty, this program.
    pub(super) command: &'w [String],
    /// Options of this run, which the server is started with.
    pub(super) global: &'w Global,
    /// Environment variables: `KEY=VALUE`, or `KEY` where the client obtains the value.
    pub(super) env: &'w [String],
    /// Prints the client's deep link instead of writing its file.
    pub(super) link: bool,
}

/// Requested action.
#[derive(Debug, Clone, Copy)]
pub(super) enum Action<'w> {
    /// Install the entry.
    Install(Wanted<'w>),
    /// Remove the entry.
    Uninstall {
        /// Also remove a hand-written or edited entry.
        force: bool,
    },
}

/// The action with the command that the client starts.
enum Work {
    Put(Start),
    Take { force: bool },
}

/// Error with advice. Nothing was changed.
struct Problem {
    what: String,
    hint: &'static str,
}

const MEND: &str = "mend the file, or write the entry by hand: README.md says how";
const BY_HAND: &str = "take the entry out by hand, or with --force, which keeps a copy of the file";

impl From<String> for Problem {
    fn from(what: String) -> Self {
        Self { what, hint: MEND }
    }
}

/// A client's file before the change.
struct ClientFile {
    /// Path, with links resolved.
    file: PathBuf,
    /// Content; `None` if the file does not exist.
    text: Option<String>,
}

/// Edits the file of a client. Returns the exit code.
pub(super) fn run(
    client: Client,
    action: Action<'_>,
    dry: bool,
    environment: &[(String, String)],
    limits: &Limits,
) -> u8 {
    let rules = match client.rules(environment) {
        Ok(rules) => rules,
        Err(problem) => {
            output::error(&problem, None);
            return FAILED;
        }
    };
    let work = match action {
        Action::Uninstall { force } => Work::Take { force },
        Action::Install(wanted) => match start(wanted, &rules).and_then(|(start, doubts)| {
            let link = wanted.link.then(|| links::link(&rules, &start)).transpose()?;
            Ok((start, doubts, link))
        }) {
            Ok((start, doubts, link)) => {
                for doubt in doubts {
                    output::note(&format!("warning: {}", output::one_line(&doubt)));
                }
                if let Some(link) = link {
                    output::line(&link);
                    return 0;
                }
                Work::Put(start)
            }
            Err(problem) => {
                output::error(
                    &problem,
                    Some("`freshcontext install --help` shows what it takes"),
                );
                return WRONG;
            }
        },
    };
    match change(&rules, &work, dry, Bound::client_config(limits)) {
        Ok(said) => {
            output::line(&output::one_line(&said));
            0
        }
        Err(Problem { what, hint }) => {
            let problem = format!("{} is left as it is: {what}", rules.file.display());
            output::error(&problem, Some(hint));
            if let Work::Put(start) = &work {
                paste(&rules, start);
            }
            FAILED
        }
    }
}

/// Returns the command that the client starts, and doubts whether it can.
fn start(wanted: Wanted<'_>, rules: &Rules) -> Result<(Start, Vec<String>), String> {
    let ((command, doubts), rest) = if let [command, rest @ ..] = wanted.command {
        (command::named(command, rest)?, rest)
    } else {
        (command::own()?, &[][..])
    };
    let options = command::options(wanted.global)?;
    let (env, names) = variables::read(wanted.env, rules)?;
    if !options.is_empty() || !env.is_empty() {
        // The server would refuse to start with settings that are refused here.
        let mut sources = layers(wanted.global, &Command::Stdio);
        sources.environment.extend(env.clone());
        load(&sources).map_err(|error| error.to_string())?;
    }
    let arguments = rest.iter().cloned().chain(options).chain(["stdio".to_owned()]);
    Ok((
        Start {
            command,
            arguments: arguments.collect(),
            env,
            names,
        },
        doubts,
    ))
}

/// Resolves the path of a client's file. If it is a symbolic link, its target is written.
fn place(file: &Path) -> Result<PathBuf, String> {
    let to = atomic_file::resolve(file).map_err(|error| error.to_string())?;
    let is_link = fs::symlink_metadata(file).is_ok_and(|about| about.is_symlink());
    let leads_to = |what: &str| format!("it is a symbolic link to {}, which is {what}", to.display());
    match fs::metadata(&to) {
        Ok(about) if about.is_file() => {}
        Ok(_) if is_link => return Err(leads_to("not a regular file")),
        Ok(_) => return Err("it is not a regular file".to_owned()),
        Err(_) if is_link => return Err(leads_to("not there")),
        Err(_) => {}
    }
    Ok(to)
}

/// Reads a file; `None` if it does not exist.
fn text_of(file: &Path, bound: Bound) -> Result<Option<String>, String> {
    match input::read_file(file, bound) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("it is not UTF-8 text".to_owned()),
        },
        Err(refused) if refused.is_absent() => Ok(None),
        Err(refused) => Err(refused.to_string()),
    }
}

/// Makes the change, displays it, and returns a summary.
fn change(rules: &Rules, work: &Work, dry: bool, bound: Bound) -> Result<String, Problem> {
    let file = place(&rules.file)?;
    let folder = file.parent().unwrap_or(Path::new("/"));
    let _lock = if dry || matches!(work, Work::Take { .. }) && !folder.exists() {
        None
    } else {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        Some(FolderLock::take(folder)?)
    };
    let text = text_of(&file, bound)?;
    let found = ClientFile { file, text };
    match work {
        Work::Put(start) => put(&found, rules, start, dry, bound),
        Work::Take { force } => take(&found, rules, *force, dry, bound),
    }
}

fn put(found: &ClientFile, rules: &Rules, start: &Start, dry: bool, bound: Bound) -> Result<String, Problem> {
    let had = found.text.as_deref().unwrap_or_default();
    let new = edit::with(had, rules, start)?;
    if found.text.as_deref() == Some(new.as_str()) {
        return Ok(found.said(rules, "has this entry already; nothing to do"));
    }
    let entry = edit::entry(had, rules)?;
    let before = entry
        .as_ref()
        .map(|entry| lines(entry.start.as_ref()))
        .unwrap_or_default();
    let before_start = entry.and_then(|entry| entry.start);
    show(found, &before, &lines(Some(start)));
    if dry {
        return Ok(found.said(rules, "would be changed like this; nothing was written"));
    }
    let copy = match &found.text {
        None => None,
        // A backup already contains everything in the file.
        Some(text) if copies::before(&found.file, text, rules, bound).is_some() => None,
        // The file holds what `install` wrote, and nothing else.
        Some(text) if found.is_only(text, before_start.as_ref(), rules) => None,
        Some(text) => Some(copies::keep(&found.file, text, bound)?),
    };
    if !start.env.is_empty() {
        copies::put_mark(&found.file)?;
    }
    found.replace(&new, bound)?;
    let done = match copy {
        Some(copy) => format!("was written; what it was before is in {}", copy.display()),
        None => "was written".to_owned(),
    };
    Ok(found.restart(rules, &done))
}

fn take(found: &ClientFile, rules: &Rules, force: bool, dry: bool, bound: Bound) -> Result<String, Problem> {
    let had = found.text.as_deref().unwrap_or_default();
    let (Some(entry), Some(rest)) = (edit::entry(had, rules)?, edit::without(had, rules)?) else {
        let nothing = format!("has no entry `{NAME}`; nothing to do");
        return Ok(found.said(rules, &nothing));
    };
    let start = entry.start.as_ref();
    let undo = copies::before(&found.file, had, rules, bound);
    let alone = found.is_only(had, start, rules);
    let has_variables = start.is_some_and(|start| !start.env.is_empty());
    // What `install` writes again byte by byte, it wrote.
    let undo = undo.filter(|_| !has_variables || copies::has_mark(&found.file));
    let installed = undo.is_some() || alone;
    if let Some(by_hand) = entry.by_hand.filter(|_| !force && !installed) {
        return Err(Problem {
            what: format!("its entry `{NAME}` was written or changed by hand: {by_hand}"),
            hint: BY_HAND,
        });
    }
    show(found, &lines(start), &[]);
    if dry {
        return Ok(found.said(rules, "would be changed like this; nothing was written"));
    }
    copies::remove_mark(&found.file)?;
    if let Some((copy, before)) = undo {
        found.replace(&before, bound)?;
        fs::remove_file(copy).map_err(|error| error.to_string())?;
        return Ok(found.restart(rules, "is as it was before"));
    }
    // The file contains exactly what `install` wrote.
    if alone {
        found.still_the_same(bound)?;
        fs::remove_file(&found.file).map_err(|error| error.to_string())?;
        return Ok(found.restart(rules, "held nothing else and was removed"));
    }
    let copy = copies::keep(&found.file, had, bound)?;
    found.replace(&rest, bound)?;
    let done = format!("was written; what it was before is in {}", copy.display());
    Ok(found.restart(rules, &done))
}

impl ClientFile {
    /// Returns whether the text is what `install` makes of no text. Variables count if `install` wrote them.
    fn is_only(&self, text: &str, start: Option<&Start>, rules: &Rules) -> bool {
        start.is_some_and(|start| {
            (start.env.is_empty() || copies::has_mark(&self.file))
                && edit::with("", rules, start).is_ok_and(|made| made == text)
        })
    }

    fn said(&self, rules: &Rules, done: &str) -> String {
        let (name, file) = (rules.name, self.file.display());
        if self.file.file_name() == rules.file.file_name() && !rules.file.is_symlink() {
            format!("{name}: {file} {done}")
        } else {
            format!("{name}: {file}, to which {} leads, {done}", rules.file.display())
        }
    }

    fn restart(&self, rules: &Rules, done: &str) -> String {
        let said = self.said(rules, done);
        format!("{said}. Restart {} to let it read the file.", rules.name)
    }

    fn still_the_same(&self, bound: Bound) -> Result<(), Problem> {
        if text_of(&self.file, bound)? == self.text {
            Ok(())
        } else {
            let what = "it has just been changed by another program".to_owned();
            Err(Problem {
                what,
                hint: "try again",
            })
        }
    }

    fn replace(&self, new: &str, bound: Bound) -> Result<(), Problem> {
        self.still_the_same(bound)?;
        atomic_file::write(&self.file, new.as_bytes(), NewFile::Private)?;
        Ok(())
    }
}

/// Displays the entry as a person would paste it, without values of variables.
fn paste(rules: &Rules, start: &Start) {
    let mut start = start.clone();
    start.arguments = command::shown(&start.arguments);
    for value in start.env.values_mut().filter(|value| !value.starts_with("${")) {
        "VALUE".clone_into(value);
    }
    if let Ok(text) = edit::with("", rules, &start) {
        output::line(&format!("To paste into {} by hand:", rules.name));
        for line in text.lines() {
            let blanks = line.len() - line.trim_start().len();
            output::line(&format!("{}{}", " ".repeat(blanks), output::one_line(line)));
        }
    }
}

/// Formats the entry for display. Only parsed values are shown, because the surrounding text may contain
/// other servers' keys.
fn lines(start: Option<&Start>) -> Vec<String> {
    let Some(start) = start else {
        return vec![format!("{NAME}: ...")];
    };
    let shown = |value: serde_json::Value| output::one_line(&value.to_string());
    let mut lines = vec![
        format!("{NAME}:"),
        format!("  command: {}", shown(start.command.as_str().into())),
        format!("  args: {}", shown(command::shown(&start.arguments).into())),
    ];
    let names: Vec<&str> = start.env.keys().chain(&start.names).map(String::as_str).collect();
    if !names.is_empty() {
        lines.push(format!("  env: {} (values are not shown)", names.join(", ")));
    }
    lines
}

/// Displays the change of the entry.
fn show(found: &ClientFile, before: &[String], after: &[String]) {
    let file = found.file.display().to_string();
    output::line(&paint(Style::Dim, &output::one_line(&file)));
    for (lines, others, sign, style) in [
        (before, after, '-', Style::Bad),
        (after, before, '+', Style::Good),
    ] {
        for line in lines.iter().filter(|line| !others.contains(line)) {
            output::line(&paint(style, &format!("{sign} {line}")));
        }
    }
}
