//! The life of the process: group K of the fault matrix, secrets, configuration.

use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use freshcontext_testkit::{SECRET, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::process::{
    BINARY, LEGACY, Log, MODERN, PATIENCE, Session, command, finish, program, scratch, signal, through,
};
use crate::run::block_on;
use crate::upstreams::{Stalled, json_reply, ordinary, reply};
use crate::verdict;
use crate::wire::until;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("process::ends_with_its_input", || block_on(ends_with_its_input())),
        Trial::test("process::answers_before_it_ends", || {
            block_on(answers_before_it_ends())
        }),
        Trial::test("process::pure_stdout_and_no_secrets", || {
            block_on(pure_and_discreet())
        }),
        Trial::test("process::odd_surroundings", || block_on(odd_surroundings())),
        Trial::test("process::bad_configuration", || block_on(bad_configuration())),
    ];
    if cfg!(unix) {
        trials.push(Trial::test("process::signals", || block_on(signals())));
        trials.push(Trial::test("process::a_client_that_leaves", || {
            block_on(a_client_that_leaves())
        }));
    }
    if cfg!(target_os = "linux") {
        trials.push(Trial::test(
            "process::parent_killed",
            || block_on(parent_killed()),
        ));
    }
    trials
}

/// K01: no input, no reader, end of input.
async fn ends_with_its_input() -> Result<(), Failed> {
    let began = Instant::now();
    let mut silent = command(&["stdio"]);
    silent.stdin(Stdio::null());
    let mut child = silent.spawn()?;
    let status = tokio::time::timeout(PATIENCE, child.wait()).await??;
    assert!(
        status.success() && began.elapsed() <= Duration::from_secs(2),
        "{status} after {:?}",
        began.elapsed()
    );

    for version in [LEGACY[0], MODERN] {
        let mut session = Session::open(command(&[]), version).await;
        session.hang_up();
        let began = Instant::now();
        let ended = session.end().await;
        assert!(
            ended.status.success() && ended.messages.is_empty(),
            "{:?}",
            ended.messages
        );
        assert!(began.elapsed() <= Duration::from_secs(2), "{:?}", began.elapsed());
        assert_eq!(ended.log, "", "nothing to say about it");
    }

    // A disconnected reader of stdout.
    let mut deaf = command(&["stdio"]).spawn()?;
    drop(deaf.stdout.take());
    let mut stdin = deaf.stdin.take().ok_or("a pipe")?;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let writing = async {
        // Fails once the process has ended, as intended.
        while stdin.write_all(format!("{ping}\n").as_bytes()).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    let began = Instant::now();
    let (status, ()) = tokio::time::timeout(PATIENCE, async { tokio::join!(deaf.wait(), writing) }).await?;
    assert!(status?.success());
    assert!(began.elapsed() <= Duration::from_secs(2), "{:?}", began.elapsed());
    Ok(())
}

/// Requests before the end of the input are answered within the remaining time; hanging ones are abandoned.
async fn answers_before_it_ends() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|request: &SeenRequest| {
        let mut answer = ordinary(request);
        answer.delay_ms = 300;
        answer
    })
    .await?;
    let mut session = Session::with_upstream(&upstream.base()).await;
    let id = session
        .request(
            "tools/call",
            json!({"name": "extract_hackernews", "arguments": {"url": "rust"}}),
        )
        .await;
    session.hang_up();
    let ended = session.end().await;
    assert_eq!(ended.messages.len(), 1, "{:?}", ended.messages);
    assert_eq!(ended.messages[0]["id"], id);
    assert!(ended.status.success());

    let upstream = Stalled::start().await;
    let mut session = Session::with_upstream(&upstream.base()).await;
    session
        .request(
            "tools/call",
            json!({"name": "extract_hackernews", "arguments": {"url": "rust"}}),
        )
        .await;
    let _half = upstream.half_answered().await;
    session.hang_up();
    let began = Instant::now();
    let ended = session.end().await;
    assert!(ended.status.success());
    assert!(began.elapsed() <= Duration::from_secs(2), "{:?}", began.elapsed());
    Ok(())
}

/// K01: signals end it normally, even during a call.
async fn signals() -> Result<(), Failed> {
    for name in ["INT", "TERM", "HUP"] {
        let upstream = Stalled::start().await;
        let mut session = Session::with_upstream(&upstream.base()).await;
        session
            .request(
                "tools/call",
                json!({"name": "extract_hackernews", "arguments": {"url": "rust"}}),
            )
            .await;
        let _half = upstream.half_answered().await;
        let began = Instant::now();
        signal(session.process(), name);
        let ended = session.end().await;
        assert_eq!(ended.status.code(), Some(0), "SIG{name}");
        assert!(
            began.elapsed() <= Duration::from_secs(2),
            "SIG{name}: {:?}",
            began.elapsed()
        );
    }
    Ok(())
}

/// K01: the host is killed while another process keeps the pipe open.
async fn parent_killed() -> Result<(), Failed> {
    let mut shell = tokio::process::Command::new("sh");
    shell
        .args(["-c", "exec 3<&0; \"$0\" stdio <&3 & echo $!; wait"])
        .arg(BINARY)
        .env("FRESHCONTEXT_DATA_DIR", scratch().join("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    let mut shell = shell.spawn()?;
    // The test itself keeps the pipe open.
    let mut held = shell.stdin.take().ok_or("a pipe")?;
    let mut lines = BufReader::new(shell.stdout.take().ok_or("a pipe")?).lines();
    let process: u32 = lines
        .next_line()
        .await?
        .ok_or("the server's number")?
        .trim()
        .parse()?;
    held.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
        .await?;
    assert!(lines.next_line().await?.is_some(), "it is at work");
    shell.start_kill()?;
    shell.wait().await?;
    let began = Instant::now();
    // Its stdout ends with it.
    let ended = tokio::time::timeout(Duration::from_secs(10), lines.next_line()).await;
    if ended.is_err() {
        signal(process, "KILL");
        return Err(format!("still there {:?} after its parent was killed", began.elapsed()).into());
    }
    Ok(())
}

/// K02 and H09: with full logging, stdout is JSON-RPC only, the log has one line per event, and no configured
/// secret appears anywhere, although the sources received their keys.
async fn pure_and_discreet() -> Result<(), Failed> {
    let mut names: Vec<&str> = Vec::new();
    for adapter in freshcontext_sources::adapters() {
        for credential in adapter.descriptor().credentials {
            names.extend(credential.env);
            if let freshcontext_contract::Apply::ClientCredentials { secret_env, .. } = credential.apply {
                names.push(secret_env);
            }
        }
    }
    // A host that returns the request in several forms.
    let turn = AtomicUsize::new(0);
    let upstream = ScriptedUpstream::start(move |request: &SeenRequest| {
        let headers: Vec<String> = request
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let echo = format!(
            "refused: {} {}",
            headers.join(", "),
            String::from_utf8_lossy(&request.body)
        );
        match turn.fetch_add(1, Ordering::Relaxed) % 3 {
            0 => reply(401, "text/plain", &echo),
            1 => json_reply(&json!({"message": echo, "error": request.target}).to_string()),
            _ => reply(
                500,
                "text/html",
                &format!("<html><title>{echo}</title><p>{}</p></html>", request.target),
            ),
        }
    })
    .await?;
    let mut command = command(&["stdio"]);
    command
        .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
        .env("FRESHCONTEXT_LOG", "trace")
        .env("RUST_LOG", "trace")
        .env("RUST_BACKTRACE", "full")
        .env("FRESHCONTEXT_LIMIT_ATTEMPTS", "1")
        .env("FRESHCONTEXT_LIMIT_CALL_DEADLINE_MS", "4000")
        .env("FRESHCONTEXT_HTTP_TOKEN", SECRET);
    for name in &names {
        command.env(name, SECRET);
    }
    let mut session = Session::open(command, MODERN).await;
    let tools = session.ask("tools/list", json!({})).await;
    let tools: Vec<String> = tools["result"]["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
        .collect();
    let examples: Vec<(&str, Value)> = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| adapter.descriptor())
        .map(|facts| {
            (
                facts.tool,
                serde_json::from_str(facts.example).unwrap_or_default(),
            )
        })
        .filter(|(tool, _)| tools.iter().any(|known| known == tool))
        .collect();
    assert!(!examples.is_empty());
    session.calls(&examples).await;
    // Log injection: caller-supplied text stays inside its line.
    session
        .call(
            "extract_hackernews",
            json!({"url": "a\r\n2026-01-01 ERROR forged\u{1b}[31m \u{2028} b"}),
        )
        .await;
    session
        .call("extract_hackernews", json!({"url": "plain\nERROR forged"}))
        .await;
    session.hang_up();
    let ended = session.end().await;
    let mut complaints = Vec::new();
    for (what, text) in [("stdout", &ended.raw), ("the log", &ended.log)] {
        for line in text.lines().filter(|line| line.contains(SECRET)) {
            let at = line.find(SECRET).unwrap_or_default();
            let around: String = line.chars().skip(at.saturating_sub(160)).take(240).collect();
            complaints.push(format!("{what} shows a secret: ...{around}"));
        }
    }
    if ended.log.lines().any(|line| {
        line.contains('\u{1b}') || line.starts_with("2026-01-01 ERROR") || line.starts_with("ERROR")
    }) {
        complaints.push("the log holds a forged line".to_owned());
    }
    let sent = upstream.requests().iter().any(|request| {
        request.target.contains(SECRET) || request.headers.iter().any(|(_, value)| value.contains(SECRET))
    });
    if !sent {
        complaints.push("no source was sent its key, so nothing was tried".to_owned());
    }
    if !ended.log.contains("TRACE") {
        complaints.push("nothing was logged at trace level".to_owned());
    }
    verdict(complaints)
}

type Change = fn(&mut tokio::process::Command);

/// What `unshare` is given for a machine on which `/tmp` has no room and cannot be written; `None` where it may not be.
async fn without_tmp() -> Option<Vec<&'static str>> {
    // The program is opened first: it may itself be below /tmp.
    const MOUNTS: &str =
        "exec 3<\"$1\" && shift && mount -t tmpfs -o ro,size=4k none /tmp && exec /proc/self/fd/3 \"$@\"";
    for namespace in [vec!["--mount"], vec!["--user", "--map-root-user", "--mount"]] {
        let words = [&namespace[..], &["sh", "-c", MOUNTS, "sh"]].concat();
        let tried = program("unshare", &[&words[..], &[BINARY, "--version"]].concat())
            .output()
            .await;
        if tried.is_ok_and(|tried| tried.status.success()) {
            return Some(words);
        }
    }
    None
}

/// K03: nothing that a host may omit is required.
async fn odd_surroundings() -> Result<(), Failed> {
    let odd = scratch().join("an odd — folder ü");
    std::fs::create_dir_all(&odd)?;
    let variants: [(&str, Change); 7] = [
        ("no HOME", |command| {
            command.env_remove("HOME").env_remove("FRESHCONTEXT_DATA_DIR");
        }),
        ("an empty PATH", |command| {
            command.env("PATH", "");
        }),
        ("an odd time zone", |command| {
            command
                .env("TZ", "Nowhere/At_All")
                .env("LANG", "C")
                .env("LC_ALL", "C");
        }),
        ("a far time zone", |command| {
            command.env("TZ", "Pacific/Kiritimati");
        }),
        ("a folder that cannot be written", |command| {
            command
                .env("FRESHCONTEXT_DATA_DIR", "/proc/none")
                .current_dir("/proc");
        }),
        ("a data folder that is a file", |command| {
            command.env("FRESHCONTEXT_DATA_DIR", BINARY);
        }),
        ("no folder for temporary files", |command| {
            command.env("TMPDIR", "/none");
        }),
    ];
    let upstream = ScriptedUpstream::start(ordinary).await?;
    for (what, change) in variants {
        let mut command = command(&["stdio"]);
        command
            .current_dir(&odd)
            .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        change(&mut command);
        if what.contains("temporary")
            && let Some(namespace) = without_tmp().await
        {
            command = through("unshare", &namespace, &command);
        }
        let mut session = Session::open(command, MODERN).await;
        let found = session.call("extract_hackernews", json!({"url": what})).await;
        assert!(!found.is_error, "{what}: {}", found.text);
        let retrieved = found.structured["freshcontext"]["retrieved_at"]
            .as_str()
            .unwrap_or_default();
        assert!(retrieved.ends_with('Z'), "{what}: {retrieved}");
        session.hang_up();
        let ended = session.end().await;
        assert!(ended.status.success(), "{what}");
        assert!(ended.log.lines().count() <= 1, "{what}: {}", ended.log);
    }
    Ok(())
}

/// K05: an invalid configuration exits with 2, names the key, and starts nothing.
async fn bad_configuration() -> Result<(), Failed> {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let taken = taken.local_addr().map(|address| (taken, address.to_string()))?;
    let file = |name: &str, text: &str| -> Result<String, Failed> {
        let path = scratch().join(name);
        std::fs::write(&path, text)?;
        Ok(path.display().to_string())
    };
    let unknown = file("unknown.toml", "[limits]\ncall_deadlin_ms = 1\n")?;
    let wrong = file("wrong.toml", "cache = \"perhaps\"\n")?;
    let broken = file("broken.toml", "cache = = 1\n")?;
    let fine = file("fine.toml", "cache = false\n[limits]\nattempts = 1\n")?;
    let mut complaints = Vec::new();
    for (arguments, environment, key) in [
        (
            vec!["stdio", "--config", &unknown],
            None,
            "limits.call_deadlin_ms",
        ),
        (vec!["stdio", "--config", &wrong], None, "cache"),
        (vec!["stdio", "--config", &broken], None, "broken.toml"),
        (
            vec!["stdio", "--config", "none/at/all.toml"],
            None,
            "none/at/all.toml",
        ),
        (vec!["stdio", "--set", "colour=red"], None, "colour"),
        (
            vec!["stdio", "--set", "limits.attempts=many"],
            None,
            "limits.attempts",
        ),
        (
            vec!["stdio", "--set", "disable_sources=nobody"],
            None,
            "disable_sources",
        ),
        (vec!["stdio", "--set", "extra_ca=/none.pem"], None, "extra_ca"),
        (vec!["stdio", "--log", "loud,=x=y"], None, "log"),
        (
            vec!["stdio"],
            Some(("FRESHCONTEXT_LIMIT_ATTEMTPS", "1")),
            "FRESHCONTEXT_LIMIT_ATTEMTPS",
        ),
        (
            vec!["stdio"],
            Some(("FRESHCONTEXT_UPSTREAM", "*=ftp://example.com")),
            "FRESHCONTEXT_UPSTREAM",
        ),
        (
            vec!["stdio"],
            Some(("FRESHCONTEXT_DECAY", "hackernews=-1")),
            "FRESHCONTEXT_DECAY",
        ),
        (vec!["http", "--addr", "somewhere"], None, "http.addr"),
        (vec!["http", "--addr", &taken.1], None, "http.addr"),
        (vec!["http", "--addr", "0.0.0.0:0"], None, "http.token"),
        (vec!["http", "--addr", "[::]:0"], None, "http.token"),
        (
            vec!["http", "--addr", "0.0.0.0:0"],
            Some(("FRESHCONTEXT_HTTP_TOKEN", "x")),
            "shorter than 16 characters",
        ),
        (
            vec!["stdio"],
            Some(("FRESHCONTEXT_EGRESS_DENY", "example.com,192.0.2.0/99")),
            "`192.0.2.0/99`",
        ),
    ] {
        let mut command = command(&arguments);
        if let Some((name, value)) = environment {
            command.env(name, value);
        }
        let done = finish(command, "").await;
        if done.code != Some(2) || !done.stderr.contains(key) || !done.stdout.is_empty() {
            complaints.push(format!(
                "{arguments:?} {environment:?} should name {key}: {done:?}"
            ));
        }
    }
    let done = finish(command(&["settings", "--config", &fine]), "").await;
    if done.code != Some(0)
        || !done
            .stdout
            .lines()
            .any(|line| line.starts_with("limits.attempts") && line.ends_with(" 1"))
    {
        complaints.push(format!("a good file is not read: {done:?}"));
    }
    drop(taken);
    verdict(complaints)
}

/// A client that disconnected before its response is not logged at the default level, whichever of its pipes
/// closes first. Each of these made rmcp's service log an error.
async fn a_client_that_leaves() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|seen: &SeenRequest| {
        let mut answer = ordinary(seen);
        answer.delay_ms = 400;
        answer
    })
    .await?;
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": LEGACY[3],
        "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}}});
    let lists: Vec<String> = (10..60)
        .map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}).to_string())
        .collect();
    for (asked, input_first) in [false, true].into_iter().enumerate() {
        let mut stdio = command(&["stdio"]);
        stdio.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        let mut child = stdio.spawn()?;
        let mut input = child.stdin.take().expect("a pipe");
        let output = child.stdout.take().expect("a pipe");
        let (log, logging) = Log::of(child.stderr.take().expect("a pipe"));
        let params = json!({"name": "extract_hackernews", "arguments": {"url": format!("rust {asked}")}});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        input.write_all(format!("{hello}\n{call}\n").as_bytes()).await?;
        until("the request upstream", async || upstream.requests().len() > asked).await;
        if input_first {
            drop(input);
            tokio::time::sleep(Duration::from_millis(100)).await;
            drop(output);
        } else {
            drop(output);
            // The server may have exited by then.
            let _ = input
                .write_all(format!("{}\n", lists.join("\n")).as_bytes())
                .await;
            drop(input);
        }
        let status = tokio::time::timeout(PATIENCE, child.wait()).await??;
        logging.await?;
        assert!(status.success(), "{input_first}: {status}");
        assert_eq!(log.text(), "", "{input_first}");
    }
    Ok(())
}
