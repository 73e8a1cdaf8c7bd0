//! Tests of line parsing.

use super::*;
use freshcontext_engine::EVALUATE;
use proptest::prelude::*;

fn read_text(line: &str) -> Frame {
    read(&Bytes::copy_from_slice(line.as_bytes()))
}

fn wrong(line: &str) -> (Option<RequestId>, i32) {
    match read_text(line) {
        Frame::Wrong(id, error) => (id, error.code.0),
        other => panic!("{line} gave {other:?}"),
    }
}

#[test]
fn a_tool_call_is_read_with_its_metadata() {
    let line = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":{"q":1},"_meta":{"progressToken":7}}}"#;
    let Frame::Message(message) = read(&Bytes::from_static(line)) else {
        panic!()
    };
    let JsonRpcMessage::Request(request) = *message else {
        panic!()
    };
    assert_eq!(request.id, RequestId::String("a".into()));
    assert!(request.request.get_meta().get_progress_token().is_some());
    let ClientRequest::CallToolRequest(call) = request.request else {
        panic!()
    };
    assert_eq!(call.params.name, "x");
    assert_eq!(call.params.arguments.unwrap()["q"], 1);
}

#[test]
fn what_is_to_be_judged_stays_text() {
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments":{arguments},"name":"{EVALUATE}"}}}}"#
        )
    };
    for arguments in [
        r#"{"profile": "p", "intent": "i", "signals": [{"source": "a \u00e9"}]}"#,
        r#"{"signals": [["a", "b"]]}"#,
    ] {
        let Frame::Message(message) = read_text(&call(arguments)) else {
            panic!()
        };
        let JsonRpcMessage::Request(request) = *message else {
            panic!()
        };
        let ClientRequest::CallToolRequest(request) = request.request else {
            panic!()
        };
        assert_eq!(request.params.arguments, None);
        let evaluation = request.extensions.get::<EvaluationCall>().unwrap();
        assert_eq!(evaluation.arguments.json(), arguments.as_bytes());
    }
    assert_eq!(wrong(&call("[]")), (Some(RequestId::Number(1)), -32602));
    assert_eq!(wrong(&call("{]")), (Some(RequestId::Number(1)), -32700));
}

#[test]
fn our_reader_and_rmcps_agree_on_a_tool_call() {
    let line = br#"{"method":"tools/call","params":{"_meta":{"k":"v"},"name":"x"},"id":-3,"jsonrpc":"2.0"}"#;
    let Frame::Message(ours) = read(&Bytes::from_static(line)) else {
        panic!()
    };
    let theirs: ClientJsonRpcMessage = serde_json::from_slice(line).unwrap();
    assert_eq!(
        serde_json::to_value(ours).unwrap(),
        serde_json::to_value(theirs).unwrap()
    );
}

#[test]
fn probes_and_refused_requests_begin_nothing() {
    let meta = |version: &str| {
        format!(
            r#"{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{{}}}}"#
        )
    };
    let line = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
    };
    let with = |version: &str| format!(r#"{{"_meta":{}}}"#, meta(version));
    let hello =
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#;
    for (line, expected) in [
        (line("initialize", hello), true),
        (line("tools/list", &with("2026-07-28")), true),
        (line("no/such", &with("2026-07-28")), true),
        (line("tools/list", &with("2199-01-01")), false),
        (line("tools/list", "{}"), false),
        (line("ping", "{}"), false),
        (line("server/discover", &with("2026-07-28")), false),
    ] {
        let Frame::Message(message) = read_text(&line) else {
            panic!("{line}")
        };
        let JsonRpcMessage::Request(request) = *message else {
            panic!("{line}")
        };
        assert_eq!(begins(&request.request), expected, "{line}");
    }
}

#[test]
fn wrong_lines_get_the_specified_codes() {
    assert_eq!(wrong("{oops"), (None, -32700));
    assert_eq!(wrong("\u{0}"), (None, -32700));
    assert_eq!(wrong("[]"), (None, -32600));
    assert_eq!(wrong(r#"["2.0",1,"ping"]"#), (None, -32600));
    assert_eq!(
        wrong(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#),
        (None, -32600)
    );
    assert_eq!(wrong("7"), (None, -32600));
    assert_eq!(
        wrong(r#"{"id":1,"method":"ping"}"#),
        (Some(RequestId::Number(1)), -32600)
    );
    assert_eq!(
        wrong(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
        (None, -32600)
    );
    assert_eq!(
        wrong(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#),
        (None, -32600)
    );
    assert_eq!(
        wrong(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#),
        (None, -32600)
    );
    assert_eq!(
        wrong(r#"{"jsonrpc":"2.0","id":4,"method":9}"#),
        (Some(RequestId::Number(4)), -32600)
    );
    assert_eq!(
        wrong(r#"{"jsonrpc":"2.0","id":5}"#),
        (Some(RequestId::Number(5)), -32600)
    );
    let call = r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"x","arguments":[]}}"#;
    assert_eq!(wrong(call), (Some(RequestId::Number(6)), -32602));
    assert_eq!(
        wrong(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#),
        (Some(RequestId::Number(7)), -32602)
    );
}

#[test]
fn what_cannot_be_read_is_answered_by_its_id() {
    let seven = Some(RequestId::Number(7));
    for (line, code) in [
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"q":"\ud800"}}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x","arguments":{"q":1e400}},"id":7}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"\ud800"},"id":7}"#,
            -32700,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"a":1e400}}}"#,
            -32700,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\ud800"}}"#,
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"id":8"#,
            -32700,
        ),
        (r#"{"params":[{"id":8}],"id":7,"method":}"#, -32700),
        (r#"{"id":7,"method":"\ud800"}"#, -32700),
    ] {
        assert_eq!(wrong(line), (seven.clone(), code), "{line}");
    }
    let mut broken = br#"{"id":7,"method":""#.to_vec();
    broken.push(0xff);
    assert_eq!(find_id(&broken), seven);
    for line in [
        r#"{"id":"\ud800","method":"ping"}"#,
        r#"{"id":7,"id":8,"method":}"#,
        r#"{"id":1e400,"method":"ping"}"#,
        r#"{"params":{"id":7},"method":}"#,
        r#"["id",7"#,
    ] {
        assert_eq!(wrong(line).0, None, "{line}");
    }
}

#[test]
fn what_needs_no_answer_is_passed_over() {
    for line in [
        "",
        "   ",
        "\r",
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/whatever","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[5]}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}"#,
    ] {
        assert!(matches!(read_text(line), Frame::Nothing), "{line}");
    }
}

#[test]
fn a_cancellation_names_a_request() {
    for (id, expected) in [
        ("5", RequestId::Number(5)),
        ("\"five\"", RequestId::String("five".into())),
    ] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"reason":"late","requestId":{id}}}}}"#
        );
        assert!(
            matches!(read_text(&line), Frame::Cancelled(found) if found == expected),
            "{line}"
        );
    }
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let line = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    assert!(matches!(read_text(line), Frame::Message(_)));
}

#[test]
fn ids_at_the_edges_are_kept_exactly() {
    for id in ["0", "\"\"", "9007199254740993", "-1"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let Frame::Message(message) = read_text(&line) else {
            panic!("{id}")
        };
        assert_eq!(serde_json::to_value(message).unwrap()["id"].to_string(), id);
    }
}

proptest! {
    #[test]
    fn no_line_panics(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        let _ = read(&Bytes::from(bytes));
    }
}
