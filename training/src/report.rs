//! Measurements of the weights, as the model card reports them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use freshcontext_detect::{Kind, inspect_with};

use crate::data::Sample;
use crate::fit::model;

/// Correct results and all results of one row.
#[derive(Default, Clone, Copy)]
pub(crate) struct Tally {
    right: usize,
    all: usize,
}

impl Tally {
    fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.all += 1;
    }

    fn share(self) -> f64 {
        self.right as f64 / self.all.max(1) as f64 * 100.0
    }
}

/// Measurements of one set of samples.
#[derive(Default)]
pub(crate) struct Figures {
    sources: BTreeMap<(String, bool), Tally>,
    languages: BTreeMap<String, Tally>,
    kinds: BTreeMap<String, Tally>,
    named: Tally,
    lengths: BTreeMap<&'static str, Tally>,
    /// Correct results by tenths of the confidence.
    reliability: BTreeMap<u8, Tally>,
}

/// Runs a model on samples.
pub(crate) fn measure<'a>(
    bytes: &[u8],
    samples: impl Iterator<Item = &'a Sample>,
) -> Result<Figures, String> {
    let model = model(bytes)?;
    let mut figures = Figures::default();
    for sample in samples {
        let found = inspect_with(model, &sample.text);
        let right = found.failed == sample.failed;
        figures
            .sources
            .entry((sample.source.clone(), sample.failed))
            .or_default()
            .add(right);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a confidence lies within 0..=1"
        )]
        let tenth = (found.confidence * 10.0) as u8;
        figures.reliability.entry(tenth).or_default().add(right);
        if sample.failed {
            if !sample.language.is_empty() {
                figures
                    .languages
                    .entry(sample.language.clone())
                    .or_default()
                    .add(right);
            }
            if let Some(kind) = sample.kind {
                figures
                    .kinds
                    .entry(kind.as_str().to_owned())
                    .or_default()
                    .add(right);
                if let Some(found) = found.kind {
                    figures.named.add(akin(found, kind));
                }
            }
        } else {
            let length = match sample.text.len() {
                0..=150 => "up to 150 bytes",
                151..=1000 => "151 to 1,000 bytes",
                _ => "longer than 1,000 bytes",
            };
            figures.lengths.entry(length).or_default().add(right);
        }
    }
    Ok(figures)
}

/// Returns whether two kinds are interchangeable: a caller handles both alike.
pub(crate) fn akin(found: Kind, wanted: Kind) -> bool {
    const NEAR: &[&[Kind]] = &[
        &[Kind::Challenge, Kind::ScriptRequired, Kind::AccessDenied],
        &[Kind::Unavailable, Kind::ServerError, Kind::Timeout],
        &[Kind::ClientError, Kind::NotFound, Kind::Empty],
        &[Kind::LoginRequired, Kind::AccessDenied],
    ];
    // a tool error may have the kind of its cause
    found == wanted
        || wanted == Kind::ToolError
        || NEAR
            .iter()
            .any(|near| near.contains(&found) && near.contains(&wanted))
}

impl Figures {
    /// Formats the measurements as Markdown tables.
    pub(crate) fn tables(&self) -> String {
        let mut out = String::from(
            "| source | failures found | of | content taken for failures | of |\n| --- | ---: | ---: | ---: | ---: |\n",
        );
        let names: std::collections::BTreeSet<&String> = self.sources.keys().map(|(name, _)| name).collect();
        for name in names {
            let row = |failed: bool| self.sources.get(&(name.clone(), failed)).copied();
            let (found, wronged) = (row(true), row(false));
            let cell = |tally: Option<Tally>, of: fn(Tally) -> f64| {
                tally.map_or("– | –".to_owned(), |tally| {
                    format!("{:.1} % | {}", of(tally), tally.all)
                })
            };
            // writing to a string cannot fail
            let _ = writeln!(
                out,
                "| {name} | {} | {} |",
                cell(found, Tally::share),
                cell(wronged, |tally| 100.0 - tally.share())
            );
        }
        let mut table = |head: &str, rows: Vec<(String, Tally)>| {
            if rows.is_empty() {
                return;
            }
            let _ = write!(out, "\n| {head} |\n| --- | ---: | ---: |\n");
            for (name, tally) in rows {
                let _ = writeln!(out, "| {name} | {:.1} % | {} |", tally.share(), tally.all);
            }
        };
        table(
            "kind | failures found | of",
            self.kinds
                .iter()
                .map(|(name, tally)| (name.clone(), *tally))
                .collect(),
        );
        if self.named.all > 0 {
            table(
                "named | by the right kind or one akin | of",
                vec![("all kinds".to_owned(), self.named)],
            );
        }
        table(
            "length of content | kept | of",
            self.lengths
                .iter()
                .map(|(name, tally)| ((*name).to_owned(), *tally))
                .collect(),
        );
        table(
            "confidence | right | of",
            self.reliability
                .iter()
                .map(|(tenth, tally)| (format!("from 0.{tenth}").replace("0.10", "1.0"), *tally))
                .collect(),
        );
        if !self.languages.is_empty() {
            let mut languages: Vec<_> = self
                .languages
                .iter()
                .filter(|(_, tally)| tally.all >= 5)
                .collect();
            languages.sort_by(|a, b| b.1.share().total_cmp(&a.1.share()).then(a.0.cmp(b.0)));
            let list: Vec<String> = languages
                .iter()
                .map(|(name, tally)| format!("{name} {:.0}", tally.share()))
                .collect();
            let _ = write!(
                out,
                "\nFailures found by language, in percent: {}.\n",
                list.join(", ")
            );
        }
        out
    }
}
