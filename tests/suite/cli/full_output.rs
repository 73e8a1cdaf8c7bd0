//! Failing writes: each command with a full disk, beyond the file-size limit, and with a disconnected reader.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::places::Kept;
use crate::process::{Finished, MODERN, command, finish, in_revision, through};
use crate::run::block_on;
use crate::upstreams::ordinary;
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cli::full_output", || block_on(every_command())),
        Trial::test("cli::full_output_in_files", || block_on(files())),
    ]
}

/// Time of all calls.
const NOW: &str = "2026-11-23T09:00:00Z";
/// Maximum file size: far beyond the size of these tests' database.
const LARGEST: u64 = 1 << 30;

/// Commands that print nothing on stdout, with the reason.
const SILENT: [(&str, &str); 2] = [
    ("http", "speaks over the network"),
    (
        "healthcheck",
        "asks a service, which is not there: tried below by hand",
    ),
];

/// Arguments of a command, and its stdin.
struct Line {
    words: Vec<String>,
    input: String,
}

fn line(words: &[&str], input: &dyn ToString) -> Line {
    Line {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        input: input.to_string(),
    }
}

/// Returns the names of all commands without subcommands, from the command line's own definition.
fn commands() -> Vec<String> {
    let mut found = Vec::new();
    let root = freshcontext::cli::command();
    let mut open = vec![(String::new(), &root)];
    while let Some((name, command)) = open.pop() {
        if !name.is_empty() && !command.has_subcommands() {
            found.push(name.trim().to_owned());
        }
        open.extend(
            command
                .get_subcommands()
                .map(|below| (format!("{name} {}", below.get_name()), below)),
        );
    }
    found.sort_unstable();
    found
}

/// A store with an answer, a deliverable of two versions and records, and the files that commands read.
struct Scene {
    kept: Kept,
    upstream: ScriptedUpstream,
    folder: PathBuf,
    answer_id: String,
    context_id: String,
}

impl Scene {
    async fn new() -> Result<Self, Failed> {
        let kept = Kept::in_folder();
        let upstream = ScriptedUpstream::start(ordinary).await?;
        std::fs::create_dir_all(kept.folder())?;
        let folder = kept.folder().join("files");
        std::fs::create_dir_all(folder.join("home"))?;
        let mut scene = Self {
            kept,
            upstream,
            folder,
            answer_id: String::new(),
            context_id: String::new(),
        };
        let records = scene.file("records.json");
        let call = [
            "call",
            "extract_hackernews",
            "url=rust",
            "--toolset",
            "time",
            "--json",
            "--records",
            &records,
        ];
        let answer: Value = serde_json::from_str(&scene.done(&call).await?)?;
        scene.answer_id = answer["answer_id"].as_str().ok_or("an answer's id")?.to_owned();
        let source = "extract_hackernews url=rust";
        scene
            .done(&["deliverable", "add", "brief", "--source", source])
            .await?;
        for _ in 0..2 {
            scene.done(&["deliverable", "generate", "brief"]).await?;
        }
        let kept: Value = serde_json::from_str(&scene.done(&["records", "list", "--json"]).await?)?;
        let id = kept[0]["context_id"].as_str().ok_or("kept records")?;
        id.clone_into(&mut scene.context_id);
        Ok(scene)
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.kept.command(words, NOW, &self.upstream.base());
        command.env("HOME", self.folder.join("home"));
        command
    }

    async fn done(&self, words: &[&str]) -> Result<String, Failed> {
        let done = finish(self.command(words), "").await;
        if done.code == Some(0) {
            Ok(done.stdout)
        } else {
            Err(Failed::from(format!("{words:?}: {done:?}")))
        }
    }

    /// Undoes a command, so that it can run again.
    async fn again(&self, name: &str) {
        let words = match name {
            "deliverable add" => &["deliverable", "remove", "other"][..],
            "deliverable remove" => &[
                "deliverable",
                "add",
                "other",
                "--source",
                "extract_hackernews url=rust",
            ],
            _ => return,
        };
        // The first time there is nothing to undo.
        finish(self.command(words), "").await;
    }

    /// A line for each command, by its name.
    fn lines(&self) -> BTreeMap<&'static str, Line> {
        let (answer, context) = (self.answer_id.as_str(), self.context_id.as_str());
        let signals = json!({"profile": "official_docs", "intent": "citation_check", "signals": [
            {"source": "https://docs.example.org/a", "title": "A page", "content": "The release notes of the library.",
             "published_at": "2025-06-01T10:00:00Z"}]});
        let response = r#"{"freshcontext": {"retrieved_at": "2026-03-05T12:00:00Z"}}"#;
        let facts = json!({"content": "a", "adapter": "b"});
        let stamp =
            json!({"scheme": "FRESHCONTEXT_HA_PRI_V2", "content": "a", "adapter": "b", "signature": "c"});
        let history = json!([{"role": "user", "content": "Hello"}]);
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": in_revision(MODERN, json!({}))});
        let records = self.file("records.json");
        let source = "extract_hackernews url=rust";
        BTreeMap::from([
            ("call", line(&["call", "extract_hackernews", "url=rust"], &"")),
            ("completions", line(&["completions", "bash"], &"")),
            ("decay", line(&["decay"], &"")),
            (
                "deliverable add",
                line(&["deliverable", "add", "other", "--source", source], &""),
            ),
            ("deliverable check", line(&["deliverable", "check", "brief"], &"")),
            (
                "deliverable diff",
                line(&["deliverable", "diff", "brief", "1", "2"], &""),
            ),
            (
                "deliverable generate",
                line(&["deliverable", "generate", "brief"], &""),
            ),
            ("deliverable list", line(&["deliverable", "list"], &"")),
            (
                "deliverable notify",
                line(&["deliverable", "notify", "brief"], &""),
            ),
            (
                "deliverable remove",
                line(&["deliverable", "remove", "other"], &""),
            ),
            (
                "deliverable show",
                line(&["deliverable", "show", "brief", "--json"], &""),
            ),
            ("deliverable sync", line(&["deliverable", "sync", "brief"], &"")),
            ("doctor", line(&["doctor"], &"")),
            ("evaluate", line(&["evaluate", "-", "--json"], &signals)),
            ("help", line(&["help"], &"")),
            ("history truncate", line(&["history", "truncate", "-"], &history)),
            (
                "inspect",
                line(&["inspect", "-"], &"A long walk through the forest."),
            ),
            ("install", line(&["install", "cursor", "--dry-run"], &"")),
            ("keys", line(&["keys"], &"")),
            ("man", line(&["man"], &"")),
            ("recheck", line(&["recheck", answer], &"")),
            ("records check", line(&["records", "check", &records], &"")),
            ("records export", line(&["records", "export", &records], &"")),
            ("records list", line(&["records", "list"], &"")),
            ("records page", line(&["records", "page", &records], &"")),
            ("records show", line(&["records", "show", context], &"")),
            (
                "references",
                line(&["references", "-"], &"ISBN 978-0-306-40615-7 is a book."),
            ),
            ("settings", line(&["settings", "--json"], &"")),
            ("sources", line(&["sources"], &"")),
            ("stamp", line(&["stamp", "-"], &facts)),
            ("stdio", line(&["stdio"], &format!("{hello}\n"))),
            ("store check", line(&["store", "check"], &"")),
            ("store export", line(&["store", "export"], &"")),
            ("store info", line(&["store", "info"], &"")),
            ("store migrate", line(&["store", "migrate"], &"")),
            ("store vacuum", line(&["store", "vacuum"], &"")),
            ("sync", line(&["sync"], &"")),
            ("tools", line(&["tools", "--json"], &"")),
            ("uninstall", line(&["uninstall", "cursor", "--dry-run"], &"")),
            ("validate", line(&["validate", "-"], &response)),
            ("verify", line(&["verify", "-", "--json"], &stamp)),
            ("version", line(&["version"], &"")),
        ])
    }
}

/// Target of a command's stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stdout {
    Read,
    FullDisk,
    LargestFile,
    NobodyReads,
    NotForWriting,
}

impl Scene {
    /// Runs a command with this stdout.
    async fn run(&self, line: &Line, stdout: Stdout) -> Result<Finished, Failed> {
        let words: Vec<&str> = line.words.iter().map(String::as_str).collect();
        let mut command = self.command(&words);
        match stdout {
            Stdout::Read => {}
            Stdout::FullDisk => {
                command.stdout(OpenOptions::new().write(true).open("/dev/full")?);
            }
            Stdout::NotForWriting => {
                command.stdout(File::open("/dev/null")?);
            }
            Stdout::LargestFile => {
                // The output begins behind a hole, so that nothing else in the process reaches the limit.
                let file = File::create(self.folder.join("large"))?;
                file.set_len(LARGEST)?;
                (&file).seek(SeekFrom::End(0))?;
                command = through(
                    "sh",
                    &["-c", "ulimit -f $0 && exec \"$@\"", &(LARGEST / 512).to_string()],
                    &command,
                );
                command.stdout(file);
            }
            Stdout::NobodyReads => {
                let (reader, writer) = std::io::pipe()?;
                drop(reader);
                command.stdout(writer);
            }
        }
        Ok(finish(command, &line.input).await)
    }
}

/// A command whose output cannot be written exits with 1 and one line of explanation; a disconnected reader
/// is treated as if it had read everything.
async fn every_command() -> Result<(), Failed> {
    let scene = Scene::new().await?;
    let mut lines = scene.lines();
    let mut complaints = Vec::new();
    // An entry for `uninstall` to remove.
    scene.done(&["install", "cursor", "--", "npx"]).await?;
    let mut names = commands();
    // Endless otherwise, so it is tested separately.
    names.retain(|name| name != "deliverable watch");
    for (silent, _) in SILENT {
        names.retain(|name| name != silent);
    }
    let mut tried = Vec::new();
    for name in names {
        let Some(line) = lines.remove(name.as_str()) else {
            complaints.push(format!("`{name}` is not tried here: add a line for it"));
            continue;
        };
        tried.push((name, line));
    }
    complaints.extend(lines.keys().map(|name| format!("there is no `{name}`")));
    for (name, words) in [
        ("--help", &["--help"][..]),
        ("--version", &["--version"]),
        ("help TOOL", &["help", "extract_hackernews"]),
        ("call --help", &["call", "extract_hackernews", "--help"]),
        ("help settings", &["help", "settings"]),
        ("tools --help", &["tools", "--help"]),
        ("evaluate", &["evaluate", "-", "--max-tokens", "500"]),
        ("inspect --jsonl", &["inspect", "--jsonl", "-"]),
    ] {
        let input = match name {
            "evaluate" => scene.lines().remove("evaluate").map(|line| line.input),
            "inspect --jsonl" => Some("{\"id\": \"a\", \"text\": \"A long walk.\"}\n".to_owned()),
            _ => None,
        };
        tried.push((name.to_owned(), line(words, &input.unwrap_or_default())));
    }
    for (name, line) in &tried {
        scene.again(name).await;
        let usual = scene.run(line, Stdout::Read).await?;
        if usual.stdout.is_empty() || !matches!(usual.code, Some(0 | 1 | 4)) {
            complaints.push(format!("{name}: tries nothing: {usual:?}"));
            continue;
        }
        for (stdout, says) in [
            (Stdout::FullDisk, "No space left on device"),
            (Stdout::LargestFile, "File too large"),
            (Stdout::NotForWriting, "Bad file descriptor"),
        ] {
            scene.again(name).await;
            let done = scene.run(line, stdout).await?;
            let told = format!("error: cannot write to stdout: {says}");
            let beside = usual.stderr.lines().count();
            let lines = done.stderr.lines().filter(|line| line.starts_with(&told)).count();
            // A code that says something of the call stays.
            let due = usual.code.filter(|code| *code != 0).or(Some(1));
            if done.code != due || lines != 1 || done.stderr.lines().count() > 1 + beside {
                complaints.push(format!("{name}, {stdout:?}: {done:?}"));
            }
        }
        scene.again(name).await;
        let done = scene.run(line, Stdout::NobodyReads).await?;
        if done.code != usual.code || done.stderr.lines().count() != usual.stderr.lines().count() {
            complaints.push(format!("{name}, nobody reads: {done:?}, else {usual:?}"));
        }
    }
    eprintln!("{} command lines", tried.len());
    verdict(complaints)
}

/// An output file is complete or unchanged.
async fn files() -> Result<(), Failed> {
    let scene = Scene::new().await?;
    let signals = scene
        .lines()
        .remove("evaluate")
        .map(|line| line.input)
        .unwrap_or_default();
    let (page, records, pages) = (
        scene.file("page.html"),
        scene.file("of-a-call.json"),
        scene.file("man"),
    );
    let call = ["call", "extract_hackernews", "url=rust"];
    let mut complaints = Vec::new();
    for (words, file, input) in [
        ([&call[..], &["--html", &page]].concat(), &page, ""),
        ([&call[..], &["--records", &records]].concat(), &records, ""),
        (
            vec!["evaluate", "-", "--records", &records],
            &records,
            signals.as_str(),
        ),
        (
            vec!["man", "--into", &pages],
            &scene.file("man/freshcontext.1"),
            "",
        ),
    ] {
        let first = finish(scene.command(&words), input).await;
        let whole = std::fs::read(file)?;
        if !matches!(first.code, Some(0 | 1)) || whole.is_empty() {
            complaints.push(format!("{words:?}: {first:?}"));
        }
        let mode = || std::fs::metadata(file).map(|about| about.permissions().mode() & 0o777);
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o640))?;
        let again = finish(scene.command(&words), input).await;
        if again.code != first.code || mode()? != 0o640 {
            complaints.push(format!("{words:?}: {:o} {again:?}", mode()?));
        }
        let whole = std::fs::read(file)?;
        // 512 bytes; the data is stored elsewhere.
        let mut command = command(&words);
        command
            .env("FRESHCONTEXT_UPSTREAM", format!("*={}", scene.upstream.base()))
            .env("FRESHCONTEXT_STORE", "off");
        let done = finish(
            through("sh", &["-c", "ulimit -f 1 && exec \"$@\"", "sh"], &command),
            input,
        )
        .await;
        if done.code != Some(1) || !done.stderr.contains("File too large") {
            complaints.push(format!("{words:?}: {done:?}"));
        }
        if std::fs::read(file)? != whole {
            complaints.push(format!("{words:?}: {file} is not as it was"));
        }
        complaints.extend(left_over(Path::new(file)));
    }
    verdict(complaints)
}

/// Unfinished files beside a file.
fn left_over(file: &Path) -> Vec<String> {
    let beside = file.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let names = beside
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names
        .filter(|name| name.starts_with(".freshcontext-"))
        .map(|name| format!("{name} is left over"))
        .collect()
}
