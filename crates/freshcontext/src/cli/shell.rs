//! Shell integration: completions and manual pages.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man;

use super::{FAILED, WRONG, args, explain};
use crate::output;
use freshcontext_files::write::{self as atomic_file, NewFile};

/// Prints the completion script, including tool names.
pub(super) fn completions(shell: Shell) -> u8 {
    let names = PossibleValuesParser::new(explain::tool_names());
    let mut command = args::command().mut_subcommand("call", |call| {
        call.mut_arg("tool", |tool| tool.value_parser(names))
    });
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    output::line(String::from_utf8_lossy(&script).trim_end());
    0
}

/// Prints a manual page, or writes all of them to a folder.
pub(super) fn manual(command: Option<&str>, into: Option<&Path>) -> u8 {
    if let Some(folder) = into {
        return match pages_into(folder) {
            Ok(()) => 0,
            Err(problem) => {
                output::error(&problem, None);
                FAILED
            }
        };
    }
    let mut root = args::command();
    root.build();
    let asked = match command {
        None => root,
        Some(name) => match root.find_subcommand(name) {
            Some(command) => command.clone(),
            None => return explain::unknown(name),
        },
    };
    let mut page = Vec::new();
    match Man::new(asked).render(&mut page) {
        Ok(()) => {
            output::line(String::from_utf8_lossy(&page).trim_end());
            0
        }
        Err(error) => {
            output::error(&format!("the page cannot be made: {error}"), None);
            WRONG
        }
    }
}

/// Writes the page of every command to a folder.
fn pages_into(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
    let mut root = args::command().disable_help_subcommand(true);
    root.build();
    let mut commands = vec![&root];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().filter(|below| !below.is_hide_set()));
        let page = Man::new(command.clone());
        let mut text = Vec::new();
        page.render(&mut text)
            .map_err(|error| format!("the page cannot be made: {error}"))?;
        atomic_file::write(&folder.join(page.get_filename()), &text, NewFile::Shared)?;
    }
    Ok(())
}
