//! Gaps that a later call fills: a request names one in its `_meta`, and its result says whether it is filled.

use freshcontext_budget::{fills, is_missing_id};
use freshcontext_contract::Status;
use freshcontext_core::answer::Scored;
use freshcontext_core::date::iso_millis;
use serde_json::{Map, Value, json};

use crate::outcome::{Answer, Outcome};

/// Where a request names the gap that it is to fill.
pub const ASKED: &str = "freshcontext/missing_id";
/// Where a result says what became of it.
pub const SETTLED: &str = "io.github.freshcontext/missing";

/// Says beside the answer whether a call of `tool` filled the gap. Only the call that the gap names does. An answer without results fills none: that
/// nothing was found is not known to mean that there is nothing.
pub fn settle(answer: &mut Answer, tool: &str, arguments: Option<&Map<String, Value>>, id: &Value) {
    let source = match answer.outcome() {
        Outcome::Source(source) => Some(source.scored()),
        _ => None,
    };
    let empty = source.is_some_and(|scored| scored.status() == Status::Empty);
    let said = match id.as_str().filter(|id| is_missing_id(id)) {
        None => {
            let detail = format!(
                "{ASKED} must be the missing_id of a missing_context: mis_ and 32 hexadecimal digits"
            );
            json!({"status": "invalid", "detail": detail})
        }
        Some(id) if !fills(id, tool, arguments) => {
            let detail = "this call is not the one that the gap names; see its candidate_sources";
            json!({"missing_id": id, "status": "open", "detail": detail})
        }
        Some(id) if answer.is_error() || empty => {
            json!({"missing_id": id, "status": "open"})
        }
        Some(id) => json!({
            "missing_id": id,
            "status": "resolved",
            "resolution_refs": [{
                "tool": tool,
                "source": source.map(Scored::source_url),
                "retrieved_at": source.map(|scored| iso_millis(scored.retrieved_at())),
            }],
        }),
    };
    answer.meta.insert(SETTLED.to_owned(), said);
}

#[cfg(test)]
mod tests {
    use freshcontext_budget::Call;
    use freshcontext_contract::{ErrorCode, SourceError};
    use freshcontext_core::answer::Failure;

    use super::*;
    use crate::outcome::Deliverable;

    #[derive(Debug)]
    struct Nothing;

    impl Deliverable for Nothing {
        fn text(&self) -> String {
            String::new()
        }

        fn structured(&self) -> serde_json::Value {
            json!({})
        }
    }

    #[test]
    fn only_an_answer_fills_a_gap_and_only_by_its_id() {
        let call = Call {
            tool: "extract_x".to_owned(),
            arguments: json!({"url": "a"}),
        };
        let id = json!(freshcontext_budget::missing_id("s", "q", "n", Some(&call)));
        let settled = |outcome: Outcome, id: &Value| {
            let mut answer = Answer::from(outcome);
            let arguments = json!({"url": "a", "max_length": 500});
            settle(&mut answer, "extract_x", arguments.as_object(), id);
            answer.meta()[SETTLED]["status"].clone()
        };
        let answered = || Outcome::Deliverable(Box::new(Nothing));
        let late = SourceError::new(ErrorCode::Timeout, "late");
        let failed = Failure::new(&late, "x", "extract_x", chrono::DateTime::UNIX_EPOCH);
        assert_eq!(settled(answered(), &id), "resolved");
        let of = |tool: &str, arguments: Value| {
            let call = Call {
                tool: tool.to_owned(),
                arguments,
            };
            json!(freshcontext_budget::missing_id("s", "q", "n", Some(&call)))
        };
        assert_ne!(id, of("extract_x", json!({"url": "b"})));
        assert_eq!(settled(answered(), &of("extract_x", json!({"url": "b"}))), "open");
        assert_eq!(settled(answered(), &of("extract_y", json!({"url": "a"}))), "open");
        assert_eq!(
            settled(answered(), &json!(format!("mis_{}", "0".repeat(32)))),
            "open"
        );
        let nobodys = freshcontext_budget::missing_id("s", "q", "n", None);
        assert_eq!(settled(answered(), &json!(nobodys)), "open");
        assert_eq!(settled(Outcome::Failure(Box::new(failed)), &id), "open");
        assert_eq!(settled(answered(), &json!("mis_1")), "invalid");
        assert_eq!(settled(answered(), &json!(5)), "invalid");
    }
}
