//! A result as one HTML page: the question and its answer in one sentence, the items on a time axis, coloured by score, hollow if
//! undated, with failures as a grey strip, and the items as a list. The page is either a standalone file (`freshcontext call ... --html FILE`) or a view in an MCP
//! host that supports pages (MCP Apps, revision 2026-01-26, extension `io.modelcontextprotocol/ui`). It loads
//! nothing: its content security policy allows only the script and the style that it contains, by their
//! hashes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, Utc};
use freshcontext_core::answer::write_value_words;
use freshcontext_core::evaluate;
use freshcontext_records::Bundle;
use freshcontext_redact::masked_value;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use freshcontext_engine::{Answer, Tool, Work};

/// URI of the page.
pub const URI: &str = "ui://freshcontext/timeline";
/// Media type of the page.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// MCP extension by which hosts and servers declare support for such pages.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";

const PAGE: &str = include_str!("page.html");
/// Styles that all pages share.
pub(crate) const STYLE: &str = include_str!("page.css");
/// The parts of the script, in an order in which each uses earlier ones.
const SCRIPT: &str = concat!(
    "\"use strict\";\n{\n",
    include_str!("values.js"),
    include_str!("check.js"),
    include_str!("read.js"),
    include_str!("draw.js"),
    include_str!("page.js"),
    include_str!("host.js"),
    "}\n"
);

/// Returns the page without a result, for a host that sends one of these tools.
pub fn view<'t>(tools: impl IntoIterator<Item = &'t Tool>) -> String {
    page(&headings(tools), "null")
}

/// Returns the page of one answer at that moment. The file may be shared, so secrets and e-mail addresses are masked, as in
/// records.
pub fn of(tool: &Tool, arguments: &Map<String, Value>, answer: &Answer, now: DateTime<Utc>) -> String {
    let mut structured = answer.structured();
    write_value_words(&mut structured, now);
    let shown = json!({
        "tool": tool.name,
        "title": tool.title,
        "arguments": arguments,
        "is_error": answer.is_error(),
        "structured": structured,
        // Only needed by hosts, which may send an answer without structure.
        "text": null,
    });
    page(&headings([tool]), &in_script(&masked_value(shown)))
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
    page("{}", &in_script(&masked_value(shown)))
}

/// Returns the page of context records that were checked against their rules: what was shown to the model, what was left out
/// and why, and the events. `sources` are ids of adapters with their titles.
/// `delivered` is the text that has the recorded hashes, if the caller has it.
pub fn of_records<'s>(
    bundle: &Bundle,
    delivered: Option<&str>,
    sources: impl IntoIterator<Item = (&'s str, &'s str)>,
) -> String {
    let mut structured = json!(bundle);
    if let Some(structured) = structured.as_object_mut() {
        structured.insert("checked".to_owned(), json!({"records": bundle.records().len()}));
        if let Some(text) = delivered {
            // Masked, since the page may be shared; what was compared with the hash is the text as it was.
            structured.insert("delivered".to_owned(), masked_value(json!(text)));
        }
    }
    let shown = json!({"tool": "records", "structured": structured});
    let titles = sources
        .into_iter()
        .map(|(id, title)| (id.to_owned(), json!({"title": title})));
    page(&in_script(&Value::Object(titles.collect())), &in_script(&shown))
}

/// Returns the page of a version of a deliverable: what changed since the version before, then what it holds. Masked as in
/// [`of`].
pub fn of_deliverable<'t>(version: &impl Serialize, tools: impl IntoIterator<Item = &'t Tool>) -> String {
    let shown = json!({"tool": "deliverable", "structured": version});
    page(&headings(tools), &in_script(&masked_value(shown)))
}

/// The words of headings by tool.
fn headings<'t>(tools: impl IntoIterator<Item = &'t Tool>) -> String {
    let mut all = Map::new();
    for tool in tools {
        let mut words = json!({"title": tool.title});
        if let (Work::Source(adapter), Some(words)) = (&tool.work, words.as_object_mut()) {
            let heading = adapter.descriptor().heading;
            words.insert("place".to_owned(), heading.place.into());
            words.insert("one".to_owned(), heading.one.into());
            words.insert("many".to_owned(), heading.many.into());
        }
        all.insert(tool.name.clone(), words);
    }
    in_script(&Value::Object(all))
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
fn page(tools: &str, answer: &str) -> String {
    let hash = |text: &str| format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)));
    PAGE.replace("{{SCRIPT_HASH}}", &hash(SCRIPT))
        .replace("{{STYLE_HASH}}", &hash(STYLE))
        .replace("{{STYLE}}", STYLE)
        .replace("{{SCRIPT}}", SCRIPT)
        .replace("{{TOOLS}}", tools)
        .replace("{{ANSWER}}", answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_filled_and_names_nothing_to_load() {
        let page = view([]);
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
        let page = page("{}", &written);
        assert_eq!(page.matches("</script>").count(), 3);
        assert_eq!(
            page.matches("{{SCRIPT}}").count(),
            2,
            "as text only, in the title and in the name"
        );
    }
}
