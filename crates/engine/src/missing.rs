//! Gaps that a later call fills: a request names one in its `_meta`, and its result says whether it is filled.

use freshcontext_budget::is_missing_id;
use serde_json::{Map, Value, json};

use crate::ToolOutcome;

/// Where a request names the gap that it is to fill.
pub const ASKED: &str = "freshcontext/missing_id";
/// Where a result says what became of it.
pub const SETTLED: &str = "io.github.freshcontext/missing";

/// Says in the outcome whether a call of `tool` filled the gap. An answer without results fills none: that
/// nothing was found is not known to mean that there is nothing.
pub fn settle(outcome: &mut ToolOutcome, tool: &str, id: &Value) {
    let of = |name: &str| {
        let structured = outcome.structured.as_ref();
        structured
            .and_then(|it| it.pointer(name))
            .cloned()
            .unwrap_or_default()
    };
    let said = match id.as_str().filter(|id| is_missing_id(id)) {
        None => {
            let detail = format!(
                "{ASKED} must be the missing_id of a missing_context: mis_ and 32 hexadecimal digits"
            );
            json!({"status": "invalid", "detail": detail})
        }
        Some(id) if outcome.is_error || of("/status") == "empty" => {
            json!({"missing_id": id, "status": "open"})
        }
        Some(id) => json!({
            "missing_id": id,
            "status": "resolved",
            "resolution_refs": [{
                "tool": tool,
                "source": of("/freshcontext/source_url"),
                "retrieved_at": of("/freshcontext/retrieved_at"),
            }],
        }),
    };
    outcome
        .meta
        .get_or_insert_with(Map::new)
        .insert(SETTLED.to_owned(), said);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_with_results_fills_a_gap() {
        let id = json!(format!("mis_{}", "0".repeat(32)));
        let settled = |structured: Value, is_error: bool, id: &Value| {
            let mut outcome = ToolOutcome {
                text: String::new(),
                structured: Some(structured),
                is_error,
                meta: None,
            };
            settle(&mut outcome, "extract_x", id);
            outcome.meta.unwrap()[SETTLED]["status"].clone()
        };
        assert_eq!(settled(json!({"status": "success"}), false, &id), "resolved");
        assert_eq!(settled(json!({"status": "empty"}), false, &id), "open");
        assert_eq!(settled(json!({"code": "timeout"}), true, &id), "open");
        assert_eq!(settled(json!({}), false, &json!("mis_1")), "invalid");
        assert_eq!(settled(json!({}), false, &json!(5)), "invalid");
    }
}
