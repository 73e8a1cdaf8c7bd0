//! A result as one HTML page: items on a time axis, coloured by score, hollow if undated, with failures as a
//! grey strip. The page is either a standalone file (`freshcontext call ... --html FILE`) or a view in an MCP
//! host that supports pages (MCP Apps, revision 2026-01-26, extension `io.modelcontextprotocol/ui`). It loads
//! nothing: its content security policy allows only the script and the style that it contains, by their
//! hashes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use freshcontext_core::evaluate;
use freshcontext_records::Bundle;
use freshcontext_redact::masked_value;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use freshcontext_engine::{Answer, Tool};

/// URI of the page.
pub const URI: &str = "ui://freshcontext/timeline";
/// Media type of the page.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// MCP extension by which hosts and servers declare support for such pages.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns the page without a result, for a host that sends one.
pub fn view() -> String {
    page("null")
}

/// Returns the page of one answer. The file may be shared, so secrets and e-mail addresses are masked, as in
/// records.
pub fn of(tool: &Tool, arguments: &Map<String, Value>, answer: &Answer) -> String {
    let shown = json!({
        "tool": tool.name,
        "title": tool.title,
        "arguments": arguments,
        "is_error": answer.is_error(),
        "structured": answer.structured(),
        // Only needed by hosts, which may send an answer without structure.
        "text": null,
    });
    page(&in_script(&masked_value(shown)))
}

/// Returns the page of an evaluation. Of the arguments, those that say how it was judged; the rest is as in [`of`].
pub fn of_evaluation(arguments: &Value, structured: &Value) -> String {
    let mut arguments = arguments.clone();
    if let Some(arguments) = arguments.as_object_mut() {
        arguments.remove("signals");
    }
    let shown = json!({
        "tool": evaluate::TOOL,
        "title": evaluate::TITLE,
        "arguments": arguments,
        "is_error": false,
        "structured": structured,
        "text": null,
    });
    page(&in_script(&masked_value(shown)))
}

/// Returns the page of context records: the offered items, the selection under the budget, and the events.
pub fn of_records(bundle: &Bundle) -> String {
    page(&in_script(&json!({"tool": "records", "structured": bundle})))
}

/// Escapes JSON for a script element: no character of it can end the element or begin a comment.
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

/// Fills the template. The result is inserted last, so its text can never be mistaken for a placeholder.
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
        // Line ends are part of the hashed text, and a browser reads CR LF as LF.
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
