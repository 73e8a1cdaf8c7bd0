//! An answer as one page: its items on an axis of age, coloured by score, hollow where undated, and what failed as a grey
//! strip. The page is a file of its own (`freshcontext call ... --html FILE`) or the view of an MCP host that shows pages
//! (MCP Apps, revision 2026-01-26, extension `io.modelcontextprotocol/ui`). It loads nothing: its policy allows the one
//! script and the one style that it carries, by their hashes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use freshcontext_records::Bundle;
use freshcontext_redact::masked_value;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use freshcontext_engine::{Tool, ToolOutcome};

/// Where a host reads the page.
pub const URI: &str = "ui://freshcontext/timeline";
/// What kind of page it is.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// The extension of MCP by which hosts and servers say that they know such pages.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page without an answer, for a host that sends one.
pub fn view() -> String {
    page("null")
}

/// The page of one answer. A page is a file that is passed on: secrets and e-mail addresses are masked, as in records.
pub fn of(tool: &Tool, arguments: &Map<String, Value>, outcome: &ToolOutcome) -> String {
    let answer = json!({
        "tool": tool.name,
        "title": tool.title,
        "arguments": arguments,
        "is_error": outcome.is_error,
        "structured": outcome.structured,
        // Needed only where there is no structure.
        "text": outcome.structured.is_none().then_some(&outcome.text),
    });
    page(&in_script(&masked_value(answer)))
}

/// The page of context records: what was offered, what a budget let in and kept out, and what happened.
pub fn of_records(bundle: &Bundle) -> String {
    page(&in_script(&json!({"tool": "records", "structured": bundle})))
}

/// JSON that a script element can hold: no character of it can end the element or begin a comment.
fn in_script(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

/// Fills the template. The answer comes last, so that nothing in it is taken for a place to fill.
fn page(answer: &str) -> String {
    let hash = |text: &str| format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)));
    PAGE.replace("{{SCRIPT_HASH}}", &hash(SCRIPT))
        .replace("{{STYLE_HASH}}", &hash(STYLE))
        .replace("{{STYLE}}", STYLE)
        .replace("{{SCRIPT}}", SCRIPT)
        .replace("{{ANSWER}}", answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_filled_and_names_nothing_to_load() {
        let page = view();
        assert!(!page.contains("{{") && page.contains(">null</script>"));
        for loading in [
            "src=",
            "href=\"",
            "url(",
            "@import",
            "fetch(",
            "XMLHttp",
            "WebSocket",
            "EventSource",
            "sendBeacon",
            "import(",
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
        ] {
            assert!(!page.contains(loading), "{loading}");
        }
        // Line ends are part of what is hashed, and a browser reads CR LF as LF.
        assert!(!page.contains('\r'));
    }

    #[test]
    fn an_answer_cannot_leave_its_element() {
        let hostile = "</script><script>alert(1)</script><!--{{SCRIPT}}\u{2028}&lt;";
        let written = in_script(&json!({"title": hostile, hostile: 1}));
        for bad in ["<", ">", "&", "\u{2028}"] {
            assert!(!written.contains(bad), "{written}");
        }
        let read: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read["title"], hostile);
        let page = page(&written);
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(
            page.matches("{{SCRIPT}}").count(),
            2,
            "as text only, in the title and in the name"
        );
    }
}
