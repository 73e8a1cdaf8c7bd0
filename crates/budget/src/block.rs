//! A block of an assembly: a candidate's text under its envelope.

use freshcontext_contract::moment::short_moment;
use freshcontext_contract::quote::quote_lines;

use crate::candidate::Candidate;
use crate::cut::GAP;
use crate::envelope::{Envelope, Headers};

/// The block with some parts of a content, which may be a part of the candidate's own; `cut` says what part. Every line
/// of them is quoted, so that the lines of the envelope and [`GAP`] between two parts are told from them by form alone.
/// Ends with a line break, so that blocks follow each other as they are. No tokenizer joins that line break with the
/// bracket at the beginning of the next block, so that the tokens of blocks add up to those of the assembly.
///
/// A moment of retrieval that the caller did not give has no line.
pub(crate) fn block(candidate: &Candidate<'_>, parts: &[&str], cut: Option<&str>) -> String {
    let length: usize = parts.iter().map(|part| part.len() + part.len() / 32).sum();
    let score = candidate.freshness.map(|score| format!("{score} of 100 by age"));
    let published = candidate.published_shown.as_deref().map(short_moment);
    let retrieved = candidate.retrieved_at.as_deref().map(short_moment);
    let headers = Headers {
        source: &candidate.source,
        published: published.as_deref(),
        retrieved: retrieved.as_deref(),
        // The specification has three words; of an unknown date it is the last one.
        confidence: match candidate.date_confidence {
            "unknown" => "low",
            known => known,
        },
        age: candidate.age.as_deref(),
        score: score.as_deref(),
    };
    let mut envelope = Envelope::new(&headers, length + candidate.details.len());
    envelope.optional("Standing", candidate.standing.as_deref());
    envelope.line("Decision", candidate.decision);
    envelope.optional("Title", candidate.title.as_deref());
    envelope.optional("Part", cut);
    let mut out = envelope.around(|out| {
        out.push_str(&candidate.details);
        let nothing = parts.iter().all(|part| part.is_empty());
        if !candidate.details.is_empty() && !nothing {
            out.push('\n');
        }
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                out.push_str(GAP);
            }
            quote_lines(out, part);
        }
        // An envelope has content: of an item that is nothing but a title, that title.
        if candidate.details.is_empty() && nothing {
            quote_lines(out, candidate.title.as_deref().unwrap_or(&candidate.source));
        }
    });
    out.push('\n');
    out
}

/// The block of the whole candidate.
pub(crate) fn whole(candidate: &Candidate<'_>) -> String {
    block(
        candidate,
        &[candidate.content.as_deref().unwrap_or_default()],
        None,
    )
}
