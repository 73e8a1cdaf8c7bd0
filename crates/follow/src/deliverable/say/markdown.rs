//! What the text of a version says of its sources and of what is missing, as lines of Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_contract::quote::quoted_within;
use freshcontext_contract::{code, named, quoted};
use freshcontext_core::evaluate::Evaluation;
use freshcontext_core::sanitize::{clean_error, clean_line};
use freshcontext_deliverables::{Entry, Snapshot, State};

use super::{ago, counted, part_of, synced_words};

/// The sources of a version as lines of Markdown: how each stood, and how old what came of it is.
pub(in crate::deliverable) fn sources(snapshots: &[Snapshot], now: DateTime<Utc>) -> String {
    let mut out = String::new();
    for snapshot in snapshots {
        let _ = write!(out, "- {}: ", code(&clean_line(&snapshot.resource_name)));
        let synced = synced_words(snapshot.synced_at.as_deref(), snapshot.synced_at_ahead.as_deref());
        let age = snapshot.synced_at.as_deref().map(|then| ago(then, now));
        let age = age.unwrap_or_default();
        let items = match snapshot.item_count {
            1 => "1 item".to_owned(),
            count => format!("{count} items"),
        };
        let _ = match snapshot.state {
            State::Current => {
                let checked = snapshot.checked_at.as_deref().unwrap_or("never");
                write!(out, "{items}, synced {synced} ({age}), confirmed {checked}")
            }
            State::Partial => write!(out, "{items}, synced {synced} ({age}), not all of it"),
            State::LastUsed => write!(
                out,
                "could not be checked; {items} as of {synced} ({age}), judged at now"
            ),
            State::LeftOut => write!(
                out,
                "could not be checked, and is left out (last synced {synced})"
            ),
        };
        for id in &snapshot.gone {
            let _ = write!(out, "; gone: {}", named(id));
        }
        for trouble in &snapshot.troubles {
            let _ = write!(
                out,
                "; {}{}: {}",
                part_of(&trouble.what, &snapshot.resource_name),
                trouble.code,
                clean_error(&trouble.message)
            );
        }
        out.push('\n');
    }
    out.trim_end().to_owned()
}

/// The item that a result of the evaluation is of.
pub(in crate::deliverable) fn entry_of<'e>(
    evaluation: &Evaluation,
    entries: &'e [Entry],
    number: usize,
) -> Option<&'e Entry> {
    let mut verdicts = evaluation.verdicts.iter();
    let verdict = verdicts.find(|verdict| verdict.index == number)?;
    entries.get(verdict.position)
}

/// How many independent origins the items have, as lines of Markdown; empty where every item is its own origin.
pub(in crate::deliverable) fn origins(evaluation: Option<&Evaluation>, entries: &[Entry]) -> String {
    let told = evaluation.and_then(|evaluation| Some((evaluation, evaluation.origins.as_ref()?)));
    let Some((evaluation, told)) = told else {
        return String::new();
    };
    let name = |number| {
        let title = entry_of(evaluation, entries, number).map(Entry::title);
        quoted_within(&clean_line(title.unwrap_or_default()), TITLE_CHARS)
    };
    let mut out = format!("\n- Origins: {}", told.phrase());
    for line in told.lines(name, ORIGINS_CHARS) {
        out.push_str("\n  - ");
        out.push_str(&line);
    }
    out
}

/// Longest title of an item that lines on origins name, in characters.
const TITLE_CHARS: usize = 60;
/// Room for the lines on origins, in characters.
const ORIGINS_CHARS: usize = 4_000;

/// A line for each source of which not all is known at that moment.
pub(in crate::deliverable) fn unchecked(snapshots: &[Snapshot]) -> Vec<String> {
    let of = |snapshot: &Snapshot| {
        let name = clean_line(&snapshot.resource_name).into_owned();
        match snapshot.state {
            State::Current => None,
            State::Partial => Some(format!("{name}: some of it could not be read")),
            State::LastUsed => Some(format!("{name}: what changed since it was last synced")),
            State::LeftOut => Some(format!("{name}: all of it")),
        }
    };
    snapshots.iter().filter_map(of).collect()
}

/// Items that are named with the reason why they were left out; further ones are counted.
const NAMED: usize = 50;

/// A line for each item that was left out, with its reason.
fn left_out(evaluation: &Evaluation, out: &mut String) {
    let omitted = evaluation
        .selection
        .iter()
        .flat_map(|selection| &selection.omitted);
    let mut rest: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, omitted) in omitted.enumerate() {
        let reason = omitted.reason.as_str();
        let found = evaluation.verdicts.get(omitted.index.wrapping_sub(1));
        let Some(verdict) = found.filter(|_| at < NAMED) else {
            *rest.entry(reason).or_insert(0) += 1;
            continue;
        };
        let (title, source) = (quoted(&verdict.title), named(&verdict.source));
        let detail = omitted.detail.trim_end_matches('.');
        let _ = writeln!(
            out,
            "- Left out: {title} ({source}): {reason}: {}",
            clean_line(detail)
        );
    }
    for (reason, count) in rest {
        let items = if count == 1 { "item" } else { "items" };
        let _ = writeln!(out, "- {count} more {items} left out: {reason}");
    }
}

/// What is known to be missing, and what was left out, as lines of Markdown.
pub(in crate::deliverable) fn missing(
    snapshots: &[Snapshot],
    evaluation: Option<&Evaluation>,
    beyond: usize,
) -> String {
    let mut out = String::new();
    for line in unchecked(snapshots) {
        let _ = writeln!(out, "- {line}");
    }
    if let Some(evaluation) = evaluation {
        left_out(evaluation, &mut out);
    }
    let gaps = evaluation.and_then(|evaluation| evaluation.missing_context.as_ref());
    for gap in gaps.into_iter().flatten() {
        let _ = writeln!(out, "- {}", clean_line(&gap.question));
    }
    if beyond > 0 {
        let _ = writeln!(
            out,
            "- {beyond} more items are kept with this version and were not judged"
        );
    }
    if out.is_empty() {
        "Nothing is known to be.".clone_into(&mut out);
    }
    out.trim_end().to_owned()
}

/// What each source gave, and what became of it, for the error of a version without an item.
pub(in crate::deliverable) fn gave(snapshots: &[Snapshot], evaluation: Option<&Evaluation>) -> String {
    let given: Vec<String> = snapshots
        .iter()
        .map(|snapshot| {
            let items = counted(snapshot.item_count, "item");
            let trouble = snapshot
                .troubles
                .first()
                .map(|trouble| format!(" ({})", trouble.code));
            let trouble = trouble.unwrap_or_default();
            format!(
                "{} gave {items}{trouble}",
                code(&clean_line(&snapshot.resource_name))
            )
        })
        .collect();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let selection = evaluation.and_then(|evaluation| evaluation.selection.as_ref());
    for omitted in selection.iter().flat_map(|selection| &selection.omitted) {
        *reasons.entry(omitted.reason.as_str()).or_insert(0) += 1;
    }
    let reasons: Vec<String> = reasons
        .into_iter()
        .map(|(reason, count)| format!("{count} left out for {reason}"))
        .collect();
    [given, reasons].concat().join("; ")
}
