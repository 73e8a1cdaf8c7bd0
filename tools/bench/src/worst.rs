//! A search for the text of 50,000 characters that costs the evaluation the most per byte. It combines and mutates
//! pieces that are expensive for some stage, and keeps a change if the cost rises. Every run takes the same steps.

use std::hint::black_box;
use std::time::Instant;

use chrono::{DateTime, Utc};
use freshcontext_core::evaluate::{CONTENT_UNITS, Options, evaluate_text};
use serde_json::json;

use crate::Failure;
use crate::documents::{Form, mixed};
use crate::report::{Row, Target, note};
use crate::texts::Prose;

const GROUP: &str = "worst";
/// Number of texts to try.
const TRIES: usize = 300;
/// Maximum number of pieces in the repeated unit.
const PIECES: usize = 8;
/// Number of documents for the median.
const DOCUMENTS: usize = 60;

/// Building blocks of the texts.
const PARTS: [&str; 48] = [
    " ",
    "\n",
    "\r\n",
    "\t",
    "a",
    "0",
    "é",
    "\u{301}",
    "的",
    "すみません",
    "😀",
    "\u{200b}",
    "\u{202e}",
    "ﬁ",
    "ﷺ",
    "İ",
    "<",
    ">",
    "<a href=\"",
    "<p>",
    "</p>",
    "<div class=\"a\">",
    "<!--",
    "<script>",
    "<title>",
    "&amp;",
    "{",
    "[",
    "\"",
    "\\",
    "{\"error\":",
    "404",
    "2026-01-02T03:04:05Z",
    "https://example.org/a?b=c",
    "[FRESHCONTEXT]",
    "[/FRESHCONTEXT]",
    "---",
    "access denied",
    "Error: ",
    "please try again later",
    "page not found",
    "no. ",
    "at a.b(c.js:1:2)",
    "The",
    "server ",
    "Не удалось ",
    "captcha",
    "request id 1f2e3d ",
];

/// Runs the measurements of this group.
pub(crate) fn run(forms: &[Form]) -> Result<Vec<Row>, Failure> {
    note("searching the worst text of 50,000 characters");
    let judge = Judge::new()?;
    let Some(documents) = mixed(forms).pieces(DOCUMENTS, CONTENT_UNITS) else {
        let what = "50,000 characters, worst text over the median of real documents";
        return Ok(vec![Row::not_measured(GROUP, what, "not enough documents")]);
    };
    let mut each: Vec<f64> = documents.iter().map(|text| judge.cost(text)).collect();
    each.sort_by(f64::total_cmp);
    let median = each.get(each.len() / 2).copied().unwrap_or(f64::NAN);
    let (worst, pieces) = climb(&judge);
    Ok(vec![
        Row::new(
            GROUP,
            "50,000 characters of a real document, median",
            "ns/byte",
            median,
        ),
        Row::new(
            GROUP,
            "50,000 characters of a real document, most",
            "ns/byte",
            each.last().copied().unwrap_or(f64::NAN),
        ),
        Row::new(
            GROUP,
            format!("50,000 characters of {}", pieces.escape_default()),
            "ns/byte",
            worst,
        ),
        Row::new(
            GROUP,
            "50,000 characters, worst text over the median of real documents",
            "times",
            worst / median,
        )
        .target(Target::AtMost(3.0)),
    ])
}

/// Returns the worst unit found: nanoseconds per byte, and the repeated text.
fn climb(judge: &Judge) -> (f64, String) {
    let mut random = Prose::new(50_000);
    // Tries every part alone first, then climbs from the worst of them.
    let alone = PARTS.iter().map(|part| vec![*part]);
    let mut best: Vec<(f64, Vec<&str>)> = alone.map(|pieces| (judge.repeated(&pieces), pieces)).collect();
    best.sort_by(|one, other| other.0.total_cmp(&one.0));
    best.truncate(PIECES);
    for _ in PARTS.len()..TRIES {
        let at = random.below(best.len());
        let Some((_, from)) = best.get(at) else { break };
        let mut pieces = from.clone();
        let part = PARTS.get(random.below(PARTS.len())).copied().unwrap_or_default();
        let place = random.below(pieces.len());
        match random.below(3) {
            0 if pieces.len() > 1 => drop(pieces.remove(place)),
            1 if pieces.len() < PIECES => pieces.insert(place, part),
            _ => {
                if let Some(piece) = pieces.get_mut(place) {
                    *piece = part;
                }
            }
        }
        let cost = judge.repeated(&pieces);
        if let Some(worse) = best.iter_mut().min_by(|one, other| one.0.total_cmp(&other.0))
            && cost > worse.0
        {
            *worse = (cost, pieces);
        }
    }
    best.sort_by(|one, other| other.0.total_cmp(&one.0));
    best.into_iter()
        .next()
        // Measures the candidates again, since a single measurement can be an outlier.
        .map(|(_, pieces)| (judge.repeated(&pieces), pieces.concat()))
        .unwrap_or_default()
}

struct Judge {
    clock: DateTime<Utc>,
    options: Options,
}

impl Judge {
    fn new() -> Result<Self, Failure> {
        Ok(Self {
            clock: "2026-06-09T12:00:00Z".parse()?,
            options: Options::default(),
        })
    }

    fn repeated(&self, pieces: &[&str]) -> f64 {
        let mut units = 0;
        let text: String = pieces
            .concat()
            .chars()
            .cycle()
            .take_while(|c| {
                units += c.len_utf16();
                units <= CONTENT_UNITS
            })
            .collect();
        self.cost(&text)
    }

    /// Returns nanoseconds per byte of a text, from the arguments to the JSON answer: the minimum of several runs,
    /// since other load on the machine only adds time.
    fn cost(&self, text: &str) -> f64 {
        const TIMES: usize = 3;
        let line = json!({"profile": "official_docs", "intent": "citation_check", "query": "how to install", "signals": [
            {"source": "https://docs.example.org/a", "content": text, "published_at": "2026-06-08"}]})
        .to_string();
        let once = || {
            let begin = Instant::now();
            let judged = evaluate_text(&line, self.clock, &self.options);
            black_box(judged.is_ok_and(|evaluation| evaluation.json().is_ok()));
            begin.elapsed().as_secs_f64() * 1e9
        };
        (0..TIMES).map(|_| once()).fold(f64::INFINITY, f64::min) / text.len().max(1) as f64
    }
}
