//! Known-item search: does the document that answers a question go into the hand-off?
//!
//! The questions are the documents' own descriptions, which are taken out of their texts. What BM25 alone would put into the
//! same room is the measure; it is written here apart from the server's, over plain words.

use std::collections::HashMap;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use freshcontext_budget::Tokenizer;
use freshcontext_core::evaluate::{Options, PROFILES, evaluate_text};
use serde_json::{Value, json};

use super::documents::{self, Document};

/// What is asked of one run.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    /// Documents in a batch, each of which is asked for.
    pub documents: usize,
    /// Room of a hand-off.
    pub tokens: usize,
    /// Source type of the signals.
    pub source_type: &'static str,
    pub profiles: Vec<&'static str>,
    pub modes: Vec<Mode>,
    pub folders: Vec<PathBuf>,
}

/// Which dates the documents have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Their own.
    Dated,
    /// None.
    Undated,
    /// Every other one none.
    Half,
    /// Last week's.
    Recent,
}

impl Mode {
    pub const ALL: [Self; 4] = [Self::Dated, Self::Undated, Self::Half, Self::Recent];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dated => "dated",
            Self::Undated => "undated",
            Self::Half => "half of them",
            Self::Recent => "last week",
        }
    }
}

impl Plan {
    /// Every profile and mode, over the manual pages.
    pub fn of(seed: u64) -> Self {
        Self {
            seed,
            documents: 40,
            tokens: 4_000,
            source_type: "manual",
            profiles: PROFILES.iter().map(|profile| profile.id).collect(),
            modes: Mode::ALL.to_vec(),
            folders: vec![PathBuf::from("/usr/share/man")],
        }
    }
}

/// How often the answer went in, of so many questions.
#[derive(Debug, Clone)]
pub struct Row {
    pub mode: Mode,
    pub profile: &'static str,
    pub questions: usize,
    pub answered: usize,
    /// What BM25 alone would have put in.
    pub by_words: usize,
    /// Hand-offs that held nothing.
    pub empty: usize,
    /// Answers that were omitted as not relevant.
    pub irrelevant: usize,
    /// Candidates that were omitted as not relevant, of all.
    pub dropped: usize,
}

impl Row {
    /// Whether the answer went in as often as by words alone, but for one in forty.
    pub fn holds(&self) -> bool {
        self.empty == 0 && self.answered + self.questions.div_ceil(40) >= self.by_words
    }
}

/// A small generator; the same seed gives the same sample.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % most.max(1) as u64).unwrap_or_default()
    }
}

/// Documents whose titles begin with the same word: a family of commands has pages that are hardly told apart.
const FAMILY: usize = 3;

/// The first word of a title.
fn family(title: &str) -> &str {
    title
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default()
}

/// A sample of documents with distinct questions; fewer where the folders do not hold as many.
pub fn sample(plan: &Plan) -> Vec<Document> {
    let mut files = documents::files(&plan.folders);
    let mut dice = Dice(plan.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut out: Vec<Document> = Vec::new();
    while out.len() < plan.documents && !files.is_empty() {
        let path = files.swap_remove(dice.below(files.len()));
        if let Some(document) = documents::read(&path)
            && out
                .iter()
                .filter(|known| family(&known.title) == family(&document.title))
                .count()
                < FAMILY
            && !out
                .iter()
                .any(|known| known.question == document.question || known.title == document.title)
        {
            out.push(document);
        }
    }
    out
}

/// Asks each question under each profile and mode.
pub fn run(plan: &Plan, documents: &[Document]) -> Result<Vec<Row>, String> {
    let now: DateTime<Utc> = "2026-06-09T12:00:00Z"
        .parse()
        .map_err(|error| format!("{error}"))?;
    let index = Words::of(documents);
    let sizes: Vec<usize> = documents.iter().map(size).collect();
    let by_words: Vec<bool> = (0..documents.len())
        .map(|at| index.puts_in(&documents[at].question, at, &sizes, plan.tokens))
        .collect();
    let mut rows = Vec::new();
    for mode in &plan.modes {
        let signals: Vec<Value> = documents
            .iter()
            .enumerate()
            .map(|(at, document)| signal(plan, *mode, at, document))
            .collect();
        for profile in &plan.profiles {
            let mut row = Row {
                mode: *mode,
                profile,
                questions: documents.len(),
                answered: 0,
                by_words: by_words.iter().filter(|put| **put).count(),
                empty: 0,
                irrelevant: 0,
                dropped: 0,
            };
            for (at, document) in documents.iter().enumerate() {
                let call = json!({"profile": profile, "intent": "developer_adoption", "query": document.question,
                    "signals": signals, "budget": {"max_tokens": plan.tokens}});
                let evaluation = evaluate_text(&call.to_string(), now, &Options::default())
                    .map_err(|error| error.message)?;
                let selection = evaluation.selection.ok_or("no selection")?;
                let place = evaluation
                    .verdicts
                    .iter()
                    .find(|verdict| verdict.position == at)
                    .map_or(0, |verdict| verdict.index);
                row.answered +=
                    usize::from(selection.selected.iter().any(|selected| selected.index == place));
                row.empty += usize::from(selection.selected.is_empty());
                let low = |omitted: &&freshcontext_budget::Omitted| {
                    omitted.reason == freshcontext_budget::Reason::LowRelevance
                };
                row.dropped += selection.omitted.iter().filter(low).count();
                row.irrelevant += usize::from(
                    selection
                        .omitted
                        .iter()
                        .filter(low)
                        .any(|omitted| omitted.index == place),
                );
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

fn signal(plan: &Plan, mode: Mode, at: usize, document: &Document) -> Value {
    let date = match mode {
        Mode::Dated => document.date.clone(),
        Mode::Undated => None,
        Mode::Half => document.date.clone().filter(|_| at.is_multiple_of(2)),
        Mode::Recent => Some(format!("2026-06-{:02}", 2 + at % 7)),
    };
    json!({"source": document.path, "source_type": plan.source_type, "title": document.title, "content": document.text,
        "published_at": date})
}

/// Tokens of a document in a hand-off, about.
fn size(document: &Document) -> usize {
    let quoted = document
        .text
        .lines()
        .flat_map(|line| ["> ", line, "\n"])
        .collect::<String>();
    Tokenizer::default().count(&quoted) + 90
}

/// BM25 over plain words (k1 1.2, b 0.75).
struct Words {
    texts: Vec<HashMap<String, f64>>,
    lengths: Vec<f64>,
}

impl Words {
    fn of(documents: &[Document]) -> Self {
        let mut texts = Vec::new();
        let mut lengths = Vec::new();
        for document in documents {
            let mut counts: HashMap<String, f64> = HashMap::new();
            let all = split(&document.title).into_iter().chain(split(&document.text));
            let mut length = 0.0;
            for word in all {
                length += 1.0;
                *counts.entry(word).or_default() += 1.0;
            }
            texts.push(counts);
            lengths.push(length);
        }
        Self { texts, lengths }
    }

    /// Whether the document at this place goes in where what scores best does, one after the other, and the first that
    /// does not fit is cut.
    fn puts_in(&self, question: &str, wanted: usize, sizes: &[usize], room: usize) -> bool {
        let all = self.texts.len() as f64;
        let average = self.lengths.iter().sum::<f64>() / all;
        let mut scores = vec![0.0; self.texts.len()];
        let mut asked = split(question);
        asked.sort();
        asked.dedup();
        for word in asked {
            let texts = self.texts.iter().filter(|text| text.contains_key(&word)).count() as f64;
            let weight = (1.0 + (all - texts + 0.5) / (texts + 0.5)).ln();
            for (score, (text, length)) in scores.iter_mut().zip(self.texts.iter().zip(&self.lengths)) {
                let count = text.get(&word).copied().unwrap_or_default();
                *score += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / average));
            }
        }
        let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
        let (mut left, mut cut) = (room, false);
        for at in order {
            if sizes[at] <= left {
                left -= sizes[at];
            } else if !cut && left >= 160 {
                (left, cut) = (0, true);
            } else {
                cut = true;
                continue;
            }
            if at == wanted {
                return true;
            }
        }
        false
    }
}

fn split(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
