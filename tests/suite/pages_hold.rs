//! What the README and the pages under docs/ say can be followed: links lead somewhere, and commands are understood.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

use crate::process::{BINARY, finish, program, scratch};
use crate::run::block_on;
use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("pages_hold::links", || verdict(links())),
        Trial::test("pages_hold::commands", || block_on(commands())),
    ]
}

/// README, the pages of the repository's root and those under docs/.
fn pages() -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                below(&path, found);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    let names = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "skills/freshcontext/SKILL.md",
    ];
    let mut found: Vec<PathBuf> = names.iter().map(|name| root().join(name)).collect();
    below(&root().join("docs"), &mut found);
    found.sort();
    found
}

/// The text without fenced blocks, and the blocks with their language.
fn parts(text: &str) -> (String, Vec<(String, String)>) {
    let (mut prose, mut blocks) = (String::new(), Vec::new());
    let mut open: Option<(String, String, String)> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        match &mut open {
            None if trimmed.starts_with("```") => {
                let fence: String = trimmed.chars().take_while(|c| *c == '`').collect();
                open = Some((
                    fence.clone(),
                    trimmed.trim_start_matches('`').trim().to_owned(),
                    String::new(),
                ));
            }
            None => {
                prose.push_str(line);
                prose.push('\n');
            }
            Some((fence, ..)) if trimmed == fence.as_str() => {
                blocks.extend(open.take().map(|(_, language, block)| (language, block)));
            }
            Some((.., block)) => {
                block.push_str(line);
                block.push('\n');
            }
        }
    }
    (prose, blocks)
}

/// The anchor that GitHub makes of a heading: lower case, punctuation left out, blanks as hyphens.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let (prose, _) = parts(text);
    let mut found = BTreeSet::new();
    for heading in prose.lines().filter(|line| line.starts_with('#')) {
        let base = anchor(heading);
        let mut name = base.clone();
        let mut number = 0;
        while !found.insert(name) {
            number += 1;
            name = format!("{base}-{number}");
        }
    }
    found
}

/// Every relative link names a file, and every anchor a heading of it.
fn links() -> Vec<String> {
    let mut complaints = Vec::new();
    let mut seen = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        let shown = page.strip_prefix(root()).unwrap_or(&page).display().to_string();
        // Answers repeat what sources wrote.
        if shown.starts_with("docs/answers/") && !shown.ends_with("README.md") {
            continue;
        }
        let (prose, _) = parts(&text);
        let joined = prose.replace('\n', " ");
        for part in joined.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            if target.contains("://") || target.starts_with("mailto:") || target.contains(' ') {
                continue;
            }
            seen += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => page.clone(),
                _ => page.parent().unwrap_or(Path::new("/")).join(file),
            };
            if !path.exists() {
                complaints.push(format!("{shown}: {target} does not exist"));
            } else if !heading.is_empty() {
                let there = std::fs::read_to_string(&path).unwrap_or_default();
                if !anchors(&there).contains(heading) {
                    complaints.push(format!("{shown}: {target}: no such heading"));
                }
            }
        }
    }
    if seen < 50 {
        complaints.push(format!("only {seen} links were found"));
    }
    complaints
}

/// Commands that are not tried, and why. Each must still be on a page.
const NOT_TRIED: [(&str, &str); 3] = [
    (
        "cargo build",
        "builds the workspace, as this test's own build does",
    ),
    ("cargo test", "would run this test within itself"),
    ("cargo install", "builds a release, and installs it"),
];

/// Every subcommand and option of `freshcontext` on a page is one that its help names, and every `cargo xtask` task
/// is one of its own. Commands without side effects are tried by `cli::readme` and by the generated examples.
async fn commands() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let mut lines: BTreeSet<(String, String)> = BTreeSet::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page)?;
        let shown = page.strip_prefix(root()).unwrap_or(&page).display().to_string();
        for (language, block) in parts(&text).1 {
            if !["sh", "console", "bash", ""].contains(&language.as_str()) {
                continue;
            }
            for line in block.lines() {
                let line = match language.as_str() {
                    "console" | "" => line.strip_prefix("$ ").unwrap_or_default(),
                    _ => line,
                };
                let line = line.trim();
                // What stands before the command: variables, and a pipe.
                if let Some(at) = ["freshcontext ", "cargo "]
                    .iter()
                    .filter_map(|name| line.find(name))
                    .min()
                {
                    let before = line.get(..at).unwrap_or_default();
                    let is_command = before.is_empty()
                        || before.ends_with("| ")
                        || before.ends_with(' ') && before.split_whitespace().all(|word| word.contains('='));
                    if is_command {
                        lines.insert((shown.clone(), line.get(at..).unwrap_or_default().to_owned()));
                    }
                }
            }
        }
    }
    let help = async |words: &[&str]| {
        let mut command = program(BINARY, words);
        command.current_dir(scratch());
        let done = finish(command, "").await;
        (done.code == Some(0)).then_some(done.stdout)
    };
    let global = help(&["--help"]).await.ok_or("no help")?;
    let xtask = std::fs::read_to_string(root().join("crates/xtask/src/main.rs"))?;
    let mut tried = 0;
    for (page, line) in &lines {
        let line = line.split(" #").next().unwrap_or_default();
        let line = line.split(" | ").next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        if NOT_TRIED.iter().any(|(start, _)| line.starts_with(start)) {
            continue;
        }
        match words.as_slice() {
            ["cargo", "xtask", task, ..] => {
                let name: String = task
                    .split('-')
                    .map(|part| {
                        let mut letters = part.chars();
                        letters
                            .next()
                            .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
                    })
                    .collect();
                tried += 1;
                if !xtask.contains(&format!("    {name}")) {
                    complaints.push(format!("{page}: `{line}`: no such task"));
                }
            }
            ["freshcontext", rest @ ..] => {
                tried += 1;
                let mut words: Vec<&str> = Vec::new();
                let mut help_text = global.clone();
                for word in rest.iter().take_while(|word| !word.starts_with('-')) {
                    let asked: Vec<&str> = words.iter().copied().chain([*word, "--help"]).collect();
                    let Some(found) = help(&asked).await.filter(|_| words.len() < 2) else {
                        break;
                    };
                    if found == help_text || found == global {
                        break;
                    }
                    words.push(word);
                    help_text = found;
                }
                let is_command = rest.first().is_none_or(|first| {
                    first.starts_with('-') || words.first() == Some(first) || first.starts_with('<')
                });
                if !is_command {
                    complaints.push(format!("{page}: `{line}`: no such command"));
                }
                let options = rest
                    .iter()
                    .take_while(|word| **word != "--")
                    .filter(|word| word.starts_with("--"));
                for option in options {
                    let option = option.split('=').next().unwrap_or_default();
                    let option = option.trim_end_matches([',', ';', ')', '`']);
                    if !help_text.contains(option) && !global.contains(option) {
                        complaints.push(format!("{page}: `{line}`: no option {option}"));
                    }
                }
            }
            _ => {}
        }
    }
    if tried < 40 {
        complaints.push(format!("only {tried} commands were found"));
    }
    for (start, why) in NOT_TRIED {
        if !lines.iter().any(|(_, line)| line.starts_with(start)) && start != "cargo build" {
            complaints.push(format!("`{start}` ({why}) is on no page any more"));
        }
    }
    verdict(complaints)
}
