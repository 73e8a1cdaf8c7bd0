//! A block of an assembly: a candidate's text under its envelope.

use std::fmt::Write as _;

use freshcontext_contract::quote::quote_lines;

use crate::candidate::Candidate;
use crate::cut::GAP;

/// The block with some parts of a content, which may be a part of the candidate's own; `cut` says what part. Every line
/// of them is quoted, so that the lines of the envelope and [`GAP`] between two parts are told from them by form alone.
/// Ends with a line break, so that blocks follow each other as they are. No tokenizer joins that line break with the
/// bracket at the beginning of the next block, so that the tokens of blocks add up to those of the assembly.
///
/// The headers come in the specification's order. A moment of retrieval that the caller did not give has no line.
pub(crate) fn block(candidate: &Candidate<'_>, parts: &[&str], cut: Option<&str>) -> String {
    let length: usize = parts.iter().map(|part| part.len() + part.len() / 32).sum();
    let mut out = String::with_capacity(length + candidate.source.len() + candidate.details.len() + 280);
    out.push_str("[FRESHCONTEXT]\nSource: ");
    out.push_str(&candidate.source);
    out.push_str("\nPublished: ");
    out.push_str(candidate.published_shown.as_deref().unwrap_or("unknown"));
    if let Some(retrieved) = candidate.retrieved_at.as_deref() {
        out.extend(["\nRetrieved: ", retrieved]);
    }
    // The specification has three words; of an unknown date it is the last one.
    let confidence = match candidate.date_confidence {
        "unknown" => "low",
        known => known,
    };
    out.extend(["\nConfidence: ", confidence]);
    if let Some(age) = candidate.age.as_deref() {
        out.extend(["\nAge: ", age]);
    }
    out.push_str("\nScore: ");
    match candidate.freshness {
        // Writing to a string cannot fail.
        Some((score, name)) => drop(write!(out, "{score} ({name})")),
        None => out.push_str("unknown"),
    }
    if let Some(standing) = candidate.standing.as_deref() {
        out.extend(["\nStanding: ", standing]);
    }
    out.extend(["\nDecision: ", candidate.decision]);
    if let Some(title) = candidate.title.as_deref() {
        out.extend(["\nTitle: ", title]);
    }
    if let Some(cut) = cut {
        out.extend(["\nPart: ", cut]);
    }
    out.push_str("\n---\n");
    out.push_str(&candidate.details);
    let nothing = parts.iter().all(|part| part.is_empty());
    if !candidate.details.is_empty() && !nothing {
        out.push('\n');
    }
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push_str(GAP);
        }
        quote_lines(&mut out, part);
    }
    // An envelope has content: of an item that is nothing but a title, that title.
    if candidate.details.is_empty() && nothing {
        quote_lines(&mut out, candidate.title.as_deref().unwrap_or(&candidate.source));
    }
    out.push_str("\n[/FRESHCONTEXT]\n");
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
