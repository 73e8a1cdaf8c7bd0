//! Every command that reads a file, with endless, silent and oversized inputs.

use std::process::Stdio;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use crate::memory::read_figure;
use crate::process::{MODERN, PATIENCE, Session, command, program, scratch};
use crate::run::block_on;
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cli::doors", || block_on(doors())),
        Trial::test("cli::pipes_are_read", || block_on(pipes())),
    ]
}

/// Maximum above an idle server, in KiB.
const PEAK: u64 = 64 << 10;

/// Arguments of each command; `{}` is the file. Those that end with `-` also read stdin.
const DOORS: [&[&str]; 22] = [
    &["validate", "{}"],
    &["evaluate", "{}"],
    &["records", "check", "{}"],
    &["records", "export", "{}"],
    &["records", "page", "{}"],
    &["history", "truncate", "{}"],
    &["inspect", "{}"],
    &["inspect", "--jsonl", "{}"],
    &["stamp", "{}"],
    &["verify", "{}"],
    &["stamp", "-", "--key-file", "{}"],
    &["verify", "-", "--key-file", "{}"],
    &["verify", "-", "--keys", "{}"],
    &["call", "extract_hackernews", "url=@{}"],
    &["call", "extract_hackernews", "@{}"],
    &["call", "extract_hackernews", "url=a", "@{}"],
    &[
        "deliverable",
        "add",
        "x",
        "--source",
        "extract_hackernews url=@{}",
    ],
    &[
        "deliverable",
        "add",
        "x",
        "--source",
        "extract_hackernews url=a",
        "--template",
        "{}",
    ],
    &["settings", "--config", "{}"],
    &["tools", "--set", "extra_ca={}"],
    &["install", "cursor"],
    &["uninstall", "cursor"],
];

/// Result of a command.
#[derive(Debug)]
struct CommandResult {
    code: Option<i32>,
    stderr: String,
    peak: u64,
}

/// Runs a command to its end and monitors its memory. Fails after a timeout.
async fn watched(mut command: Command, stdin: Stdio) -> Result<CommandResult, Failed> {
    command.stdin(stdin).stdout(Stdio::null());
    let mut child = command.spawn()?;
    let process = child.id().ok_or("a process")?;
    let mut errors = child.stderr.take().ok_or("a pipe")?;
    let reading = tokio::spawn(async move {
        let mut text = String::new();
        let _ = errors.read_to_string(&mut text).await;
        text
    });
    let own = std::env::current_exe()?;
    let mut peak = 0;
    let until = tokio::time::Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        // Between fork and exec the process still has the memory of this test program.
        let started = std::fs::read_link(format!("/proc/{process}/exe")).is_ok_and(|exe| exe != own);
        if started && let Ok(text) = std::fs::read_to_string(format!("/proc/{process}/status")) {
            peak = peak.max(read_figure(&text, "VmHWM").unwrap_or_default());
        }
        if tokio::time::Instant::now() > until {
            return Err(Failed::from(format!("{command:?} does not end")));
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    Ok(CommandResult {
        code: status.code(),
        stderr: reading.await?,
        peak,
    })
}

/// Returns the command for this file.
fn at(door: &[&str], file: &str) -> Result<Command, Failed> {
    let words: Vec<String> = door.iter().map(|word| word.replace("{}", file)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = command(&words);
    if door.contains(&"cursor") {
        // A client's configuration file that links to it.
        let home = scratch()
            .join("doors")
            .join(format!("home-{}", file.replace('/', "-")));
        std::fs::create_dir_all(home.join(".cursor"))?;
        let client = home.join(".cursor/mcp.json");
        let _ = std::fs::remove_file(&client);
        std::os::unix::fs::symlink(file, client)?;
        command.env("HOME", home);
    }
    Ok(command)
}

async fn idle() -> Result<u64, Failed> {
    let mut session = Session::open(command(&["stdio"]), MODERN).await;
    session.ask("tools/list", json!({})).await;
    let status = std::fs::read_to_string(format!("/proc/{}/status", session.process()))?;
    session.hang_up();
    session.end().await;
    Ok(read_figure(&status, "VmHWM").ok_or("a figure")?)
}

/// Endless, oversized or silent input is refused by name, quickly and with little memory.
async fn doors() -> Result<(), Failed> {
    let folder = scratch().join("doors");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let in_folder = |name: &str| folder.join(name).display().to_string();
    let long = in_folder("long");
    std::fs::File::create(&long)?.set_len((64 << 20) + 1)?;
    let most = idle().await? + PEAK;
    // In parallel, because each waits for a pipe without a writer.
    let tried = DOORS
        .iter()
        .enumerate()
        .map(|(at, door)| tried(door, &long, in_folder(&at.to_string()), most));
    let mut complaints = Vec::new();
    for of_a_door in futures_util::future::join_all(tried).await {
        complaints.extend(of_a_door?);
    }
    // Many files of one call share one limit.
    let half = in_folder("half");
    std::fs::File::create(&half)?.set_len(9 << 20)?;
    let both = [
        "call",
        "extract_hackernews",
        &format!("url=@{half}"),
        &format!("sort=@{half}"),
    ];
    let seen = watched(command(&both), Stdio::null()).await?;
    if seen.code != Some(2) || !seen.stderr.contains("`limits.input_bytes`") {
        complaints.push(format!("two files that are too long together: {seen:?}"));
    }
    std::fs::remove_dir_all(&folder)?;
    verdict(complaints)
}

/// Returns the problems of one command.
async fn tried(door: &[&str], long: &str, folder: String, most: u64) -> Result<Vec<String>, Failed> {
    std::fs::create_dir_all(&folder)?;
    let (idle, endless) = (format!("{folder}/idle"), format!("{folder}/endless"));
    for pipe in [&idle, &endless] {
        assert!(program("mkfifo", &[pipe.as_str()]).status().await?.success());
    }
    let (mut complaints, mut peaks) = (Vec::new(), Vec::new());
    for file in ["/dev/zero", long, &folder, &idle, &endless] {
        let filling = (file == endless).then(|| {
            let script = "while cat /dev/zero > \"$0\"; do :; done";
            program("sh", &["-c", script, file]).stderr(Stdio::null()).spawn()
        });
        let seen = watched(at(door, file)?, Stdio::null()).await?;
        if let Some(mut filling) = filling.transpose()? {
            filling.kill().await?;
        }
        if !matches!(seen.code, Some(1 | 2)) || seen.stderr.is_empty() || seen.peak > most {
            complaints.push(format!("{door:?} {file}: {seen:?}, at most {most} KiB"));
        }
        let names_it =
            seen.stderr.contains(file) || door.contains(&"cursor") && seen.stderr.contains("mcp.json");
        let names_the_limit = file != long || seen.stderr.contains("bytes (`limits.");
        if !names_it || !names_the_limit || !seen.stderr.lines().any(|line| line.starts_with("error: ")) {
            complaints.push(format!("{door:?} {file} is not named: {seen:?}"));
        }
        peaks.push(seen.peak);
    }
    let stdin = door.last() == Some(&"{}")
        && !door
            .iter()
            .any(|word| word.starts_with("--") && *word != "--jsonl");
    if stdin {
        let seen = watched(at(door, "-")?, std::fs::File::open("/dev/zero")?.into()).await?;
        if seen.code != Some(2) || !seen.stderr.contains("stdin is longer than") || seen.peak > most {
            complaints.push(format!("{door:?} on stdin: {seen:?}, at most {most} KiB"));
        }
        peaks.push(seen.peak);
    }
    eprintln!("{door:?}: at most {most} KiB, {peaks:?}");
    Ok(complaints)
}

/// Process substitution `<(command)` and the other names of stdin are ordinary inputs, even if slow.
async fn pipes() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for (script, code) in [
        (
            "\"$0\" inspect <(sleep 1; echo 'A long walk through the forest.')",
            0,
        ),
        ("\"$0\" inspect --jsonl <(echo '{\"text\": \"A long walk.\"}')", 0),
        (
            "echo 'A long walk through the forest.' | \"$0\" inspect /dev/stdin",
            0,
        ),
        (
            "\"$0\" stamp <(echo '{\"content\": \"a\", \"adapter\": \"b\"}') --key-file <(echo a key)",
            0,
        ),
        ("(sleep 1; echo 'just words') | \"$0\" validate -", 1),
        ("\"$0\" records check <(echo '{}')", 1),
    ] {
        let inner = command(&[]);
        let mut shell = program("bash", &["-c", script]);
        shell.arg(inner.as_std().get_program());
        let done = crate::process::finish(shell, "").await;
        if done.code != Some(code) || done.stderr.contains("cannot read") {
            complaints.push(format!("{script}: {done:?}"));
        }
    }
    verdict(complaints)
}
