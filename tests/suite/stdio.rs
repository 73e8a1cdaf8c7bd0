//! MCP over stdio, line by line against a real process: groups D and K of the fault matrix.

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::composites::landscape;
use crate::process::{LEGACY, MODERN, Session, command, outcome};
use crate::run::block_on;
use crate::upstreams::{Stalled, ordinary};
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("stdio::both_eras", || block_on(both_eras())),
        Trial::test("stdio::odd_lines", || block_on(odd_lines())),
        Trial::test("stdio::half_a_line_at_the_end", || block_on(half_a_line())),
        Trial::test("stdio::long_lines", || block_on(long_lines())),
        Trial::test("stdio::batches", || block_on(batches())),
        Trial::test("stdio::ids", || block_on(ids())),
        Trial::test("stdio::revisions", || block_on(revisions())),
        Trial::test("stdio::unknown", || block_on(unknown())),
        Trial::test("stdio::same_list_each_time", || block_on(same_list())),
        Trial::test("stdio::cancelled_in_the_body", || block_on(cancelled())),
        Trial::test(
            "stdio::cancelled_early_late_twice",
            || block_on(cancelled_oddly()),
        ),
        Trial::test("stdio::progress", || block_on(progress())),
    ]
}

fn legacy() -> tokio::process::Command {
    command(&["stdio"])
}

/// Every revision lists the same tools, answers a call and reports a bad one in the result.
async fn both_eras() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let mut lists = Vec::new();
    for version in LEGACY.into_iter().chain([MODERN]) {
        let mut command = legacy();
        command.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        let mut session = Session::open(command, version).await;
        let list = session.ask("tools/list", json!({})).await;
        lists.push((version, list["result"]["tools"].clone()));
        assert!(
            version != MODERN || list["result"]["ttlMs"].is_u64(),
            "{version} wants to know for how long"
        );
        let found = session.call("extract_hackernews", json!({"url": version})).await;
        assert!(!found.is_error, "{version}: {}", found.text);
        assert_eq!(found.items()[0]["title"], format!("About {version}"));
        assert!(found.text.starts_with("[FRESHCONTEXT]"), "{}", found.text);
        let bad = session.call("extract_hackernews", json!({"url": ""})).await;
        assert!(bad.is_error, "{version}");
        assert_eq!(
            (bad.code(), &bad.structured["field"]),
            ("invalid_input", &json!("url"))
        );
        session.hang_up();
        let ended = session.end().await;
        assert!(
            ended.status.success() && ended.messages.is_empty(),
            "{:?}",
            ended.messages
        );
    }
    let (_, first) = &lists[0];
    verdict(
        lists
            .iter()
            .filter(|(_, list)| list != first)
            .map(|(version, _)| format!("{version} lists other tools than {}", LEGACY[0]))
            .collect(),
    )
}

/// D01: an invalid JSON-RPC message is answered as specified, or not at all, and the session continues.
async fn odd_lines() -> Result<(), Failed> {
    let mut session = Session::open(legacy(), LEGACY[3]).await;
    let ping = |id: &str| json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string();
    let mut complaints = Vec::new();
    for (what, bytes, codes) in [
        ("an empty line", b"\n".to_vec(), &[][..]),
        ("blanks", b"  \t \r\n".to_vec(), &[]),
        ("no JSON", b"{oops\n".to_vec(), &[-32_700]),
        ("words", b"hello there\n".to_vec(), &[-32_700]),
        ("NUL bytes", b"\0\0\0\n".to_vec(), &[-32_700]),
        (
            "invalid UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n".to_vec(),
            &[-32_700],
        ),
        ("a number", b"17\n".to_vec(), &[-32_600]),
        (
            "no version",
            b"{\"id\":null,\"method\":\"ping\"}\n".to_vec(),
            &[-32_600],
        ),
        (
            "an answer",
            b"{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n".to_vec(),
            &[],
        ),
        (
            "a notification nobody knows",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/none\",\"params\":{\"a\":1}}\n".to_vec(),
            &[],
        ),
        (
            "a lone surrogate",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\"}\n".to_vec(),
            &[-32_700],
        ),
    ] {
        session.write(&bytes).await;
        session.write(format!("{}\n", ping(what)).as_bytes()).await;
        let mut messages = session.until(what).await;
        messages.pop();
        let found: Vec<i64> = messages
            .iter()
            .map(|message| message["error"]["code"].as_i64().unwrap_or_default())
            .collect();
        // A readable id gets an answer.
        let id = if what == "invalid UTF-8" {
            json!(1)
        } else {
            Value::Null
        };
        if found != codes || messages.iter().any(|message| message["id"] != id) {
            complaints.push(format!("{what}: {messages:?}"));
        }
    }
    for (what, line) in [
        ("crlf", format!("{}\r\n", ping("crlf"))),
        ("bom", format!("\u{feff}{}\n", ping("bom"))),
        ("spaces", format!("  {}  \n", ping("spaces"))),
    ] {
        session.write(line.as_bytes()).await;
        assert_eq!(session.until(what).await.len(), 1, "{what}");
    }
    verdict(complaints)
}

/// D01: a line truncated by the end of the input.
async fn half_a_line() -> Result<(), Failed> {
    let mut session = Session::open(legacy(), LEGACY[3]).await;
    session.write(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"meth").await;
    session.hang_up();
    let ended = session.end().await;
    assert!(ended.status.success());
    assert!(
        ended
            .messages
            .iter()
            .all(|message| message["error"]["code"] == -32_700),
        "{:?}",
        ended.messages
    );
    // A whole message without a line end is still a message.
    let mut session = Session::open(legacy(), LEGACY[3]).await;
    session
        .write(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#)
        .await;
    session.hang_up();
    let ended = session.end().await;
    assert_eq!(ended.messages.len(), 1, "{:?}", ended.messages);
    assert_eq!(ended.messages[0]["id"], "last");
    Ok(())
}

/// D02: an oversized line is dropped with an error, its memory is released, and the next line is served.
async fn long_lines() -> Result<(), Failed> {
    const LIMIT: usize = 256 << 10;
    let mut command = legacy();
    command.env("FRESHCONTEXT_LIMIT_STDIO_LINE_BYTES", LIMIT.to_string());
    let mut session = Session::open(command, LEGACY[3]).await;
    let padded = |id: &str, bytes: usize| {
        let bare = json!({"jsonrpc": "2.0", "id": id, "method": "ping", "params": {"pad": ""}}).to_string();
        bare.replace(
            "\"pad\":\"\"",
            &format!("\"pad\":\"{}\"", "x".repeat(bytes - bare.len())),
        )
    };
    let most = padded("most", LIMIT);
    assert_eq!(most.len(), LIMIT);
    session.write(format!("{most}\n").as_bytes()).await;
    assert_eq!(
        session.until("most").await.len(),
        1,
        "a line at the limit is served"
    );
    let over = padded("over", LIMIT + 1);
    session.write(format!("{over}\n").as_bytes()).await;
    let dropped = session.next().await.unwrap_or_default();
    assert_eq!(dropped["error"]["code"], -32_600, "{dropped}");
    assert_eq!(dropped["id"], "over", "{dropped}");
    let before = peak_memory(session.process());
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        session.write(&chunk).await;
    }
    let ping = json!({"jsonrpc": "2.0", "id": "after", "method": "ping"});
    session.write(format!("\n{ping}\n").as_bytes()).await;
    let messages = session.until("after").await;
    assert_eq!(messages.len(), 2, "one error for the whole of it: {messages:?}");
    if let (Some(before), Some(after)) = (before, peak_memory(session.process())) {
        // The kernel counts pages by processor, so that a later figure may be a little below an earlier one.
        let more = after.saturating_sub(before);
        assert!(more <= LIMIT + (1 << 20), "{more} bytes more");
    }
    Ok(())
}

/// Returns the peak memory of a process, in bytes.
fn peak_memory(process: u32) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok()? * 1024)
}

/// D03: a batch of any length is refused in one response.
async fn batches() -> Result<(), Failed> {
    let mut session = Session::open(legacy(), LEGACY[3]).await;
    let one = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let many = Value::from(vec![one.clone(); 10_000]);
    for batch in [json!([]), json!([one]), json!([[one]]), many] {
        session.send(&batch).await;
        let refused = session.next().await.unwrap_or_default();
        assert_eq!(refused["error"]["code"], -32_600, "{refused}");
    }
    session.ask("ping", json!({})).await;
    Ok(())
}

/// D04: an id is echoed exactly or refused; an id in use is refused.
async fn ids() -> Result<(), Failed> {
    let upstream = Stalled::start().await;
    let mut command = legacy();
    command.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
    let mut session = Session::open(command, LEGACY[3]).await;
    for id in [
        json!(0),
        json!(-1),
        json!(""),
        json!(9_007_199_254_740_993_i64),
        json!("x".repeat(1 << 20)),
    ] {
        session
            .send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
            .await;
        let answer = session.next().await.unwrap_or_default();
        assert_eq!(answer["id"], id);
        assert!(answer["result"].is_object(), "{}", answer["error"]);
    }
    for id in [Value::Null, json!(1.5), json!({}), json!([1]), json!(true)] {
        session
            .send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
            .await;
        let answer = session.next().await.unwrap_or_default();
        assert_eq!(answer["error"]["code"], -32_600, "{id}: {answer}");
        assert!(answer["id"].is_null(), "{id}: {answer}");
    }
    let params = json!({"name": "extract_hackernews", "arguments": {"url": "rust"}});
    let slow = json!({"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": params});
    session.send(&slow).await;
    let half = upstream.half_answered().await;
    session
        .send(&json!({"jsonrpc": "2.0", "id": "same", "method": "ping"}))
        .await;
    let answer = session.next().await.unwrap_or_default();
    assert_eq!(answer["error"]["code"], -32_600, "{answer}");
    assert!(
        answer["id"].is_null(),
        "it does not take the open call's reply: {answer}"
    );
    drop(half);
    let answer = session.until("same").await.remove(0);
    assert!(
        outcome(&answer).is_error,
        "the first one is answered too: {answer}"
    );
    session.ask("ping", json!({})).await;
    Ok(())
}

/// D05: messages out of order, and unknown revisions.
async fn revisions() -> Result<(), Failed> {
    let mut session = Session::silent(legacy());
    let bare = |id: i64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    session.send(&bare(1, "tools/list", json!({}))).await;
    let answer = session.next().await.unwrap_or_default();
    assert_eq!(answer["error"]["code"], -32_602, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .contains("protocolVersion"),
        "{answer}"
    );
    let hello = json!({"protocolVersion": "1900-01-01", "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}});
    session.send(&bare(2, "initialize", hello)).await;
    let answer = session.next().await.unwrap_or_default();
    assert_eq!(
        answer["result"]["protocolVersion"], LEGACY[3],
        "the newest that has a handshake: {answer}"
    );

    let mut session = Session::open(legacy(), MODERN).await;
    let strange = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2199-01-01", "io.modelcontextprotocol/clientCapabilities": {}}});
    session.send(&bare(3, "tools/list", strange)).await;
    let answer = session.next().await.unwrap_or_default();
    assert_eq!(answer["error"]["code"], -32_022, "{answer}");
    let supported = answer["error"]["data"]["supported"].as_array();
    assert!(
        supported.is_some_and(|all| all.contains(&json!(MODERN)) && all.contains(&json!(LEGACY[0]))),
        "{answer}"
    );
    let halved = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}});
    session.send(&bare(4, "tools/list", halved)).await;
    let answer = session.next().await.unwrap_or_default();
    assert_eq!(answer["error"]["code"], -32_602, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .contains("clientCapabilities"),
        "{answer}"
    );
    session.ask("tools/list", json!({})).await;
    Ok(())
}

/// D06: unknown methods, tools, notifications; undeclared capabilities are absent.
async fn unknown() -> Result<(), Failed> {
    for version in [LEGACY[0], LEGACY[3], MODERN] {
        let mut session = Session::open(legacy(), version).await;
        for method in ["no/such", "tasks/list", "resources/directory/read"] {
            let answer = session.ask(method, json!({})).await;
            assert_eq!(answer["error"]["code"], -32_601, "{version} {method}: {answer}");
        }
        for params in [
            json!({"name": "no_such_tool"}),
            json!({"name": "extract_hackernews\n", "arguments": {}}),
            json!({"name": 5, "arguments": {}}),
            json!({"arguments": {}}),
            json!({"name": "extract_hackernews", "arguments": [1]}),
            json!({"name": "extract_hackernews", "arguments": "url=rust"}),
        ] {
            let answer = session.ask("tools/call", params.clone()).await;
            assert_eq!(answer["error"]["code"], -32_602, "{version} {params}: {answer}");
        }
        let answer = session.ask("tools/list", json!({"cursor": "forged"})).await;
        assert_eq!(answer["error"]["code"], -32_602, "{answer}");
        let echo = session.ask(&"x".repeat(10_000), json!({})).await.to_string();
        assert!(echo.len() < 1_000, "an error of {} bytes", echo.len());
    }
    Ok(())
}

/// A02: the list has the same bytes for any client at any time.
async fn same_list() -> Result<(), Failed> {
    let mut first = String::new();
    for version in [MODERN, MODERN] {
        let mut session = Session::open(legacy(), version).await;
        for _ in 0..500 {
            session.raw.clear();
            let list = session.ask("tools/list", json!({})).await;
            // From the result on, because the id before it is incremented.
            let bytes = session
                .raw
                .replacen(&format!("\"id\":{}", list["id"]), "\"id\":0", 1);
            if first.is_empty() {
                first = bytes;
            } else {
                assert!(bytes == first, "two lists differ");
            }
        }
    }
    Ok(())
}

/// D14: cancelling in the middle of a body closes the socket within 200 ms, without a response.
async fn cancelled() -> Result<(), Failed> {
    let upstream = Stalled::start().await;
    let mut session = Session::with_upstream(&upstream.base()).await;
    let mut best = std::time::Duration::MAX;
    // The limit applies to the server; the best of a few attempts excludes a busy machine's delays.
    for word in ["one", "two", "three"] {
        let params = json!({"name": "extract_hackernews", "arguments": {"url": word}});
        let id = session.request("tools/call", params).await;
        let half = upstream.half_answered().await;
        session
            .send(
                &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
            )
            .await;
        best = best.min(Stalled::time_to_close(half).await);
        session.ask("tools/list", json!({})).await;
    }
    assert!(best.as_millis() <= 200, "the socket was closed after {best:?}");
    session.hang_up();
    let ended = session.end().await;
    assert!(
        ended.messages.is_empty(),
        "answered after the cancel: {:?}",
        ended.messages
    );
    Ok(())
}

/// D14: cancellations that come early, late, twice, or without a request.
async fn cancelled_oddly() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let mut session = Session::with_upstream(&upstream.base()).await;
    let cancel = |id: Value| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    session.send(&cancel(json!("never sent"))).await;
    session.send(&cancel(Value::Null)).await;
    session
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}))
        .await;
    let found = session.call("extract_hackernews", json!({"url": "one"})).await;
    assert!(!found.is_error, "{}", found.text);
    let last = session
        .request(
            "tools/call",
            json!({"name": "extract_hackernews", "arguments": {"url": "two"}}),
        )
        .await;
    assert_eq!(session.until(last).await.len(), 1);
    session.send(&cancel(json!(last))).await;
    session.send(&cancel(json!(last))).await;
    // Both in one write: whatever the order, at most one response arrives.
    let early = session.message(
        900,
        "tools/call",
        json!({"name": "extract_hackernews", "arguments": {"url": "three"}}),
    );
    session
        .write(format!("{early}\n{}\n", cancel(json!(900))).as_bytes())
        .await;
    session.hang_up();
    let ended = session.end().await;
    assert!(ended.status.success());
    assert!(ended.messages.len() <= 1, "{:?}", ended.messages);
    assert!(
        ended.messages.iter().all(|message| message["id"] == 900),
        "{:?}",
        ended.messages
    );
    Ok(())
}

/// D15: progress of a composite rises, has its token, and ends with the response; without a token there is
/// none.
async fn progress() -> Result<(), Failed> {
    let (tool, arguments) = landscape()?;
    let upstream = ScriptedUpstream::start(ordinary).await?;
    for version in [LEGACY[0], MODERN] {
        let mut command = legacy();
        command
            .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
            .env("FRESHCONTEXT_LIMIT_ATTEMPTS", "1");
        let mut session = Session::open(command, version).await;
        for token in [json!("a token"), json!(7)] {
            let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": token}});
            let id = session.request("tools/call", params).await;
            let mut messages = session.until(id).await;
            let answer = outcome(&messages.pop().unwrap_or_default());
            let sections = answer.structured["sections"].as_array().map_or(0, Vec::len);
            assert!(sections > 1, "{}", answer.structured);
            let steps: Vec<f64> = messages
                .iter()
                .filter_map(|step| step["params"]["progress"].as_f64())
                .collect();
            assert!(
                steps.len() == messages.len() && steps.windows(2).all(|pair| pair[0] < pair[1]),
                "{messages:?}"
            );
            assert!(steps.len() <= sections, "{messages:?}");
            for step in &messages {
                assert_eq!(step["method"], "notifications/progress", "{step}");
                assert_eq!(step["params"]["progressToken"], token, "{step}");
                assert_eq!(step["params"]["total"].as_f64(), Some(sections as f64), "{step}");
            }
            // `ask` fails on any other message.
            session.ask("tools/list", json!({})).await;
        }
        session.call(tool, arguments.clone()).await;
    }
    Ok(())
}
