//! The command that a client is to start, and whether it can start.

use std::path::{Path, PathBuf};

use freshcontext_config::{Kind, settings};

use super::super::args::Global;
use super::edit::NAME;

/// Whether the packages of the registries are this project's. Until then a launcher would start nothing, or a
/// package of another owner.
const PUBLISHED: bool = false;
/// Programs that download a package and start it.
const LAUNCHERS: [&str; 8] = ["npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx"];
/// What to install instead.
const INSTEAD: &str = "install it with `cargo install --path crates/freshcontext --locked` from a clone, or make a package with `cargo xtask dist` and name its file";

/// Returns the options of this run as the server takes them. Paths become absolute, because a client starts the
/// server in another folder.
pub(super) fn options(global: &Global) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    let path = |path: &Path| {
        let absolute = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = absolute.into_os_string().into_string();
        text.map_err(|path| format!("{} is not Unicode", path.display()))
    };
    if let Some(file) = &global.config {
        option("config", path(file)?);
    }
    if let Some(folder) = &global.data_dir {
        option("data-dir", path(folder)?);
    }
    if let Some(level) = &global.log {
        option("log", level.clone());
    }
    if let Some(format) = &global.log_format {
        option("log-format", format.clone());
    }
    for toolset in &global.toolset {
        option("toolset", toolset.clone());
    }
    for (key, value) in &global.set {
        option("set", format!("{key}={value}"));
    }
    Ok(words)
}

/// Returns arguments for display, without secrets.
pub(super) fn shown(arguments: &[String]) -> Vec<String> {
    let secret = |key: &str| {
        settings().iter().any(|setting| {
            matches!(setting.kind, Kind::Secret | Kind::Secrets)
                && (key == setting.key
                    || key
                        .strip_prefix(&setting.key)
                        .is_some_and(|rest| rest.starts_with('.')))
        })
    };
    let mut before = "";
    let mut shown = Vec::new();
    for argument in arguments {
        shown.push(match argument.split_once('=') {
            Some((key, _)) if before == "--set" && secret(key) => format!("{key}=..."),
            _ => argument.clone(),
        });
        before = argument;
    }
    shown
}

/// Checks a command that the user named. Returns it as the client is to start it, and doubts; an error if it
/// cannot start.
pub(super) fn named(command: &str, rest: &[String]) -> Result<(String, Vec<String>), String> {
    let mut doubts = Vec::new();
    let is_path = command.contains('/') || cfg!(windows) && command.contains('\\');
    let command = if is_path {
        let path = Path::new(command);
        if !path.is_file() {
            return Err(format!("the command {command} does not exist"));
        }
        let absolute = std::path::absolute(path).map_err(|error| format!("{command}: {error}"))?;
        doubts.extend(passing(&absolute));
        let text = absolute.into_os_string().into_string();
        text.map_err(|path| format!("{} is not Unicode", path.display()))?
    } else {
        if !is_on_path(command) {
            doubts.push(format!(
                "there is no command `{command}` on this PATH: the client cannot start it until there is"
            ));
        }
        command.to_owned()
    };
    let launcher = Path::new(&command).file_stem().and_then(|name| name.to_str());
    let is_package = |word: &String| {
        word == NAME
            || word
                .strip_prefix(NAME)
                .is_some_and(|rest| rest.starts_with(['@', '=']))
    };
    if !PUBLISHED && launcher.is_some_and(|name| LAUNCHERS.contains(&name)) && rest.iter().any(is_package) {
        doubts.push(format!(
            "`{NAME}` is not published in any registry yet, so this command cannot start it: {INSTEAD}"
        ));
    }
    Ok((command, doubts))
}

/// Returns this program's own path, and doubts.
pub(super) fn own() -> Result<(String, Vec<String>), String> {
    // Absolute path, because desktop clients often have a different PATH than the shell.
    let program =
        std::env::current_exe().map_err(|error| format!("this program's own path is not known: {error}"))?;
    let doubts = passing(&program);
    let command = program
        .into_os_string()
        .into_string()
        .map_err(|path| format!("this program's path is not Unicode: {}", path.display()))?;
    Ok((command, doubts))
}

/// Says that a program's file may soon be gone.
fn passing(program: &Path) -> Vec<String> {
    let names: Vec<_> = program.iter().filter_map(|part| part.to_str()).collect();
    let is_built = names.windows(2).any(|pair| match pair {
        [target, kind] => *target == "target" && ["debug", "release", "dist"].contains(kind),
        _ => false,
    });
    let caches = ["_npx", "archive-v0", ".cache"];
    let what = if is_built {
        "the build folder, which `cargo clean` empties"
    } else if program.starts_with(std::env::temp_dir()) {
        "a temporary folder"
    } else if names.iter().any(|name| caches.contains(name)) {
        "a cache, which may be emptied"
    } else {
        return Vec::new();
    };
    vec![format!(
        "{} is in {what}: {INSTEAD}, then run this command again",
        program.display()
    )]
}

fn is_on_path(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let endings: &[&str] = if cfg!(windows) {
        &["", ".exe", ".cmd", ".bat"]
    } else {
        &[""]
    };
    std::env::split_paths(&path).any(|folder: PathBuf| {
        endings
            .iter()
            .any(|ending| folder.join(format!("{command}{ending}")).is_file())
    })
}
