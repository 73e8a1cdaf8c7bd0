//! What is said about deliverables, as text and as data.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_contract::{code, named, quoted};
use freshcontext_core::date::is_future;
use freshcontext_core::evaluate::Evaluation;
use freshcontext_core::sanitize::{clean_error, clean_line};
use freshcontext_deliverables::{Definition, Snapshot, Source, State, Version};
use freshcontext_store::{DeliverableRow, VersionRow};
use serde::Serialize;
use serde_json::{Value, json};

use super::followed::{Followed, Found};
use super::keep::Kept;
use super::moment;
use freshcontext_core::date::{KeptMoment, unknown_time};
use freshcontext_engine::{Deliverable, SourcesState};

pub(super) fn outcome(text: String, structured: Value) -> Deliverable {
    Deliverable {
        text,
        structured,
        evaluation: None,
        state: SourcesState::Fresh,
    }
}

pub(super) fn added(name: &str, definition: &Definition) -> Deliverable {
    let sources: Vec<String> = definition
        .sources
        .iter()
        .map(|source| format!("\n- {}", clean_line(&source.words())))
        .collect();
    let text = format!("Added: {name}{}", sources.concat());
    outcome(text, json!({"name": name, "definition": definition}))
}

pub(super) fn removed(name: &str) -> Deliverable {
    outcome(format!("Removed: {name}"), json!({"name": name, "removed": true}))
}

/// The deliverables with their sources, or with their versions, which are in the same order.
pub(super) fn list(
    all: &[(DeliverableRow, Definition)],
    versions: Option<&[Vec<VersionLine>]>,
    now: DateTime<Utc>,
) -> Deliverable {
    let mut text = String::new();
    let mut rows = Vec::new();
    for (at, (row, definition)) in all.iter().enumerate() {
        let lines = versions.and_then(|versions| versions.get(at));
        let newest = row.version_ms.map(|ms| KeptMoment::of(ms, now));
        let sources: Vec<String> = definition.sources.iter().map(Source::words).collect();
        let version = match &newest {
            Some(KeptMoment { at: Some(at), .. }) => format!("version {} of {at}", row.version),
            Some(newest) => format!("version {}, made {}", row.version, newest.words()),
            None => "no version yet".to_owned(),
        };
        let _ = writeln!(text, "{}: {version}", row.name);
        for source in sources.iter().filter(|_| lines.is_none()) {
            let _ = writeln!(text, "- {}", clean_line(source));
        }
        for line in lines.into_iter().flatten() {
            let _ = writeln!(text, "- {}", line.words());
        }
        let mut out = json!({
            "name": row.name,
            "version": row.version,
            "generated_at": newest.as_ref().and_then(|newest| newest.at.as_deref()),
            "created_at": KeptMoment::of(row.created_ms, now).at,
            "definition": definition,
        });
        if let (Some(ahead), Some(out)) = (newest.and_then(|newest| newest.ahead), out.as_object_mut()) {
            out.insert("generated_at_ahead".to_owned(), ahead.into());
        }
        if let (Some(lines), Some(out)) = (lines, out.as_object_mut()) {
            out.insert("versions".to_owned(), json!(lines));
        }
        rows.push(out);
    }
    if rows.is_empty() {
        "There is none.".clone_into(&mut text);
    }
    outcome(text.trim_end().to_owned(), json!({"deliverables": rows}))
}

/// Whether the stored items of a source are what it says now; `None` where that could not be found out.
const fn fresh(one: &Followed) -> Option<bool> {
    match one.found {
        Found::Reused | Found::Current => Some(true),
        Found::Stale | Found::NeverSynced => Some(false),
        Found::CouldNotCheck => None,
    }
}

/// What is said of a source that was asked.
fn row(one: &Followed) -> Value {
    let mut out = json!({
        "resource_id": one.source.resource(),
        "resource_name": one.source.words(),
        "verdict": one.found.as_str(),
        "requests": one.requests,
    });
    let mut put = |name: &str, value: Value| {
        if let Some(out) = out.as_object_mut() {
            out.insert(name.to_owned(), value);
        }
    };
    put("fresh", fresh(one).into());
    put("current_latest", one.latest().map(moment).into());
    if let Some(kept) = &one.kept {
        put("synced_at", kept.held.synced_at.as_deref().into());
        if let Some(ahead) = &kept.held.synced_at_ahead {
            put("synced_at_ahead", ahead.as_str().into());
        }
        put("checked_at", kept.held.checked_at.as_deref().into());
        put("item_count", kept.held.items.len().into());
        put("platform_cursor", kept.held.platform_cursor.as_deref().into());
        if !kept.held.incomplete.is_empty() {
            put("incomplete", json!(kept.held.incomplete));
        }
    }
    if let Some(trouble) = &one.trouble {
        put("code", trouble.code.as_str().into());
        put("message", trouble.message.as_str().into());
        put("retry_after_s", trouble.retry_after_s.into());
    }
    out
}

fn synced_words(at: Option<&str>, ahead: Option<&str>) -> String {
    match (at, ahead) {
        (Some(at), _) => at.to_owned(),
        (None, Some(ahead)) => unknown_time(ahead),
        (None, None) => "never".to_owned(),
    }
}

fn line(one: &Followed, said: &str) -> String {
    let mut out = format!("\n- {}: {said}", clean_line(&one.source.words()));
    if let Some(kept) = &one.kept {
        let synced = synced_words(
            kept.held.synced_at.as_deref(),
            kept.held.synced_at_ahead.as_deref(),
        );
        let _ = write!(out, ", synced {synced}");
        for part in &kept.held.incomplete {
            let of = part_of(&part.what, &one.source.words());
            let of = match of.trim_end_matches(": ") {
                "" => "some of it",
                named => named,
            };
            let _ = write!(out, "; {of} could not be read: {}", part.code);
        }
    }
    if let Some(trouble) = &one.trouble {
        let _ = write!(out, ": {}: {}", trouble.code, clean_error(&trouble.message));
    }
    out
}

fn asked(all: &[Followed]) -> u32 {
    all.iter().map(|one| one.requests).sum()
}

fn plural(count: u32) -> &'static str {
    if count == 1 { "" } else { "s" }
}

pub(super) fn checked(name: &str, all: &[Followed], now: DateTime<Utc>) -> Deliverable {
    let requests = asked(all);
    let mut text = format!(
        "Checked: {name}, {} ({requests} request{})",
        moment(now),
        plural(requests)
    );
    for one in all {
        text.push_str(&line(one, one.found.as_str()));
        if let Some(latest) = one.latest() {
            let _ = write!(text, "; newest item {}", moment(latest));
        }
    }
    let sources: Vec<Value> = all.iter().map(row).collect();
    let structured = json!({
        "name": name,
        "checked_at": moment(now),
        "requests": requests,
        "fresh": all.iter().all(|one| fresh(one) == Some(true)),
        "sources": sources,
    });
    let state = |one: &Followed| match fresh(one) {
        Some(true) => SourcesState::Fresh,
        Some(false) => SourcesState::Stale,
        None => SourcesState::Unchecked,
    };
    Deliverable {
        text,
        structured,
        evaluation: None,
        state: all.iter().map(state).max().unwrap_or_default(),
    }
}

pub(super) fn synced(name: &str, all: &[Followed], now: DateTime<Utc>) -> Deliverable {
    let requests = asked(all);
    let mut text = format!(
        "Synced: {name}, {} ({requests} request{})",
        moment(now),
        plural(requests)
    );
    for one in all {
        let was = match one.found.as_str() {
            "stale" => "was stale",
            "never_synced" => "was never synced",
            other => other,
        };
        text.push_str(&line(one, was));
    }
    let sources: Vec<Value> = all.iter().map(row).collect();
    let structured = json!({
        "name": name,
        "synced_at": moment(now),
        "requests": requests,
        "sources": sources,
    });
    outcome(text, structured)
}

/// How long ago, in words.
fn ago(then: &str, now: DateTime<Utc>) -> String {
    let Ok(then) = DateTime::parse_from_rfc3339(then) else {
        return String::new();
    };
    if is_future(then.to_utc(), now) {
        return "ahead of this clock".to_owned();
    }
    let minutes = now.signed_duration_since(then).num_minutes().max(0);
    let (count, unit) = match minutes {
        0 => return "just now".to_owned(),
        1..60 => (minutes, "minute"),
        60..2880 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} ago")
}

/// The sources of a version as lines of Markdown: how each stood, and how old what came of it is.
pub(super) fn sources(snapshots: &[Snapshot], now: DateTime<Utc>) -> String {
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

/// The part of a source that a trouble is about, with a colon; nothing where it is about the whole.
fn part_of<'a>(what: &'a str, source: &str) -> Cow<'a, str> {
    let part = what.strip_prefix(source).unwrap_or(what).trim_start_matches(": ");
    if part.is_empty() {
        return Cow::Borrowed("");
    }
    Cow::Owned(format!("{}: ", named(&clean_line(part))))
}

/// A line for each source of which not all is known at that moment.
pub(super) fn unchecked(snapshots: &[Snapshot]) -> Vec<String> {
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
pub(super) fn missing(snapshots: &[Snapshot], evaluation: Option<&Evaluation>, beyond: usize) -> String {
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

fn whole(row: &VersionRow, version: &Version) -> Value {
    let mut structured = json!(version);
    if let Some(structured) = structured.as_object_mut() {
        structured.insert("hash".to_owned(), row.hash.as_str().into());
        structured.insert(
            "predecessor_hash".to_owned(),
            row.predecessor_hash.as_deref().into(),
        );
    }
    structured
}

/// A version with everything in it, as it was made. Where that was by a clock that is ahead of the one of now, this is said
/// beside it.
pub(super) fn version(row: &VersionRow, version: &Version, now: DateTime<Utc>) -> Deliverable {
    let mut structured = whole(row, version);
    let mut text = version.markdown.clone();
    if let Some(ahead) = KeptMoment::of(row.created_ms, now).ahead {
        let _ = write!(
            text,
            "\n\nNote: this version was made {}; its moments and ages are by the clock of then",
            unknown_time(&ahead)
        );
        if let Some(structured) = structured.as_object_mut() {
            structured.insert("generated_at_ahead".to_owned(), ahead.into());
        }
    }
    outcome(text, structured)
}

/// A version that was just made: as `show` has it, and what it took.
pub(super) fn generated(row: &VersionRow, version: &Version, requests: u32) -> Deliverable {
    let mut structured = whole(row, version);
    if let Some(structured) = structured.as_object_mut() {
        structured.insert("style".to_owned(), version.definition.style.as_deref().into());
        structured.insert("recipients".to_owned(), json!(version.definition.recipients));
        structured.insert("requests".to_owned(), requests.into());
    }
    outcome(version.markdown.clone(), structured)
}

/// A version in a list.
#[derive(Debug, Serialize)]
pub(super) struct VersionLine {
    version: i64,
    generated_at: String,
    hash: String,
    predecessor_hash: Option<String>,
    items: usize,
    selected: usize,
}

impl VersionLine {
    pub(super) fn of(row: &VersionRow, version: &Version) -> Self {
        Self {
            version: version.version,
            generated_at: version.generated_at.clone(),
            hash: row.hash.clone(),
            predecessor_hash: row.predecessor_hash.clone(),
            items: version.items.len(),
            selected: version.blocks.as_array().map_or(0, Vec::len),
        }
    }

    fn words(&self) -> String {
        format!(
            "version {}, {}: {} of {}, {}",
            self.version,
            self.generated_at,
            self.selected,
            counted(self.items, "item"),
            self.hash
        )
    }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// What is stored of the sources of all deliverables. Nobody was asked.
pub(super) fn stored(all: &[(Source, Vec<String>, Option<Kept>)], now: DateTime<Utc>) -> Deliverable {
    let mut text = String::new();
    let mut rows = Vec::new();
    for (source, deliverables, kept) in all {
        let words = source.words();
        let held = kept.as_ref().map(|kept| &kept.held);
        let synced = held.and_then(|held| held.synced_at.as_deref());
        let ahead = held.and_then(|held| held.synced_at_ahead.as_deref());
        let _ = write!(text, "{}: ", clean_line(&words));
        match held {
            None => text.push_str("never synced"),
            Some(held) => {
                let _ = write!(
                    text,
                    "{}, synced {}",
                    counted(held.items.len(), "item"),
                    synced_words(synced, ahead)
                );
                let ages = [("", synced), (", confirmed ", held.checked_at.as_deref())];
                for (label, at) in ages {
                    let Some(at) = at else { continue };
                    let ago = ago(at, now);
                    let _ = match label {
                        "" => write!(text, " ({ago})"),
                        label => write!(text, "{label}{at} ({ago})"),
                    };
                }
                if !held.incomplete.is_empty() {
                    text.push_str(", not all of it");
                }
            }
        }
        let _ = writeln!(text, "; in {}", deliverables.join(", "));
        rows.push(json!({
            "resource_id": source.resource(),
            "resource_name": words,
            "deliverables": deliverables,
            "synced_at": synced,
            "synced_at_ahead": ahead,
            "checked_at": held.and_then(|held| held.checked_at.as_deref()),
            "source_latest_at": held.and_then(|held| held.source_latest_at.as_deref()),
            "platform_cursor": held.and_then(|held| held.platform_cursor.as_deref()),
            "item_count": held.map(|held| held.items.len()),
            "incomplete": held.map(|held| &held.incomplete),
        }));
    }
    if rows.is_empty() {
        "Nothing is synced: no deliverable is defined.".clone_into(&mut text);
    }
    outcome(text.trim_end().to_owned(), json!({"sources": rows}))
}

/// What each source gave, and what became of it, for the error of a version without an item.
pub(super) fn gave(snapshots: &[Snapshot], evaluation: Option<&Evaluation>) -> String {
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
