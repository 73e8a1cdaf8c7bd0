//! The scoring itself: which items count, what date the answer has, what must be said about it.

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::quote::closed;
use freshcontext_contract::{
    CommonArgs, DateEvidence, Descriptor, Item, Listing, PartFailure, Route, Scope, Skipped, SourceError,
    StandingTold, Status, counted, named,
};

use super::item::{self, ScoredItem};
use super::{FailedPart, MAX_CONTENT_CHARS, SEVERAL, ScoreInput, Scored, Span, as_of, guard, layout, shared};
use serde_json::Value;

use crate::address;
use crate::date::{Confidence, Resolved, resolve};
use crate::decay;
use crate::origins::{Told, is_told_by};
use crate::sanitize::{Counts, clean_error};
use crate::standing::{Severity, Standing, resolve as resolve_standing};

const SUMMARY_CHARS: usize = 1_000;
const NOTE_CHARS: usize = 300;
const WHAT_CHARS: usize = 120;
/// Notes, failed parts and reasons kept; more would be noise.
const LIST_ENTRIES: usize = 40;

/// Judges a result.
///
/// # Errors
/// Where nothing at all worked (every part failed), where the canonical address is unusable, and
/// where the text turns out to be a failed retrieval.
pub fn score(input: ScoreInput<'_>) -> Result<Scored, SourceError> {
    let ScoreInput {
        descriptor,
        mut result,
        args,
        seen,
        now,
        decay: table,
        cursor,
    } = input;
    let retrieved_at = seen.retrieved_at.unwrap_or(now);
    let source_url = address::canonical_url(result.canonical_url.clone()).ok_or_else(|| {
        SourceError::new(
            freshcontext_contract::ErrorCode::Internal,
            format!("{} named no web address as its source", descriptor.id),
        )
    })?;
    let all_failed = result.items.is_empty()
        && result.fields.is_empty()
        && result.summary.is_none()
        && result.status != Status::Empty;
    if all_failed && !result.failures.is_empty() {
        return Err(nothing_worked(result.failures));
    }

    if let Some(moment) = args.as_of {
        as_of::leave_out_later(&mut result, descriptor, moment);
    }
    // What ages count to, and what lies ahead of.
    let at = args.as_of.map_or(retrieved_at, |moment| moment.min(retrieved_at));
    let lambda = table.lambda(descriptor.id);
    let mut counts = Counts::default();
    let dated: Vec<(Item, Resolved)> = result
        .items
        .drain(..)
        .map(|item| {
            let date = resolve(&item.date, at);
            (item, date)
        })
        .collect();
    let (mut kept, mut skipped) = within_dates(dated, args);
    if descriptor.args.limit.is_some() && kept.len() > args.limit {
        let count = kept.len() - args.limit;
        kept.truncate(args.limit);
        skipped.push(Skipped {
            count,
            reason: format!("beyond the limit of {}", args.limit).into(),
        });
    }

    let mut notes = std::mem::take(&mut result.notes);
    notes.extend(args.notes.iter().cloned());
    let total = kept.len();
    let subject = resolve_standing(&result.standing, at);
    let is_void =
        |item: &Item| resolve_standing(&item.standing, at).is_some_and(|standing| standing.is_void());
    let dating: Vec<&(Item, Resolved)> = kept.iter().filter(|(item, _)| !is_void(item)).collect();
    let nothing_stands =
        subject.as_ref().is_some_and(Standing::is_void) || (dating.is_empty() && !kept.is_empty());
    let mut date = if nothing_stands {
        Resolved::unknown()
    } else {
        overall_date(result.own_date.as_ref(), &dating, at, &mut notes)
    };
    let span = span(&dating);
    let (reservation, is_over) = match subject.as_ref() {
        Some(subject) => reserved(subject, None),
        None => reservation(&dating, &date, at),
    };
    date_notes(&kept, &mut notes);
    let moving = moving_figures(&kept, descriptor, args);
    let has_moving_figures = moving.is_some();
    notes.extend(moving);

    let status = status_of(
        result.status,
        total,
        result.fields.is_empty(),
        result.failures.is_empty(),
    );
    match status {
        Status::Empty => date = Resolved::unknown(),
        Status::Partial => date.confidence = date.confidence.min(Confidence::Medium),
        Status::Success => {}
    }

    // What cannot be shown at the largest length is counted, not cleaned.
    let mut items = Vec::new();
    let mut length = 0;
    for (item, date) in kept {
        if length > MAX_CONTENT_CHARS {
            break;
        }
        let scored = ScoredItem::new(item, date, lambda, at, &mut counts);
        length += layout::item_length(items.len() + 1, &scored);
        items.push(scored);
    }
    let overflow = total - items.len();
    let certain = |item: &ScoredItem| item.date.instant.is_none() || item.date.confidence == Confidence::High;
    if span.dated >= SEVERAL && date.confidence == Confidence::High && items.iter().all(certain) {
        for item in &mut items {
            item.certainty = None;
        }
    }

    let dates = match date.instant {
        Some(_) => shared::share(&mut items),
        None => None,
    };

    let summary = result
        .summary
        .map(|summary| item::line(&summary, SUMMARY_CHARS, &mut counts))
        .filter(|summary| !summary.is_empty());
    if status != Status::Empty {
        guard::guard(
            descriptor.id,
            summary.as_deref(),
            &items,
            result.any_page,
            result.prose.as_deref(),
        )
        .map_err(|mut error| {
            error.attempts = seen.attempts;
            error.retrieved_at = Some(retrieved_at);
            error
        })?;
    }
    counts += item::bound_map(&mut result.fields, 0);
    if counts != Counts::default() {
        let removed = (counts.hidden > 0).then(|| {
            let found = counted(counts.hidden, "hidden character", "hidden characters");
            format!("{found} removed")
        });
        let disarmed = (counts.delimiters > 0).then(|| {
            let found = counted(counts.delimiters, "envelope delimiter", "envelope delimiters");
            format!("{found} disarmed")
        });
        let done: Vec<String> = removed.into_iter().chain(disarmed).collect();
        notes.push(format!("The source's text was cleaned: {}", done.join(", ")));
    }
    let route = route_of(descriptor, result.route);
    let can_tell = result.standing_told.is_some() || route.is_some_and(|route| !route.states.is_empty());
    let (told, untold) = told(result.standing_told, route);
    // Of what shows nothing there is nothing to tell.
    notes.extend(untold.filter(|_| !items.is_empty()).map(str::to_owned));
    let mut all_skipped = result.skipped;
    all_skipped.extend(skipped);

    let views = || -> Vec<_> { items.iter().map(|item| item.origin_view(descriptor.id)).collect() };
    let origins = is_told_by(descriptor.id)
        .then(|| Told::of_list(&views()))
        .flatten();
    Ok(Scored {
        origins,
        adapter: descriptor.id,
        tool: descriptor.tool,
        source_url,
        retrieved_at,
        at,
        as_of: args.as_of,
        lambda,
        status,
        score: date.instant.map(|published| decay::score(lambda, published, at)),
        date,
        span,
        dates,
        summary,
        fields: result.fields,
        items,
        overflow,
        skipped: all_skipped
            .iter()
            .filter(|skipped| skipped.count > 0)
            .map(clean_skipped)
            .take(LIST_ENTRIES)
            .collect(),
        failures: result
            .failures
            .iter()
            .take(LIST_ENTRIES)
            .map(|part| clean_failure(part, at))
            .collect(),
        notes: clean_notes(notes),
        route: result.route,
        cached_age: seen.cached_age,
        attempts: seen.attempts,
        told,
        can_tell,
        has_moving_figures,
        subject,
        reservation,
        is_over,
        scope: clean_scope(result.scope),
        replaced_after: descriptor.replaced_after,
        in_section: false,
        by_name: descriptor.peek.listing == Listing::Named,
        cursor: cursor.map(|cursor| item::line(&cursor, 4_096, &mut Counts::default())),
    })
}

/// Whether the states of what is shown could be told, and what is to be said where they could not.
fn told(by_call: Option<StandingTold>, route: Option<&Route>) -> (StandingTold, Option<&'static str>) {
    match (by_call, route.and_then(|route| route.untold)) {
        (Some(told), _) => (told, None),
        (None, Some(untold)) => (StandingTold::No, Some(untold)),
        (None, None) => (StandingTold::Yes, None),
    }
}

/// The route that answered; the first one where the source has no others to name.
fn route_of(descriptor: &Descriptor, id: Option<&'static str>) -> Option<&'static Route> {
    match id {
        Some(id) => descriptor.route(id),
        None => descriptor.routes.first(),
    }
}

/// What stands beside the score where what dates the answer stands with a reservation or not at all, and whether it is over.
fn reservation(
    items: &[&(Item, Resolved)],
    date: &Resolved,
    retrieved_at: DateTime<Utc>,
) -> (Option<String>, bool) {
    let mut dating = (1_usize..).zip(items).filter(|(_, (item, its))| {
        !item.out_of_order && its.instant.is_some() && its.instant == date.instant
    });
    let standing = dating
        .next()
        .filter(|_| dating.next().is_none())
        .and_then(|(_, (item, _))| resolve_standing(&item.standing, retrieved_at));
    match standing {
        Some(standing) => reserved(&standing, (items.len() > 1).then_some("the newest is")),
        None => (None, false),
    }
}

/// The same of one standing.
fn reserved(standing: &Standing, whose: Option<&str>) -> (Option<String>, bool) {
    let words = match (standing.severity, whose) {
        (Severity::Void | Severity::Note, _) => None,
        (_, Some(whose)) => Some(format!("{whose} {}", standing.brief())),
        (_, None) => Some(standing.brief()),
    };
    (
        words,
        matches!(standing.severity, Severity::Replaced | Severity::Ended),
    )
}

/// The error of a call of which every part failed.
fn nothing_worked(failures: Vec<PartFailure>) -> SourceError {
    let count = failures.len();
    let mut failures = failures.into_iter();
    let Some(first) = failures.next() else {
        return SourceError::malformed("the source answered nothing");
    };
    let mut error = first.error;
    if count > 1 {
        let others: Vec<String> = failures
            .take(4)
            .map(|part| format!("{} {}", named(&part.what), part.error.code))
            .collect();
        error.message = format!(
            "all {count} parts failed. {}: {} Others: {}",
            named(&first.what),
            error.message.trim_end_matches('.').to_owned() + ".",
            others.join(", ")
        );
    } else if !error.message.contains(&first.what) {
        error.message = format!("{}: {}", named(&first.what), error.message);
    }
    error
}

/// Applies `since` and `until`. What is only known by its day is in range where the day touches it.
fn within_dates(dated: Vec<(Item, Resolved)>, args: &CommonArgs) -> (Vec<(Item, Resolved)>, Vec<Skipped>) {
    if args.since.is_none() && args.until.is_none() {
        return (dated, Vec::new());
    }
    let (mut outside, mut undated) = (0, 0);
    let kept = dated
        .into_iter()
        .filter(|(_, date)| {
            let Some(from) = date.instant else {
                undated += 1;
                return false;
            };
            let to = if date.day_only() {
                from + TimeDelta::milliseconds(86_399_999)
            } else {
                from
            };
            let inside =
                args.since.is_none_or(|since| since <= to) && args.until.is_none_or(|until| from <= until);
            outside += usize::from(!inside);
            inside
        })
        .collect();
    let skipped = vec![
        Skipped {
            count: outside,
            reason: "published outside the dates asked for".into(),
        },
        Skipped {
            count: undated,
            reason: "undated, so not known to lie within the dates asked for".into(),
        },
    ];
    (kept, skipped)
}

fn status_of(given: Status, items: usize, no_fields: bool, no_failures: bool) -> Status {
    if !no_failures || given == Status::Partial {
        Status::Partial
    } else if items == 0 && (no_fields || given == Status::Empty) {
        Status::Empty
    } else {
        Status::Success
    }
}

/// The adapter's own date for the whole, else the newest item's that stands in order.
fn overall_date(
    own: Option<&DateEvidence>,
    items: &[&(Item, Resolved)],
    retrieved_at: DateTime<Utc>,
    notes: &mut Vec<String>,
) -> Resolved {
    if let Some(own) = own {
        let date = resolve(own, retrieved_at);
        notes.extend(
            date.note
                .iter()
                .map(|why| format!("No date for the answer as a whole: {why}")),
        );
        return date;
    }
    let newest = items
        .iter()
        .filter(|(item, date)| !item.out_of_order && date.instant.is_some())
        .map(|(_, date)| date)
        .max_by_key(|date| (date.instant, date.confidence));
    if newest.is_none() && items.iter().any(|(_, date)| date.instant.is_some()) {
        notes.push(
            "Only items placed out of order (pinned, sponsored) are dated; they do not date the answer"
                .to_owned(),
        );
    }
    newest.map_or_else(Resolved::unknown, |date| Resolved {
        note: None,
        ..date.clone()
    })
}

/// How many of the items in order are dated, and the newest and the oldest date among them.
fn span(items: &[&(Item, Resolved)]) -> Span {
    let in_order = || items.iter().filter(|(item, _)| !item.out_of_order);
    let dated = || {
        in_order()
            .map(|(_, date)| date)
            .filter(|date| date.instant.is_some())
    };
    Span {
        dated: dated().count(),
        newest: dated().max_by_key(|date| date.instant).cloned(),
        oldest: dated().min_by_key(|date| date.instant).cloned(),
        out_of_order: items
            .iter()
            .filter(|(item, date)| item.out_of_order && date.instant.is_some())
            .count(),
    }
}

/// Which figures move, so that their date is that of the retrieval and not the item's. A price has a date of its own.
fn moving_figures(items: &[(Item, Resolved)], descriptor: &Descriptor, args: &CommonArgs) -> Option<String> {
    if args.as_of.is_some() || descriptor.replaced_after.is_some() {
        return None;
    }
    let shown = |name: &str| {
        let mut values = items.iter().filter_map(|(item, _)| item.fields.get(name));
        values.any(Value::is_number)
    };
    let moving = descriptor.facts.moving.iter().filter(|name| shown(name));
    let names: Vec<&str> = moving.copied().collect();
    (!names.is_empty()).then(|| format!("As of retrieval: {}", names.join(", ")))
}

/// How many items have no date, and dates that could not be used.
fn date_notes(items: &[(Item, Resolved)], notes: &mut Vec<String>) {
    let undated = items.iter().filter(|(_, date)| date.instant.is_none()).count();
    if undated > 0 {
        let verb = if undated == 1 { "has" } else { "have" };
        notes.push(match items.len() {
            1 => "The item has no date".to_owned(),
            all => format!("{undated} of {all} items {verb} no date"),
        });
    }
    let mut unusable = items
        .iter()
        .filter(|(item, _)| !matches!(item.date, DateEvidence::YearOnly(_)));
    if let Some(why) = unusable.clone().find_map(|(_, date)| date.note.as_ref()) {
        let count = unusable.by_ref().filter(|(_, date)| date.note.is_some()).count();
        notes.push(match count {
            1 => format!("1 date could not be used: {why}"),
            _ => format!("{count} dates could not be used, for example {why}"),
        });
    }
}

fn clean_notes(notes: Vec<String>) -> Vec<String> {
    let mut cleaned: Vec<String> = Vec::new();
    for note in notes {
        let note = closed(item::line(&note, NOTE_CHARS, &mut Counts::default()));
        if !note.is_empty() && !cleaned.contains(&note) && cleaned.len() < LIST_ENTRIES {
            cleaned.push(note);
        }
    }
    cleaned
}

fn clean_scope(scope: Scope) -> Scope {
    let short = |text: Option<String>| {
        let text = text.map(|text| closed(item::line(&text, NOTE_CHARS, &mut Counts::default())));
        text.filter(|text| !text.is_empty())
    };
    Scope {
        subject: short(scope.subject),
        name: short(scope.name),
        looked_through: short(scope.looked_through),
        has_newest: scope.has_newest,
        until: scope.until,
    }
}

fn clean_skipped(skipped: &Skipped) -> Skipped {
    let reason = closed(item::line(&skipped.reason, WHAT_CHARS, &mut Counts::default()));
    Skipped {
        count: skipped.count,
        reason: reason.into(),
    }
}

fn clean_failure(part: &PartFailure, retrieved_at: DateTime<Utc>) -> FailedPart {
    FailedPart {
        standing: resolve_standing(&part.error.standing, retrieved_at),
        what: item::line(&part.what, WHAT_CHARS, &mut Counts::default()),
        code: part.error.code.as_str(),
        message: clean_error(&part.error.message),
    }
}
