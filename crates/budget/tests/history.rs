//! Histories, as properties over random ones in every format.

mod written;

use freshcontext_budget::Tokenizer;
use freshcontext_budget::history::{Form, Options, Oversize, truncate_history};
use proptest::prelude::*;
use serde_json::{Value, json};

use written::{Exchange, events, exchanges, is_valid, written};

fn form() -> impl Strategy<Value = Form> {
    prop::sample::select(Form::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn what_is_kept_is_valid_for_its_vendor(
        exchanges in exchanges(), form in form(), system in any::<bool>(), max_tokens in 64_usize..900, cut in any::<bool>(),
        told in any::<bool>(),
    ) {
        let history = written(&exchanges, form, system);
        prop_assert_eq!(is_valid(form, &history), Ok(()));
        let oversize = if cut { Oversize::Cut } else { Oversize::Error };
        let options = Options { max_tokens, oversize, form: told.then_some(form), ..Options::default() };
        let given = Value::Array(history.clone());
        let result = match truncate_history(&given, &options) {
            Ok(result) => result,
            Err(error) => {
                prop_assert!(error.field.as_deref().is_some_and(|field| field.starts_with("messages[")), "{error}");
                return Ok(());
            }
        };
        let record = &result.record;
        let kept = result.history.as_array().expect("a list").clone();
        prop_assert!(record.tokens_after <= max_tokens, "{record:?}");
        prop_assert_eq!(kept.len(), record.messages_after);
        prop_assert!(!kept.is_empty());

        // Every message is either kept or named as dropped, in order.
        let is_dropped = |at: usize| record.dropped.iter().any(|range| (range.from..=range.to).contains(&at));
        let left: Vec<&Value> = history.iter().enumerate().filter(|(at, _)| !is_dropped(*at)).map(|(_, message)| message).collect();
        prop_assert_eq!(left.len(), kept.len());
        if record.cut.is_empty() {
            prop_assert!(left.iter().zip(&kept).all(|(one, other)| **one == *other));
        }
        prop_assert_eq!(is_valid(form, &kept), Ok(()), "{:?}", record);
        // The newest stays, and so do instructions.
        prop_assert_eq!(events(form, &history).last().map(|event| event.0), events(form, &kept).last().map(|event| event.0));
        let instructions = |history: &[Value]| events(form, history).iter().filter(|event| event.0 == "system").count();
        prop_assert_eq!(instructions(&history), instructions(&kept));
        // What is kept is counted the same alone, and keeps itself.
        let again = truncate_history(&result.history, &Options { form: Some(form), ..options }).expect("it fits");
        prop_assert_eq!(again.record.tokens_before, record.tokens_after);
        prop_assert!(again.record.dropped.is_empty() && again.record.cut.is_empty());
        prop_assert_eq!(again.history, result.history);
    }

    #[test]
    fn more_room_never_keeps_less(exchanges in exchanges(), form in form(), max_tokens in 64_usize..600) {
        let history = Value::Array(written(&exchanges, form, true));
        let kept = |max_tokens| truncate_history(&history, &Options { max_tokens, form: Some(form), ..Options::default() })
            .map_or(0, |result| result.record.messages_after);
        prop_assert!(kept(max_tokens) <= kept(max_tokens + 100));
    }
}

fn recognised(history: &Value) -> Option<Form> {
    let result = truncate_history(history, &Options::default()).ok()?;
    Some(result.record.form)
}

#[test]
fn forms_are_recognised_by_what_only_they_have() {
    let exchanges = [Exchange::with_a_call("a", "b", "c")];
    for form in Form::ALL {
        let history = Value::Array(written(&exchanges, form, false));
        assert_eq!(recognised(&history), Some(form), "{history}");
    }
    let beside =
        json!({"system": "Be brief.", "max_tokens": 10, "messages": [{"role": "user", "content": "a"}]});
    let result = truncate_history(&beside, &Options::default()).unwrap();
    assert_eq!(
        (result.record.form, &result.history),
        (Form::AnthropicMessages, &beside)
    );
    let responses = json!({"instructions": "Be brief.", "input": [{"role": "user", "content": "a"}]});
    assert_eq!(recognised(&responses), Some(Form::OpenaiResponses));
}

#[test]
fn a_message_larger_than_the_budget_is_named_or_cut() {
    let long = "A sentence of some words. ".repeat(200);
    let history = json!([{"role": "user", "content": "old"}, {"role": "user", "content": long}]);
    let options = Options {
        max_tokens: 200,
        ..Options::default()
    };
    let error = truncate_history(&history, &options).unwrap_err();
    assert_eq!(error.field.as_deref(), Some("messages[1]"));
    assert!(error.message.contains("tokens"), "{}", error.message);
    let cut = truncate_history(
        &history,
        &Options {
            oversize: Oversize::Cut,
            ..options
        },
    )
    .unwrap();
    assert_eq!(cut.record.cut[0].message, 1);
    assert!((150..=200).contains(&cut.record.tokens_after), "{:?}", cut.record);
    let text = cut.history[0]["content"].as_str().unwrap();
    assert!(
        text.ends_with("words.\n[...]") && long.starts_with(text.trim_end_matches("\n[...]")),
        "{text}"
    );
}

#[test]
fn what_cannot_be_counted_is_said_to_be_an_estimate() {
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}});
    let history = json!([{"role": "user", "content": [image, {"type": "text", "text": "What is this?"}]}]);
    let record = truncate_history(&history, &Options::default()).unwrap().record;
    assert_eq!(record.estimated, [0]);
    assert!(record.tokens_before > 1_600);
}

#[test]
fn what_is_no_history_is_refused_by_name() {
    let field = |history: Value, max_tokens| {
        let options = Options {
            max_tokens,
            ..Options::default()
        };
        truncate_history(&history, &options)
            .unwrap_err()
            .field
            .unwrap()
            .into_owned()
    };
    assert_eq!(field(json!("text"), 100), "history");
    assert_eq!(field(json!({"messages": 5}), 100), "messages");
    assert_eq!(field(json!([{"role": "user"}, 5]), 100), "messages[1]");
    assert_eq!(field(json!([{"role": "user"}]), 100), "messages[0]");
    for max_tokens in [0, 1, 63] {
        assert_eq!(field(json!([]), max_tokens), "max_tokens");
    }
    let system =
        json!([{"role": "system", "content": "word ".repeat(200)}, {"role": "user", "content": "a"}]);
    assert_eq!(field(system, 100), "system messages");
    assert!(truncate_history(&json!([]), &Options::default()).is_ok());
}

#[test]
fn an_opening_of_the_user_is_kept_where_anthropic_needs_one() {
    let mut history = vec![json!({"role": "user", "content": "Find out."})];
    for number in 0..20 {
        let id = format!("toolu_{number}");
        history.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "search", "input": {"q": "word ".repeat(20)}}]}));
        history.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "word ".repeat(20)}]}));
    }
    let options = Options {
        max_tokens: 200,
        ..Options::default()
    };
    let result = truncate_history(&Value::Array(history), &options).unwrap();
    assert_eq!(result.record.kept_opening, Some(0));
    assert_eq!(result.history[0]["content"], "Find out.");
    assert_eq!(result.history[1]["role"], "assistant");
    assert!(!result.record.dropped[0].calls.is_empty());
    assert_eq!(Tokenizer::default().as_str(), result.record.tokenizer);
}

/// Plain messages are written the same for nearly every vendor; what stands beside them tells whose they are.
#[test]
fn plain_messages_are_told_by_what_stands_beside_them() {
    let plain = json!([{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "a"}]);
    for (around, form) in [
        (json!({"model": "claude-sonnet-4-5"}), Form::AnthropicMessages),
        (
            json!({"model": "us.anthropic.claude-opus-4-v1:0"}),
            Form::AnthropicMessages,
        ),
        (
            json!({"anthropic_version": "vertex-2023-10-16"}),
            Form::AnthropicMessages,
        ),
        (json!({"system": "Be brief."}), Form::AnthropicMessages),
        (json!({"model": "gpt-4o"}), Form::OpenaiChat),
        (json!({"model": "ft:gpt-4o:example::1"}), Form::OpenaiChat),
        (json!({"model": "mistral-large-latest"}), Form::Mistral),
        (json!({"model": "mistralai/ministral-8b"}), Form::Mistral),
        (json!({"model": "llama3.2:3b"}), Form::Ollama),
        (json!({"model": "qwen3", "keep_alive": "5m"}), Form::Ollama),
        (json!({}), Form::OpenaiChat),
    ] {
        let mut body = around;
        body["messages"] = plain.clone();
        let result = truncate_history(&body, &Options::default()).unwrap();
        assert_eq!(result.record.form, form, "{body}");
        // Whoever it goes to, Claude's begin with the user.
        if form == Form::AnthropicMessages {
            assert_eq!(
                result.history["messages"],
                json!([{"role": "user", "content": "a"}])
            );
        }
    }
    let cached = json!([{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}]);
    assert_eq!(recognised(&cached), Some(Form::AnthropicMessages));
}

/// Calls tell more than the name of a model: many a server takes one vendor's messages for another's model.
#[test]
fn blocks_tell_more_than_the_model() {
    let mut body = json!({"model": "claude-sonnet-4-5"});
    let exchanges = [Exchange::with_a_call("a", "b", "c")];
    for form in [Form::OpenaiChat, Form::VercelModel, Form::Langchain] {
        body["messages"] = Value::Array(written(&exchanges, form, false));
        assert_eq!(recognised(&body), Some(form), "{body}");
    }
}

fn refusal(history: &Value) -> String {
    let Err(error) = truncate_history(history, &Options::default()) else {
        return format!("not refused: {history}");
    };
    format!(
        "{}: {}",
        error.field.as_deref().unwrap_or_default(),
        error.message
    )
}

#[test]
fn other_formats_are_refused_by_name() {
    for (history, name) in [
        (
            json!([{"type": "user", "uuid": "1", "parentUuid": null, "message": {"role": "user", "content": "a"}}]),
            "Claude Code",
        ),
        (
            json!([{"type": "summary", "summary": "a", "leafUuid": "1"}]),
            "Claude Code",
        ),
        (
            json!([{"timestamp": "2026-11-20T00:00:00Z", "type": "response_item", "payload": {"type": "message"}}]),
            "Codex",
        ),
        (
            json!([{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "a"}]}]),
            "Pydantic AI",
        ),
        (
            json!([{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "a"}]}]),
            "LlamaIndex",
        ),
        (
            json!([{"role": "user", "meta": {}, "name": null, "content": [{"text": "a"}]}]),
            "Haystack",
        ),
        (json!([{"from": "human", "value": "a"}]), "ShareGPT"),
        (
            json!([{"id": "1", "conversations": [{"from": "human", "value": "a"}]}]),
            "ShareGPT",
        ),
        (
            json!({"conversations": [{"from": "human", "value": "a"}]}),
            "ShareGPT",
        ),
        (json!([{"role": "USER", "message": "a"}]), "Cohere"),
        (
            json!([{"author": "user", "content": {"role": "user", "parts": [{"text": "a"}]}}]),
            "Agent Development Kit",
        ),
        (
            json!([{"source": "user", "type": "TextMessage", "content": "a"}]),
            "AutoGen",
        ),
        (
            json!([{"messages": [{"role": "user", "content": "a"}]}]),
            "list of histories",
        ),
        (json!({"mapping": {}, "title": "a"}), "ChatGPT"),
        (json!([{"speaker": "a", "utterance": "b"}]), "`speaker`"),
        (
            json!([{"role": "user", "content": [{"type": "hologram"}]}]),
            "hologram",
        ),
        (json!([{"role": "narrator", "content": "a"}]), "narrator"),
        (
            json!([{"type": "remove", "data": {"content": "", "id": "1"}}]),
            "remove",
        ),
        // A block of one vendor behind those of another.
        (
            json!([{"role": "user", "content": [{"text": "a"}]}, {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "a", "arguments": "{}"}}]}]),
            "messages[1]",
        ),
    ] {
        let refused = refusal(&history);
        assert!(refused.contains(name), "{name}: {refused}");
    }
}

#[test]
fn a_history_whose_pairs_are_broken_is_refused_by_name() {
    let call = |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "a", "input": {}}]});
    let result = |id: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "b"}]});
    let user = json!({"role": "user", "content": "a"});
    for (history, said) in [
        (
            json!([user, result("1")]),
            "messages[1]: `messages[1]` has the result of `1`",
        ),
        (
            json!([user, call("1"), user]),
            "messages[1]: `messages[1]` has the call `1`",
        ),
        (json!([user, call("1"), user, result("1")]), "messages[3]"),
        (json!([user, call("1"), result("1"), result("1")]), "messages[3]"),
        (json!([call("1"), result("1")]), "holds no message of the user"),
    ] {
        let refused = refusal(&history);
        assert!(refused.contains(said), "{said}: {refused}");
    }
    // The results of the newest step are still to come.
    assert!(truncate_history(&json!([user, call("1")]), &Options::default()).is_ok());
    // And items that the vendor holds are not in the list.
    let output = json!([{"type": "function_call_output", "call_id": "1", "output": "b"}]);
    assert!(refusal(&json!({"input": output})).contains("messages[0]"));
    let stored = json!({"previous_response_id": "resp_1", "input": output});
    assert!(truncate_history(&stored, &Options::default()).is_ok());
}

#[test]
fn items_of_responses_pair_by_the_name_that_each_has() {
    let long = "word ".repeat(100);
    let history = json!([
        {"role": "user", "content": long},
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_1", "status": "completed",
            "action": {"type": "exec", "command": ["ls"], "env": {}}},
        {"role": "user", "content": long},
        {"type": "local_shell_call_output", "id": "call_1", "output": "a"},
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "a", "server_label": "b", "arguments": "{}"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": long}]},
        {"type": "mcp_call", "id": "mcp_1", "approval_request_id": "mcpr_1", "name": "a", "server_label": "b", "arguments": "{}", "output": "c"},
        {"role": "user", "content": "new"},
    ]);
    let kept = |max_tokens| {
        let options = Options {
            max_tokens,
            ..Options::default()
        };
        let result = truncate_history(&history, &options).unwrap();
        result.history.as_array().unwrap().len()
    };
    let all: Vec<usize> = (64..600).map(kept).collect();
    // The newest alone, from the request for approval on, from the shell's call on, everything.
    for expected in [1, 5, 8, 9] {
        assert!(all.contains(&expected), "{expected}");
    }
    assert!(all.iter().all(|kept| [1, 5, 8, 9].contains(kept)), "{all:?}");
}

#[test]
fn documents_count_by_what_they_hold() {
    let tokens = |source: Value| {
        let history = json!([{"role": "user", "content": [{"type": "document", "source": source}]}]);
        let record = truncate_history(&history, &Options::default()).unwrap().record;
        (record.tokens_before, !record.estimated.is_empty())
    };
    let text = "word ".repeat(100);
    let whole = tokens(json!({"type": "text", "media_type": "text/plain", "data": text}));
    assert!((100..=120).contains(&whole.0) && !whole.1, "{whole:?}");
    // "word " a hundred times, in Base64.
    let in_base64 = "d29yZCB3b3JkIHdvcmQg".repeat(33);
    let decoded = tokens(json!({"type": "base64", "media_type": "text/plain", "data": in_base64}));
    assert!((99..=120).contains(&decoded.0) && !decoded.1, "{decoded:?}");
    let pdf = |bytes: usize| {
        tokens(json!({"type": "base64", "media_type": "application/pdf", "data": "A".repeat(bytes)}))
    };
    assert!(pdf(1 << 20).0 > 2 * pdf(1 << 18).0 && pdf(100).1);
    let bedrock = json!([{"role": "user", "content": [{"text": "a"}, {"document": {"format": "pdf", "name": "b", "source": {"bytes": "A".repeat(1 << 19)}}}]}]);
    let record = truncate_history(&bedrock, &Options::default()).unwrap().record;
    assert!((20_000..30_000).contains(&record.tokens_before), "{record:?}");
}
