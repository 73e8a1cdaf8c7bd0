//! Failure wordings in context: whether a text is a failure, quotes one, or reports one.

use crate::data::Sample;
use crate::fit::Sequence;
use crate::{held, places};

/// Training weight of a report.
const REPORTED: f32 = 0.45;

/// Adds every failure wording in contexts that make it content, in contexts of failure pages, in reports, and next to
/// documents.
pub(crate) fn add(samples: &mut Vec<Sample>) {
    let contexts = take(samples, "contexts");
    let reports = take(samples, "reports");
    let wordings: Vec<Sample> = of_source(samples, "wordings").cloned().collect();
    in_context(samples, &wordings, &contexts);
    reported(samples, &wordings, &reports);
    beside_documents(samples, &wordings);
}

fn of_source<'a>(samples: &'a [Sample], source: &'a str) -> impl Iterator<Item = &'a Sample> {
    samples.iter().filter(move |sample| sample.source == source)
}

/// Removes and returns the samples of a source whose samples are not texts by themselves.
fn take(samples: &mut Vec<Sample>, source: &str) -> Vec<Sample> {
    let (taken, rest) = std::mem::take(samples)
        .into_iter()
        .partition(|sample| sample.source == source);
    *samples = rest;
    taken
}

/// Creates a sample from a wording and the text around it.
fn around(wording: &Sample, failed: bool, text: String, weight: f32) -> Sample {
    Sample {
        failed,
        kind: wording.kind.filter(|_| failed),
        source: "contexts".to_owned(),
        text,
        weight,
        ..wording.clone()
    }
}

/// Adds every wording in contexts that make it content and in contexts of failure pages.
fn in_context(samples: &mut Vec<Sample>, wordings: &[Sample], contexts: &[Sample]) {
    let (failed, content): (Vec<_>, Vec<_>) = contexts.iter().partition(|sample| sample.failed);
    let mut sequence = Sequence(5);
    for wording in wordings {
        for (contexts, weight) in [
            (&content, 0.4),
            (&content, 0.4),
            (&content, 0.4),
            (&failed, 0.12),
            (&failed, 0.12),
        ] {
            let context = contexts.get(sequence.below(contexts.len()));
            samples.extend(context.map(|context| {
                let text = context.text.replace("{}", &wording.text);
                around(wording, context.failed, text, weight)
            }));
        }
    }
}

/// Adds reports of a retrieval's result: a failure with a failure wording, content with a title.
fn reported(samples: &mut Vec<Sample>, wordings: &[Sample], reports: &[Sample]) {
    let titles = places::titles(samples);
    let mut sequence = Sequence(8);
    for wording in wordings {
        for failed in [true, true, false, false] {
            let report = reports.get(sequence.below(reports.len()));
            let title = titles.get(sequence.below(titles.len()));
            let (Some(report), Some(title)) = (report, title) else {
                continue;
            };
            let said = if failed { &wording.text } else { title };
            let text = report.text.replace("{}", said);
            samples.push(around(wording, failed, text, REPORTED));
        }
    }
}

/// Training weight of a document with wordings next to it.
const BESIDE: f32 = 3.5;

/// Maximum number of wordings quoted together. One in [`REPEATED`] documents repeats a single sentence.
const QUOTED: usize = 4;
const REPEATED: usize = 4;

/// Adds documents with wordings before or after them, as text and as HTML: a quotation of a failure is not a failure.
fn beside_documents(samples: &mut Vec<Sample>, wordings: &[Sample]) {
    let is_document = |sample: &&Sample| {
        !sample.failed
            && !sample.message
            && !held(sample)
            && (500..4000).contains(&sample.text.len())
            && !sample.text.starts_with(['<', '{', '['])
    };
    let documents = samples.iter().filter(is_document);
    let documents: Vec<String> = documents.map(|sample| sample.text.clone()).collect();
    let mut sequence = Sequence(6);
    for wording in wordings {
        for form in 0..3 {
            let Some(document) = documents.get(sequence.below(documents.len())) else {
                continue;
            };
            let bytes = 400 + sequence.below(600);
            let prose = document
                .get(..document.floor_char_boundary(bytes))
                .unwrap_or_default();
            let sentence = prose
                .split_inclusive(". ")
                .next()
                .filter(|_| sequence.below(REPEATED) == 0);
            let repeated = sentence.map(|sentence| sentence.repeat(bytes.div_ceil(sentence.len().max(1))));
            let prose = repeated.as_deref().unwrap_or(prose);
            let mut said = wording.text.clone();
            for _ in 0..sequence.below(QUOTED) {
                if let Some(other) = wordings.get(sequence.below(wordings.len())) {
                    said = format!("{said}. {}", other.text);
                }
            }
            let text = match form {
                0 => format!("{said}\n\n{prose}"),
                1 => format!("{prose}\n\n{said}"),
                _ => format!("<p>{said}</p>\n<p>{}</p>", prose.replace('<', "&lt;")),
            };
            samples.push(around(wording, false, text, BESIDE));
        }
    }
}
