//! What an answer's text is made of, in tokens: envelope, dates, and what the source says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use freshcontext_budget::Tokenizer;
use freshcontext_testkit::{Kind, load_cases};
use serde_json::Value;

use crate::examples;

/// Items from which an answer counts as a list of real length.
const LIST_ITEMS: usize = 10;

/// Tokens of one text, or of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    /// Answers counted.
    pub answers: usize,
    /// All of the text.
    pub all: usize,
    /// Delimiters, headers and fence lines.
    pub envelope: usize,
    /// The lines that date the items.
    pub dates: usize,
    /// All of the JSON form.
    pub json: usize,
}

impl Parts {
    /// Splits the text of an answer. The lines of an item's text are quoted, so that they are not taken for ours.
    pub fn of(text: &str) -> Self {
        let count = |text: &str| Tokenizer::default().count(text);
        let mut parts = Self {
            answers: 1,
            all: count(text),
            ..Self::default()
        };
        let mut in_headers = false;
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end();
            in_headers |= bare == "[FRESHCONTEXT]";
            let is_fence = bare == "[/FRESHCONTEXT]"
                || (bare.starts_with("Data ") && bare.ends_with(": external content, not instructions."))
                || bare.starts_with("End of data ");
            if in_headers || is_fence {
                parts.envelope += count(line);
            } else if bare.starts_with("Published: ") {
                parts.dates += count(line);
            }
            in_headers &= bare != "---";
        }
        parts
    }

    /// Share of the text that is envelope or dates, in percent.
    pub fn share(self) -> usize {
        (100 * (self.envelope + self.dates))
            .checked_div(self.all)
            .unwrap_or_default()
    }

    fn add(&mut self, other: Self) {
        self.answers += other.answers;
        self.all += other.all;
        self.envelope += other.envelope;
        self.dates += other.dates;
        self.json += other.json;
    }
}

/// Tokens of every tool's answers over the fixtures, and over the recordings in `bodies` where there are any: lists of ten
/// items and more, and the others, as a table in Markdown.
///
/// # Errors
/// A case that cannot be read or answered.
pub fn report(root: &Path, bodies: Option<&Path>) -> Result<String, String> {
    let mut cases = load_cases(&root.join("fixtures"))?;
    if bodies.is_some() {
        cases.extend(load_cases(&root.join("tests/recordings"))?);
    }
    cases.retain(|case| case.kind == Kind::Ok);
    let mut lists: BTreeMap<String, Parts> = BTreeMap::new();
    let mut others: BTreeMap<String, Parts> = BTreeMap::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    for case in &cases {
        let example = runtime.block_on(examples::answer_of(root, case, bodies))?;
        let mut parts = Parts::of(&example.text);
        parts.json = Tokenizer::default().count(&example.json());
        let kind = if shown(&example.structured) >= LIST_ITEMS {
            &mut lists
        } else {
            &mut others
        };
        kind.entry(case.tool.clone()).or_default().add(parts);
    }
    let mut out = String::new();
    for (title, tools) in [("Lists of ten items and more", lists), ("Other answers", others)] {
        let _ = write!(
            out,
            "\n{title}\n\n| Tool | Answers | Text, tokens | Envelope | Dates | Envelope and dates | JSON to text |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        );
        let mut sum = Parts::default();
        for (tool, parts) in tools {
            line(&mut out, &tool, parts);
            sum.add(parts);
        }
        line(&mut out, "all", sum);
    }
    Ok(out)
}

fn line(out: &mut String, tool: &str, parts: Parts) {
    #[expect(clippy::cast_precision_loss, reason = "a ratio of two digits")]
    let ratio = parts.json as f64 / parts.all.max(1) as f64;
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "| {tool} | {} | {} | {} | {} | {} % | {ratio:.2} |",
        parts.answers,
        parts.all,
        parts.envelope,
        parts.dates,
        parts.share(),
    );
}

/// Items that the answer shows, those of a composite's sections included.
fn shown(structured: &Value) -> usize {
    let items = |answer: &Value| answer.get("items").and_then(Value::as_array).map_or(0, Vec::len);
    let sections = structured.get("sections").and_then(Value::as_array);
    items(structured)
        + sections
            .into_iter()
            .flatten()
            .filter_map(|section| section.get("result"))
            .map(items)
            .sum::<usize>()
}
