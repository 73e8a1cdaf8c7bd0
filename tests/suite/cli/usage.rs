//! Usage errors repeat arguments as text, without terminal control.

use libtest_mimic::{Failed, Trial};

use crate::process::{command, finish, scratch};
use crate::run::block_on;
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("cli::usage_errors", || block_on(usage_errors()))]
}

/// Colours, a title, a bell, a line break, reversed direction, 8-bit controls, and invisible characters.
const DRIVES: &str =
    "x\u{1b}[31mred\u{1b}]0;title\u{7}\rover\nerror: forged\u{202e}back\u{2066}in\u{9b}2J\u{200b}\u{7f}";

/// Whether a character is more than text to a terminal or a reader.
fn drives(c: char) -> bool {
    c.is_control() && c != '\n'
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{61c}' | '\u{feff}')
}

async fn usage_errors() -> Result<(), Failed> {
    let option = format!("--{DRIVES}");
    let set = format!("{DRIVES}=1");
    let named = format!("url={DRIVES}");
    let file = format!("url=@{DRIVES}");
    let source = format!("extract_hackernews '{DRIVES}=1'");
    let folder = scratch().join("usage").join(DRIVES);
    let folder = folder.display().to_string();
    let mut complaints = Vec::new();
    for words in [
        &[option.as_str()][..],
        &[DRIVES],
        &["tools", DRIVES],
        &["tools", &option],
        &["--set", DRIVES, "settings"],
        &["--set", &set, "settings"],
        &["--log", DRIVES, "settings"],
        &["--config", DRIVES, "settings"],
        &["--toolset", DRIVES, "tools"],
        &["call", DRIVES],
        &["call", "extract_hackernews", &set],
        &["call", "extract_hackernews", &named, &named],
        &["call", "extract_hackernews", &file],
        &["call", DRIVES, "--help"],
        &["validate", DRIVES],
        &["validate", "-", "--level", DRIVES],
        &["evaluate", DRIVES],
        &["inspect", DRIVES],
        &["inspect", "--jsonl", DRIVES],
        &["history", "truncate", DRIVES],
        &["history", "truncate", "-", "--max-tokens", DRIVES],
        &["stamp", DRIVES],
        &["verify", "-", "--key-file", DRIVES],
        &["records", "check", DRIVES],
        &["records", "show", DRIVES],
        &["records", "export", "-", "--format", DRIVES],
        &["recheck", DRIVES],
        &["references", DRIVES],
        &["deliverable", "show", DRIVES],
        &["deliverable", "show", "x", DRIVES],
        &["deliverable", "diff", "x", "1", DRIVES],
        &["deliverable", "add", "x", "--source", &source],
        &[
            "deliverable",
            "add",
            "x",
            "--source",
            DRIVES,
            "--template",
            DRIVES,
        ],
        &["deliverable", "watch", "x", "--every", DRIVES],
        &["install", DRIVES],
        &["install", "cursor", "--dry-run", "--", DRIVES],
        &["help", DRIVES],
        &["help", DRIVES, DRIVES],
        &["man", DRIVES],
        &["man", "--into", "/dev/null/x", DRIVES],
        &["completions", DRIVES],
        &["--data-dir", &folder, "doctor"],
        &["healthcheck", "--addr", DRIVES],
    ] {
        let done = finish(command(words), "").await;
        let shown = format!("{}{}", done.stdout, done.stderr);
        if let Some(c) = shown.chars().find(|c| drives(*c)) {
            complaints.push(format!(
                "{words:?} shows {:?}: {done:?}",
                c.escape_unicode().to_string()
            ));
        }
        if shown.lines().any(|line| line.starts_with("error: forged")) {
            complaints.push(format!("{words:?} begins a line of its own: {done:?}"));
        }
        if shown.trim().is_empty() {
            complaints.push(format!("{words:?} says nothing"));
        }
    }
    // Also with such a name of the program's file.
    #[cfg(unix)]
    {
        let folder = scratch().join("usage");
        std::fs::create_dir_all(&folder)?;
        let program = folder.join(DRIVES.replace('/', ""));
        let _ = std::fs::remove_file(&program);
        std::os::unix::fs::symlink(crate::process::BINARY, &program)?;
        for words in [&["--nonsense"][..], &["--help"], &["completions", "bash"]] {
            let done = finish(crate::process::program(&program.display().to_string(), words), "").await;
            if done
                .stdout
                .chars()
                .chain(done.stderr.chars())
                .any(|c| drives(c) && c != '\t')
            {
                complaints.push(format!("the program's name in {words:?}: {done:?}"));
            }
        }
    }
    verdict(complaints)
}
