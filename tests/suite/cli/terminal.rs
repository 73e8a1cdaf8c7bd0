//! The command line on a terminal: colours, links and the progress of a call, and none of them elsewhere.

use std::fs::File;
use std::io::Read as _;
use std::process::Stdio;

use freshcontext_testkit::{ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tokio::process::Command;

use crate::process::{PATIENCE, command, finish};
use crate::run::block_on;
use crate::upstreams::ordinary;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cli::colours_and_links", || block_on(colours())),
        Trial::test("cli::progress_of_a_call", || block_on(progress())),
    ]
}

/// Runs a command on a terminal. Returns its output and exit code.
async fn on_a_terminal(mut command: Command) -> Result<(String, Option<i32>), Failed> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
    command
        .stdin(Stdio::null())
        .stdout(theirs.try_clone()?)
        .stderr(theirs);
    let mut child = command.spawn()?;
    // The command also keeps the other end open.
    drop(command);
    let reading = tokio::task::spawn_blocking(move || {
        let mut shown = Vec::new();
        // Ends with an error when the other end closes.
        let _ = File::from(ours).read_to_end(&mut shown);
        shown
    });
    let status = tokio::time::timeout(PATIENCE, child.wait()).await??;
    let shown = tokio::time::timeout(PATIENCE, reading).await??;
    Ok((String::from_utf8(shown)?.replace("\r\n", "\n"), status.code()))
}

fn call(base: &str) -> Command {
    let mut command = command(&["call", "extract_hackernews", "url=rust"]);
    command.env("FRESHCONTEXT_UPSTREAM", format!("*={base}"));
    command
}

/// On a terminal, addresses are hyperlinks and the header is coloured; NO_COLOR, a dumb terminal and a pipe
/// get plain text.
async fn colours() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let link = "\x1b]8;;https://example.com/story\x1b\\https://example.com/story\x1b]8;;\x1b\\";
    let (shown, code) = on_a_terminal(call(&upstream.base())).await?;
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains(link), "{shown:?}");
    assert!(shown.contains("\x1b[2m[FRESHCONTEXT]\x1b[0m"), "{shown:?}");
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let mut plain = call(&upstream.base());
        plain.env(name, value);
        let (shown, code) = on_a_terminal(plain).await?;
        assert_eq!(code, Some(0), "{shown}");
        assert!(
            !shown.contains("\x1b]8")
                && !shown.contains("\x1b[2m")
                && shown.contains("https://example.com/story"),
            "{name}: {shown:?}"
        );
    }
    let piped = finish(call(&upstream.base()), "").await;
    assert!(
        !piped.stdout.contains('\x1b') && piped.stderr.is_empty(),
        "{piped:?}"
    );
    Ok(())
}

/// A slow tool shows a progress line on stderr, which is removed at the end.
async fn progress() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|seen: &SeenRequest| {
        let mut answer = ordinary(seen);
        answer.delay_ms = 2_500;
        answer
    })
    .await?;
    let (shown, code) = on_a_terminal(call(&upstream.base())).await?;
    assert_eq!(code, Some(0), "{shown}");
    for second in ["extract_hackernews ... 1 s", "extract_hackernews ... 2 s"] {
        assert!(shown.contains(second), "{second}: {shown:?}");
    }
    let last = shown.rfind(" ... ").unwrap_or_default();
    let erased = shown.get(last..).and_then(|rest| rest.find("\r\x1b[2K"));
    assert!(erased.is_some(), "the last line is taken away: {shown:?}");
    let piped = finish(call(&upstream.base()), "").await;
    assert_eq!(piped.stderr, "", "nothing where nobody looks");
    Ok(())
}
