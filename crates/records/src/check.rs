//! Holding records to their rules: forms, references, partition, states, order, room, and nothing secret left.

use std::collections::{BTreeMap, BTreeSet};

use chrono::DateTime;
use freshcontext_budget::quote::{named, quoted};
use serde_json::Value;

use crate::bundle::{Bundle, Record};
use crate::ids::{kind_of, sha256_hex};
use crate::values::{Kind, State};
use freshcontext_redact::{joined, masked, sweep};

/// Everything that is wrong with a bundle, a line for each.
pub fn check(bundle: &Bundle) -> Vec<String> {
    let records = bundle.records();
    let mut out = Vec::new();
    ids(&records, &mut out);
    out.extend(
        bundle
            .dangling()
            .into_iter()
            .map(|what| format!("dangling reference: {what}")),
    );
    for record in &records {
        moments(&record.id, "", &record.value, &mut out);
        secrets(&record.id, &record.value, &mut out);
    }
    selections(bundle, &mut out);
    room(bundle, &mut out);
    events(bundle, &mut out);
    // What is said of a bundle may be its own words.
    for line in &mut out {
        *line = masked(line).0.into_owned();
    }
    out
}

/// Compares a text with the hash of what was delivered and with the hashes of its blocks. Returns the text in the bytes that
/// were hashed, which may differ at its end by a line break, or a line for each mismatch.
pub fn delivered(bundle: &Bundle, text: &str) -> Result<String, Vec<String>> {
    let hashes: Vec<&str> = bundle
        .context_injection
        .iter()
        .filter_map(|injection| injection.hash.as_deref())
        .collect();
    if hashes.is_empty() {
        return Err(vec!["no hash of the delivered text is recorded".to_owned()]);
    }
    let trimmed = text.trim_end();
    let forms = [text.to_owned(), trimmed.to_owned(), format!("{trimmed}\n")];
    let hash = |text: &str| format!("sha256:{}", sha256_hex(text));
    let found = forms
        .into_iter()
        .find(|form| hashes.contains(&hash(form).as_str()));
    let Some(found) = found else {
        let recorded = hashes.join(", ");
        return Err(vec![format!(
            "the text is not what was delivered: its hash is {}, the recorded one is {recorded}",
            hash(text)
        )]);
    };
    let blocks = bundle
        .context_assembly
        .iter()
        .flat_map(|assembly| &assembly.ordered_blocks);
    let mut wrong = Vec::new();
    for block in blocks {
        let (start, end) = (usize::try_from(block.span.start), usize::try_from(block.span.end));
        let part = start
            .ok()
            .zip(end.ok())
            .and_then(|(start, end)| found.get(start..end));
        let Some(recorded) = &block.sha256 else {
            continue;
        };
        if part.is_none_or(|part| sha256_hex(part) != *recorded) {
            wrong.push(format!("block {} does not have its recorded hash", block.order));
        }
    }
    if wrong.is_empty() { Ok(found) } else { Err(wrong) }
}

fn ids(records: &[Record], out: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for record in records {
        if kind_of(&record.id) != Some(record.kind) {
            out.push(format!(
                "{} is no id of a {}",
                quoted(&record.id),
                record.kind.as_str()
            ));
        }
        if !seen.insert(&record.id) {
            out.push(format!("{} is there twice", named(&record.id)));
        }
    }
}

/// What the redaction would mask: the same search, so that neither finds more than the other.
fn secrets(id: &str, value: &Value, out: &mut Vec<String>) {
    let mut clean = value.clone();
    let mut found = Vec::new();
    sweep(&mut clean, &[], "", &mut found);
    let fields = found.into_iter().map(|it| it.field).chain(joined(&mut clean));
    let mut last = None;
    for field in fields {
        if last.as_ref() != Some(&field) {
            out.push(format!(
                "{} {}: holds a secret or an e-mail address",
                named(id),
                named(&field)
            ));
        }
        last = Some(field);
    }
}

/// Moments that are none.
fn moments(id: &str, at: &str, value: &Value, out: &mut Vec<String>) {
    let (shown, place) = (named(id), named(at));
    match value {
        Value::String(text) => {
            let moment = ["created_at", "retrieved_at"]
                .iter()
                .any(|name| at.ends_with(name));
            if moment && DateTime::parse_from_rfc3339(text).is_err() {
                out.push(format!("{shown} {place}: is no moment"));
            }
        }
        Value::Array(values) => values.iter().for_each(|value| moments(id, at, value, out)),
        Value::Object(fields) => {
            for (name, value) in fields {
                moments(id, &format!("{at}/{name}"), value, out);
            }
        }
        _ => {}
    }
}

/// Every candidate is in exactly one of selected and omitted.
fn selections(bundle: &Bundle, out: &mut Vec<String>) {
    for selection in &bundle.context_selection {
        let id = named(&selection.selection_id);
        let mut fates: BTreeMap<&str, usize> = BTreeMap::new();
        let omitted = selection.omitted_item_refs.iter().map(|it| &it.item_ref);
        for item in selection.selected_item_refs.iter().chain(omitted) {
            *fates.entry(item).or_default() += 1;
        }
        for candidate in &selection.candidate_item_refs {
            match fates.remove(candidate.as_str()) {
                Some(1) => {}
                None => out.push(format!(
                    "{id}: {} is neither selected nor omitted",
                    named(candidate)
                )),
                Some(_) => out.push(format!(
                    "{id}: {} is selected or omitted more than once",
                    named(candidate)
                )),
            }
        }
        for other in fates.keys() {
            out.push(format!("{id}: {} is no candidate", named(other)));
        }
    }
}

/// Nothing is over its budget, and windows add up.
fn room(bundle: &Bundle, out: &mut Vec<String>) {
    for budget in &bundle.context_budget {
        let id = named(&budget.budget_id);
        let room = budget
            .max_tokens
            .map(|most| most.saturating_sub(budget.reserved_tokens.unwrap_or_default()));
        for (what, used, most) in [
            ("tokens", budget.actual_tokens, room),
            ("bytes", budget.actual_bytes, budget.max_bytes),
            ("items", budget.actual_items, budget.max_items),
        ] {
            if most.is_some_and(|most| used > most) {
                out.push(format!("{id}: {used} {what} are over the budget"));
            }
        }
        let laid_out: u64 = budget.window_segments.iter().map(|segment| segment.tokens).sum();
        if budget
            .max_tokens
            .is_some_and(|most| !budget.window_segments.is_empty() && laid_out != most)
        {
            out.push(format!("{id}: its segments are {laid_out} tokens together"));
        }
    }
    for assembly in &bundle.context_assembly {
        let mut end = 0;
        for block in &assembly.ordered_blocks {
            if block.span.start != end || block.span.end < block.span.start {
                out.push(format!(
                    "{}: block {} is out of place",
                    named(&assembly.assembly_id),
                    block.order
                ));
            }
            end = block.span.end;
        }
    }
}

/// Each event comes after its cause, and every item goes through allowed states to the one that it has.
fn events(bundle: &Bundle, out: &mut Vec<String>) {
    let mut earlier = BTreeSet::new();
    let mut states: BTreeMap<&str, State> = BTreeMap::new();
    for (at, event) in bundle.context_event.iter().enumerate() {
        let id = named(&event.event_id);
        if event.sequence != at as u64 + 1 {
            out.push(format!("{id}: sequence {} at place {}", event.sequence, at + 1));
        }
        if event.context_id != bundle.context_envelope.context_id {
            out.push(format!("{id}: belongs to another context"));
        }
        if let Some(cause) = &event.cause_ref
            && !earlier.contains(cause.as_str())
        {
            out.push(format!("{id}: its cause does not come before it"));
        }
        earlier.insert(event.event_id.as_str());
        let Some(state) = event.lifecycle else { continue };
        for subject in event
            .subject_refs
            .iter()
            .filter(|it| kind_of(it) == Some(Kind::Item))
        {
            let before = states.insert(subject, state);
            // What came with the call was selected by the call.
            let implied = before == Some(State::Available) && state == State::Assembled;
            if before.is_some_and(|before| !before.may_become(state)) && !implied {
                out.push(format!(
                    "{id}: {} may not become {}",
                    named(subject),
                    state.as_str()
                ));
            }
        }
    }
    for item in &bundle.context_item {
        let last = states.get(item.item_id.as_str());
        if !bundle.context_event.is_empty() && last != Some(&item.lifecycle) {
            out.push(format!(
                "{}: its state is not that of its last event",
                named(&item.item_id)
            ));
        }
    }
}
