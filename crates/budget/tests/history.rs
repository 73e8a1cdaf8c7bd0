//! Histories, as properties over random ones in all four forms.

use std::collections::HashMap;

use freshcontext_budget::Tokenizer;
use freshcontext_budget::history::{Form, Options, Oversize, truncate_history};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One thing that happens in a conversation.
#[derive(Debug, Clone)]
enum Turn {
    User(String),
    Assistant(String),
    /// Parallel calls, and whether their results come in reverse order.
    Calls(Vec<(String, String)>, bool),
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,40}",
        "[a-z .]{0,600}",
        Just(
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{65e5}\u{672c}\u{8a9e}\u{3002}e\u{301}".repeat(20)
        ),
    ]
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = prop_oneof![
        text().prop_map(Turn::User),
        text().prop_map(Turn::Assistant),
        (prop::collection::vec((text(), text()), 1..4), any::<bool>())
            .prop_map(|(calls, back)| Turn::Calls(calls, back)),
    ];
    (text(), prop::collection::vec(turn, 0..14)).prop_map(|(first, mut turns)| {
        turns.insert(0, Turn::User(first));
        turns
    })
}

/// The same conversation, as each form writes it.
fn written(turns: &[Turn], form: Form, system: bool) -> Vec<Value> {
    let mut out = Vec::new();
    if system && form != Form::McpSampling {
        out.push(json!({"role": "system", "content": "Be brief."}));
    }
    let mut id = 0;
    for turn in turns {
        match turn {
            Turn::User(text) | Turn::Assistant(text) => {
                let role = if matches!(turn, Turn::User(_)) {
                    "user"
                } else {
                    "assistant"
                };
                out.push(match form {
                    Form::OpenaiChat => json!({"role": role, "content": text}),
                    Form::McpSampling => json!({"role": role, "content": {"type": "text", "text": text}}),
                    Form::AnthropicMessages => {
                        json!({"role": role, "content": [{"type": "text", "text": text}]})
                    }
                    Form::OpenaiResponses => {
                        let kind = if role == "user" {
                            "input_text"
                        } else {
                            "output_text"
                        };
                        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
                    }
                });
            }
            Turn::Calls(calls, back) => {
                let named: Vec<(String, &String, &String)> = calls
                    .iter()
                    .map(|(input, output)| {
                        id += 1;
                        (format!("call_{id}"), input, output)
                    })
                    .collect();
                let mut results: Vec<&(String, &String, &String)> = named.iter().collect();
                if *back {
                    results.reverse();
                }
                match form {
                    Form::OpenaiChat => {
                        let calls: Vec<Value> = named
                            .iter()
                            .map(|(id, input, _)| {
                                json!({"id": id, "type": "function",
                            "function": {"name": "search", "arguments": json!({"query": input}).to_string()}})
                            })
                            .collect();
                        out.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
                        out.extend(results.iter().map(
                            |(id, _, output)| json!({"role": "tool", "tool_call_id": id, "content": output}),
                        ));
                    }
                    Form::OpenaiResponses => {
                        out.push(json!({"type": "reasoning", "id": format!("rs_{id}"), "summary": [], "encrypted_content": "abcdefgh"}));
                        out.extend(named.iter().map(|(id, input, _)| {
                            json!({"type": "function_call", "call_id": id, "name": "search",
                            "arguments": json!({"query": input}).to_string()})
                        }));
                        out.extend(results.iter().map(|(id, _, output)| json!({"type": "function_call_output", "call_id": id, "output": output})));
                    }
                    Form::AnthropicMessages | Form::McpSampling => {
                        let name_of_id = if form == Form::McpSampling {
                            "toolUseId"
                        } else {
                            "tool_use_id"
                        };
                        let calls: Vec<Value> = named
                            .iter()
                            .map(|(id, input, _)| {
                                json!({"type": "tool_use", "id": id, "name": "search",
                            "input": {"query": input}})
                            })
                            .collect();
                        let results: Vec<Value> = results
                            .iter()
                            .map(|(id, _, output)| {
                                json!({"type": "tool_result", name_of_id: id,
                            "content": [{"type": "text", "text": output}]})
                            })
                            .collect();
                        out.push(json!({"role": "assistant", "content": calls}));
                        out.push(json!({"role": "user", "content": results}));
                    }
                }
            }
        }
    }
    out
}

/// Every id of a call and of a result in a history, by how often it occurs.
fn ids(history: &[Value]) -> (HashMap<String, usize>, HashMap<String, usize>) {
    let (mut calls, mut results) = (HashMap::new(), HashMap::new());
    for message in history {
        let mut note = |id: &Value, of_result: bool| {
            let id = id.as_str().unwrap_or("no id").to_owned();
            *if of_result { &mut results } else { &mut calls }
                .entry(id)
                .or_insert(0) += 1;
        };
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            note(&call["id"], false);
        }
        match message["type"].as_str() {
            Some("function_call") => note(&message["call_id"], false),
            Some("function_call_output") => note(&message["call_id"], true),
            _ => {}
        }
        if message["role"] == "tool" {
            note(&message["tool_call_id"], true);
        }
        for block in message["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("tool_use") => note(&block["id"], false),
                Some("tool_result") => note(block.get("tool_use_id").unwrap_or(&block["toolUseId"]), true),
                _ => {}
            }
        }
    }
    (calls, results)
}

fn form() -> impl Strategy<Value = Form> {
    prop::sample::select(Form::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn pairs_stay_whole_and_the_newest_that_fit_are_kept(
        turns in turns(), form in form(), system in any::<bool>(), max_tokens in 64_usize..700, cut in any::<bool>(),
    ) {
        let history = written(&turns, form, system);
        let oversize = if cut { Oversize::Cut } else { Oversize::Error };
        let options = Options { max_tokens, oversize, form: Some(form), ..Options::default() };
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
        let (calls, results) = ids(&kept);
        prop_assert_eq!(&calls, &results);
        prop_assert!(kept.last().zip(history.last()).is_some_and(|(one, other)| one["role"] == other["role"]));
        if system && form != Form::McpSampling {
            prop_assert_eq!(&kept[0]["role"], "system");
        }
        if form == Form::AnthropicMessages {
            let first = kept.iter().find(|message| message["role"] != "system").expect("a message");
            prop_assert_eq!(&first["role"], "user");
            prop_assert!(first["content"].as_array().into_iter().flatten().all(|block| block["type"] != "tool_result"));
        }
        // What is kept is counted the same alone, and keeps itself.
        let again = truncate_history(&result.history, &options).expect("it fits");
        prop_assert_eq!(again.record.tokens_before, record.tokens_after);
        prop_assert!(again.record.dropped.is_empty() && again.record.cut.is_empty());
        prop_assert_eq!(again.history, result.history);
    }

    #[test]
    fn more_room_never_keeps_less(turns in turns(), form in form(), max_tokens in 64_usize..600) {
        let history = Value::Array(written(&turns, form, true));
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
    let turns = [
        Turn::User("a".into()),
        Turn::Calls(vec![("b".into(), "c".into())], false),
    ];
    for form in Form::ALL {
        let history = Value::Array(written(&turns, form, false));
        assert_eq!(recognised(&history), Some(form));
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
