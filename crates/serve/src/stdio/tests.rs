//! A whole stdio session over two in-memory streams.

use std::sync::atomic::Ordering;
use std::time::Duration;

use freshcontext_contract::Limits;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};

use super::serve_streams;
use freshcontext_echo::{engine_with, settings, until};
use freshcontext_mcp::McpServer;

struct Client {
    to: DuplexStream,
    from: Lines<BufReader<DuplexStream>>,
    task: tokio::task::JoinHandle<()>,
    upstream: std::sync::Arc<freshcontext_echo::Silent>,
}

fn start() -> Client {
    let (engine, upstream) = engine_with(&settings());
    let (to, input) = tokio::io::duplex(1 << 16);
    let (output, from) = tokio::io::duplex(1 << 20);
    let limits = Limits {
        stdio_line_bytes: 1 << 16,
        ..Limits::DEFAULT
    };
    let task = tokio::spawn(async move {
        let served = Box::pin(serve_streams(McpServer::new(engine), input, output, &limits)).await;
        served.unwrap();
    });
    Client {
        to,
        from: BufReader::new(from).lines(),
        task,
        upstream,
    }
}

impl Client {
    async fn say(&mut self, line: &str) {
        self.to.write_all(line.as_bytes()).await.unwrap();
        self.to.write_all(b"\n").await.unwrap();
    }

    async fn request(&mut self, id: i64, method: &str, params: Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())
            .await;
    }

    async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(10), self.from.next_line())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        self.request(0, "initialize", params).await;
        let answer = self.hear().await;
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        answer
    }
}

#[tokio::test]
async fn every_revision_with_a_handshake_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = start();
        let answer = client.initialize(version).await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        let offered = json!({
            "tools": {},
            "resources": {},
            "prompts": {},
            "completions": {},
            "extensions": {
                "io.modelcontextprotocol/skills": {},
                "io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]},
            },
        });
        assert_eq!(answer["result"]["capabilities"], offered);
        client
            .request(
                1,
                "tools/call",
                json!({"name": "extract_echo", "arguments": {"url": "rust"}}),
            )
            .await;
        let answer = client.hear().await;
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        assert_eq!(answer["result"].get("resultType"), None);
    }
}

#[tokio::test]
async fn the_revision_without_a_handshake_is_spoken() {
    let mut client = start();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    client.request(1, "server/discover", json!({"_meta": meta})).await;
    let found = client.hear().await;
    assert!(
        found["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28"))
    );
    client.request(2, "tools/list", json!({"_meta": meta})).await;
    let list = client.hear().await;
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["cacheScope"], "public");
    assert!(list["result"]["ttlMs"].as_u64().unwrap() > 0);
    client.request(3, "ping", json!({"_meta": meta})).await;
    assert_eq!(client.hear().await["error"]["code"], -32601);
    client
        .request(
            4,
            "tools/call",
            json!({"name": "extract_echo", "arguments": {"url": "rust"}}),
        )
        .await;
    assert_eq!(
        client.hear().await["error"]["code"],
        -32602,
        "metadata is required"
    );
}

#[tokio::test]
async fn what_is_not_offered_is_not_found_and_bad_lines_end_nothing() {
    let mut client = start();
    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    client.say(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#).await;
    client.initialize("2025-11-25").await;
    for method in ["tasks/list", "nonsense/x"] {
        let params =
            json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}});
        client.request(1, method, params).await;
        assert_eq!(client.hear().await["error"]["code"], -32601, "{method}");
    }
    client.say("{oops").await;
    assert_eq!(client.hear().await["error"]["code"], -32700);
    client.say(&"x".repeat(70_000)).await;
    assert_eq!(client.hear().await["error"]["code"], -32600);
    let long =
        json!({"jsonrpc": "2.0", "id": "long", "method": "ping", "params": {"a": "x".repeat(200_000)}});
    client.say(&long.to_string()).await;
    let refused = client.hear().await;
    assert_eq!(
        (&refused["error"]["code"], &refused["id"]),
        (&json!(-32600), &json!("long"))
    );
    client.request(2, "tools/call", json!({"name": "nope"})).await;
    assert_eq!(client.hear().await["error"]["code"], -32602);
    client.request(3, "ping", json!({})).await;
    assert_eq!(
        client.hear().await,
        json!({"jsonrpc": "2.0", "id": 3, "result": {}})
    );
}

#[tokio::test]
async fn the_list_of_tools_is_the_same_bytes_each_time() {
    let mut client = start();
    client.initialize("2025-11-25").await;
    let mut lists = Vec::new();
    for _ in 0..3 {
        client.request(1, "tools/list", json!({})).await;
        lists.push(client.from.next_line().await.unwrap().unwrap());
    }
    assert!(lists.windows(2).all(|pair| pair[0] == pair[1]));
    let list: Value = serde_json::from_str(&lists[0]).unwrap();
    for tool in list["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(
            tool["annotations"]["openWorldHint"],
            tool["name"] != "evaluate_context"
        );
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object");
    }
}

#[tokio::test]
async fn a_cancelled_call_is_let_go_and_never_answered() {
    let mut client = start();
    client.initialize("2025-11-25").await;
    client
        .request(
            5,
            "tools/call",
            json!({"name": "extract_echo", "arguments": {"url": "hang"}}),
        )
        .await;
    let upstream = std::sync::Arc::clone(&client.upstream);
    until(|| upstream.asked.load(Ordering::SeqCst) > 0).await;
    client.request(5, "ping", json!({})).await;
    let refused = client.hear().await;
    assert_eq!(
        (&refused["error"]["code"], &refused["id"]),
        (&json!(-32600), &Value::Null),
        "the id is still in use, and its answer is not this one"
    );
    client
        .say(
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x","arguments":{"a":1e400}}}"#,
        )
        .await;
    let refused = client.hear().await;
    assert_eq!(
        (&refused["error"]["code"], &refused["id"]),
        (&json!(-32602), &Value::Null)
    );
    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#)
        .await;
    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#)
        .await;
    client.request(6, "ping", json!({})).await;
    assert_eq!(client.hear().await["id"], 6);
    until(|| upstream.dropped.load(Ordering::SeqCst) > 0).await;
    // The id is free again once the cancelled work has ended, which takes very little time.
    for _ in 0..100 {
        client.request(5, "ping", json!({})).await;
        if client.hear().await["id"] == 5 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the id is not free again");
}

#[tokio::test]
async fn progress_comes_before_the_answer_and_only_where_asked_for() {
    let mut client = start();
    client.initialize("2025-11-25").await;
    let given = json!({"first": {"url": "a"}, "second": {"url": "b"}});
    let params = json!({"name": "extract_both", "arguments": given, "_meta": {"progressToken": "t"}});
    client.request(1, "tools/call", params).await;
    for done in [1.0, 2.0] {
        let note = client.hear().await;
        assert_eq!(note["method"], "notifications/progress");
        assert_eq!(note["params"]["progressToken"], "t");
        assert_eq!(note["params"]["progress"].as_f64(), Some(done));
        assert_eq!(note["params"]["total"].as_f64(), Some(2.0));
    }
    assert_eq!(client.hear().await["id"], 1);
    client
        .request(
            2,
            "tools/call",
            json!({"name": "extract_both", "arguments": given}),
        )
        .await;
    assert_eq!(client.hear().await["id"], 2);
}

#[tokio::test]
async fn everything_asked_before_the_end_of_input_is_answered() {
    let mut client = start();
    client.initialize("2025-11-25").await;
    for id in 1..=20 {
        client
            .request(
                id,
                "tools/call",
                json!({"name": "extract_echo", "arguments": {"url": "x"}}),
            )
            .await;
    }
    // The last line has no terminator.
    client
        .to
        .write_all(br#"{"jsonrpc":"2.0","id":21,"method":"ping"}"#)
        .await
        .unwrap();
    client.to.shutdown().await.unwrap();
    let mut ids = Vec::new();
    while let Some(line) = client.from.next_line().await.unwrap() {
        let answer: Value = serde_json::from_str(&line).unwrap();
        ids.push(answer["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (1..=21).collect::<Vec<_>>());
    client.task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_hanging_call_does_not_hold_up_the_end() {
    let mut client = start();
    client.initialize("2025-11-25").await;
    client
        .request(
            1,
            "tools/call",
            json!({"name": "extract_echo", "arguments": {"url": "hang"}}),
        )
        .await;
    client.to.shutdown().await.unwrap();
    let started = tokio::time::Instant::now();
    let told = client.hear().await;
    assert_eq!((&told["id"], &told["error"]["code"]), (&json!(1), &json!(-32000)));
    client.task.await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_judgement_written_as_text_is_the_one_that_is_built_as_a_tree() {
    let given = json!({"profile": "official_docs", "intent": "citation_check", "now": "2026-06-09T12:00:00Z", "signals": [
        {"source": "https://docs.example.org/a", "title": "Quoted \"title\" \u{1f600}", "semantic_score": 0.75},
        {"source": "notes/7.md", "content": "line\nline", "published_at": "2026-06-08T10:00:00Z"},
    ]});
    let mut client = start();
    client.initialize("2025-11-25").await;
    let params = json!({"name": freshcontext_engine::EVALUATE, "arguments": given});
    client.request(1, "tools/call", params).await;
    let line = client.from.next_line().await.unwrap().unwrap();
    assert_eq!(line.matches("structuredContent").count(), 1, "{line}");
    let answer: Value = serde_json::from_str(&line).unwrap();
    let (engine, _) = engine_with(&settings());
    let tree = engine
        .call(
            freshcontext_engine::EVALUATE,
            given.as_object().unwrap().clone(),
            freshcontext_engine::CallContext::default(),
        )
        .await
        .unwrap()
        .written();
    assert_eq!(answer["result"]["structuredContent"], tree.structured);
    assert_eq!(answer["result"]["content"][0]["text"], tree.text);
    assert_eq!(answer["result"]["isError"], false);
}

#[tokio::test]
async fn a_judgement_is_the_same_wherever_its_arguments_stand() {
    let given = r#"{"profile":"official_docs","intent":"citation_check","now":"2026-06-09T12:00:00Z","signals":[{"source":"notes/7.md","content":"{\"arguments\": {}}","published_at":"2026-06-08T10:00:00Z"}]}"#;
    let name = freshcontext_engine::EVALUATE;
    let mut client = start();
    client.initialize("2025-11-25").await;
    let mut judged = Vec::new();
    for params in [
        format!(r#""name":"{name}","arguments":{given}"#),
        format!(r#""arguments" : {given}, "name" : "{name}""#),
        format!(r#""_meta":{{"arguments":{{}}}},"name":"{name}","arguments":{given}"#),
        format!(r#""name":"{name}","argu\u006dents":{given}"#),
    ] {
        let line = format!(r#"{{"params":{{{params}}},"method":"tools/call","id":1,"jsonrpc":"2.0"}}"#);
        client.say(&line).await;
        judged.push(client.hear().await["result"]["structuredContent"].clone());
    }
    assert_eq!(judged[0]["results"].as_array().unwrap().len(), 1, "{}", judged[0]);
    for other in &judged[1..] {
        assert_eq!(*other, judged[0]);
    }
}

#[tokio::test]
async fn what_is_wrong_in_plain_arguments_is_named() {
    let mut client = start();
    client.initialize("2025-11-25").await;
    for (source, title, expected) in [
        // A bad signal costs itself only.
        ("\"\"", "\"a\"", Some("needs_verification")),
        ("[]", "\"a\"", Some("needs_verification")),
        ("\"a.example\"", "{}", Some("exclude")),
        // No JSON parser can represent it, so every tool rejects the message before it evaluates anything.
        ("1e999", "\"a\"", None),
    ] {
        let arguments = format!(
            r#"{{"profile":"official_docs","intent":"citation_check","signals":[{{"source":{source},"title":{title}}}]}}"#
        );
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}","arguments":{arguments}}}}}"#,
            freshcontext_engine::EVALUATE
        );
        client.say(&line).await;
        let answer = client.hear().await;
        let Some(decision) = expected else {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert!(
                answer["error"]["message"].as_str().unwrap().contains("1e400"),
                "{answer}"
            );
            continue;
        };
        let results = &answer["result"]["structuredContent"]["results"];
        assert_eq!(results[0]["decision"], decision, "{answer}");
    }
}
