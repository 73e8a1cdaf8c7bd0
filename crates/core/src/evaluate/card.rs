//! The text: one short card for each result.

use std::fmt::Write as _;

use super::Evaluation;
use super::profile::Intent;
use super::verdict::Verdict;
use crate::sanitize::cut_marked;

/// Longest title on a card, in characters.
const TITLE: usize = 56;
/// Longest source on a card, in characters.
const SOURCE: usize = 160;

/// Room for the lines on origins, in characters.
const ORIGINS: usize = 2_000;

/// The whole text.
pub(super) fn cards(evaluation: &Evaluation) -> String {
    let Evaluation {
        profile,
        intent,
        now,
        notes,
        legend,
        verdicts,
        origins,
        ..
    } = evaluation;
    let caveat = Intent::find(intent).and_then(|intent| intent.caveat);
    let mut out = String::with_capacity(200 + verdicts.len() * 240);
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "{} for {profile}, {intent}, at {now}",
        counted(verdicts.len(), "signal")
    );
    let counts = legend.0.iter().map(|decision| {
        let count = verdicts
            .iter()
            .filter(|verdict| verdict.decision == *decision)
            .count();
        format!("{count} {}", decision.as_str())
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    if !counts.is_empty() {
        out.extend([": ", counts.as_str()]);
    }
    out.push('.');
    if let Some(caveat) = caveat {
        let _ = write!(out, "\n{caveat}");
    }
    for note in notes {
        out.extend(["\n", note]);
    }
    if let Some(told) = origins {
        out.extend(["\nOrigins: ", &told.phrase()]);
        for line in told.lines(|number| number.to_string(), ORIGINS) {
            out.extend(["\n- ", &line]);
        }
    }
    for verdict in verdicts {
        card(&mut out, verdict, caveat);
    }
    out
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

fn card(out: &mut String, verdict: &Verdict, caveat: Option<&str>) {
    let words = verdict.decision.words();
    let why = verdict.why.first().map_or("", String::as_str);
    // Writing to a string cannot fail.
    let _ = write!(out, "\n\n{}. ", verdict.index);
    out.extend([&cut_marked(&verdict.title, TITLE), "\n"]);
    out.extend([words.label, ": ", why, " ", words.action, "\n"]);
    out.extend(["Source: ", &cut_marked(&verdict.source, SOURCE), "\n"]);
    match verdict.freshness_score {
        Some(score) => {
            let _ = write!(out, "Freshness {score}/100");
        }
        None => out.push_str("Freshness unknown"),
    }
    let _ = write!(
        out,
        ", rank {:.3}, {} confidence",
        verdict.rank_score,
        verdict.confidence.as_str()
    );
    if let Some(duplicate) = verdict.duplicate {
        out.extend([", ", &duplicate.short()]);
    }
    // The caveat of the intent stands at the top once.
    let said = usize::from(verdict.duplicate.is_some());
    for warning in verdict
        .warnings
        .iter()
        .skip(said)
        .filter(|warning| Some(warning.as_str()) != caveat)
    {
        let _ = write!(out, "\nMind: {warning}");
    }
}
