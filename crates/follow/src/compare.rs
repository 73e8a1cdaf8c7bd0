//! What became of an answer: its marks then, and its marks now.

use std::collections::{BTreeMap, BTreeSet};

use freshcontext_core::answer::{Scored, ScoredItem};
use freshcontext_core::recheck::{Comparison, ItemVerdict, Verdict};
use freshcontext_deliverables::{Names, changes_with_time, matches};
use serde_json::Value;

use super::marks::{Mark, Record, STANDING, SUMMARY, TEXT};
use super::renamed::under_names_of;

/// The part that differs where a thing is listed under another id.
const ID: &str = "id";

/// New items that are named; more are counted only.
const NAMED: usize = 20;

/// All as it was: what a 304 says.
pub(super) fn unchanged(then: &Record) -> Comparison {
    Comparison {
        verdict: Verdict::Current,
        items: shown(then)
            .map(|mark| said(mark, Verdict::Current, None))
            .collect(),
        added: Vec::new(),
        added_count: 0,
        changed: Vec::new(),
        now: BTreeMap::new(),
    }
}

/// Nothing could be learnt of any item.
pub(super) fn unknown(then: &Record, detail: &'static str) -> Comparison {
    Comparison {
        verdict: Verdict::CouldNotCheck,
        items: shown(then)
            .map(|mark| said(mark, Verdict::CouldNotCheck, Some(detail)))
            .collect(),
        ..unchanged(then)
    }
}

/// The thing that was asked for is no more.
pub(super) fn gone(then: &Record) -> Comparison {
    Comparison {
        verdict: Verdict::Gone,
        items: shown(then)
            .map(|mark| said(mark, Verdict::Gone, Some("not_found")))
            .collect(),
        ..unchanged(then)
    }
}

/// Compares two answers to the same question. Order does not count. `missing` are things that the source says now do not exist,
/// as the caller named them.
pub(super) fn compare(then: &Record, now: &Record, missing: &[&str]) -> Comparison {
    let found: BTreeMap<&str, &Mark> = now.items.iter().map(|mark| (mark.id.as_str(), mark)).collect();
    let other_route = now.is_by_other_route(then);
    // What is gone by its source's word is not there under another id.
    let is_missing = |id: &str| missing.iter().any(|missing| missing.eq_ignore_ascii_case(id));
    let earlier = then.items.iter().map(Mark::names);
    let earlier: Vec<Names<'_>> = earlier.filter(|names| !is_missing(names.id)).collect();
    let later: Vec<Names<'_>> = now.items.iter().map(Mark::names).collect();
    let same = matches(&earlier, &later);
    let items: Vec<ItemVerdict> = shown(then)
        .map(
            |mark| match same.get(mark.id.as_str()).and_then(|id| found.get(id)) {
                Some(fresh) => differences(mark, fresh, other_route),
                None => absent(mark, now, missing, other_route),
            },
        )
        .collect();
    let known: BTreeSet<&str> = same.values().copied().collect();
    // Where some of the earlier answer had failed, or another route gave it, what is there now may have been there then.
    let added: Vec<String> = if then.partial || other_route {
        Vec::new()
    } else {
        found
            .keys()
            .filter(|id| !known.contains(**id))
            .map(|id| (*id).to_owned())
            .collect()
    };
    let changed = if now.partial || then.partial {
        Vec::new()
    } else {
        let mut changed = parts(&then.whole, &now.whole, other_route);
        // It names the route.
        changed.retain(|name| !other_route || name != SUMMARY);
        changed
    };
    let any = |verdict| items.iter().any(|item| item.verdict == verdict);
    let verdict = if any(Verdict::Changed) || !added.is_empty() || !changed.is_empty() {
        Verdict::Changed
    } else if any(Verdict::Gone) {
        Verdict::Gone
    } else if any(Verdict::CouldNotCheck) || now.partial {
        Verdict::CouldNotCheck
    } else {
        Verdict::Current
    };
    Comparison {
        verdict,
        items,
        added_count: added.len(),
        added: added.into_iter().take(NAMED).collect(),
        changed,
        now: BTreeMap::new(),
    }
}

/// Longest new value that is told, in characters.
const VALUE: usize = 200;

/// Tells what the parts that changed are now: they have just been fetched.
pub(super) fn tell_now(comparison: &mut Comparison, fresh: &Record, now: &Scored) {
    let items: BTreeMap<&str, &ScoredItem> = fresh
        .items
        .iter()
        .map(|mark| mark.id.as_str())
        .zip(now.items())
        .collect();
    for verdict in &mut comparison.items {
        let id = verdict.now.get(ID).unwrap_or(&verdict.id);
        let Some(item) = items.get(id.as_str()) else {
            continue;
        };
        let other_id = verdict.now.remove(ID);
        verdict.now = values(&verdict.changed, |name| match name {
            ID => other_id.clone(),
            "title" => Some(item.title.clone()),
            "url" => item.url.clone(),
            "summary" => Some(item.summary.clone()),
            _ => Some(text_of(item.fields.get(name.strip_prefix("fields.")?)?)),
        });
    }
    comparison.now = values(&comparison.changed, |name| match name {
        "summary" => now.summary().map(str::to_owned),
        _ => Some(text_of(now.fields().get(name.strip_prefix("fields.")?)?)),
    });
}

fn values(names: &[String], value: impl Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
    let told = names.iter().filter_map(|name| {
        let text = value(name)?;
        let mut short: String = text.chars().take(VALUE).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        Some((name.clone(), short))
    });
    told.collect()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn shown(record: &Record) -> impl Iterator<Item = &Mark> {
    record.items.iter().filter(|mark| mark.shown)
}

fn said(mark: &Mark, verdict: Verdict, detail: Option<&'static str>) -> ItemVerdict {
    ItemVerdict {
        id: mark.id.clone(),
        verdict,
        detail,
        changed: Vec::new(),
        now: BTreeMap::new(),
        published_then: mark.date.clone(),
        published_now: None,
        standing_then: None,
        standing_now: None,
    }
}

fn differences(then: &Mark, now: &Mark, other_route: bool) -> ItemVerdict {
    let mut changed = parts(&under_names_of(&now.parts, &then.parts), &now.parts, other_route);
    // Each route has ids of its own, and a title may stand in for one.
    if then.id != now.id && !other_route && now.has_own_id() {
        changed.insert(0, ID.to_owned());
    }
    let comparable = !other_route || (then.date.is_some() && now.date.is_some());
    if comparable && then.date != now.date {
        changed.insert(0, "published_at".to_owned());
    }
    // What no longer stands comes before all else that is different.
    if let Some(at) = changed.iter().position(|name| name == STANDING) {
        let standing = changed.remove(at);
        changed.insert(0, standing);
    }
    let verdict = if changed.is_empty() {
        Verdict::Current
    } else {
        Verdict::Changed
    };
    let moved = changed.iter().any(|name| name == STANDING);
    ItemVerdict {
        changed,
        standing_then: then.standing.clone().filter(|_| moved),
        standing_now: now.standing.clone().filter(|_| moved),
        published_now: now.date.clone(),
        // For those who look the item up: `tell_now`.
        now: BTreeMap::from_iter((then.id != now.id).then(|| (ID.to_owned(), now.id.clone()))),
        ..said(then, verdict, None)
    }
}

/// An item that is not in the list any more. A list is a window, and neither a partial one nor another route's shows a
/// removal.
fn absent(mark: &Mark, now: &Record, missing: &[&str], other_route: bool) -> ItemVerdict {
    let named = |missing: &&str| missing.eq_ignore_ascii_case(&mark.id);
    if missing.iter().any(named) {
        return said(mark, Verdict::Gone, Some("not_found"));
    }
    if now.partial {
        return said(mark, Verdict::CouldNotCheck, Some("partial"));
    }
    if other_route {
        return said(mark, Verdict::CouldNotCheck, Some("other_route"));
    }
    said(mark, Verdict::CouldNotCheck, Some("outside_window"))
}

/// The parts that differ. What one route says of a thing and another does not is no change of it.
fn parts(then: &BTreeMap<String, String>, now: &BTreeMap<String, String>, other_route: bool) -> Vec<String> {
    let names: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    // How much of a text is shown depends on its place in the list.
    let whole = then.get(TEXT).zip(now.get(TEXT)).map(|(then, now)| then == now);
    let is_shown_otherwise = whole == Some(false) && then.get(SUMMARY) != now.get(SUMMARY);
    names
        .into_iter()
        .filter(|name| match name.as_str() {
            SUMMARY => whole != Some(true),
            // Marks of an earlier version of this server have none.
            TEXT => whole.is_some() && !is_shown_otherwise,
            _ => true,
        })
        .filter(|name| {
            let both = then.contains_key(*name) && now.contains_key(*name);
            // That something does not stand is news by whatever route.
            !other_route || both || (*name == STANDING && now.contains_key(*name))
        })
        .filter(|name| then.get(*name) != now.get(*name) && !changes_with_time(name))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(ids: &[(&str, &str)]) -> Record {
        Record {
            items: ids
                .iter()
                .map(|(id, title)| Mark {
                    id: (*id).to_owned(),
                    date: Some("2026-01-01".to_owned()),
                    parts: BTreeMap::from([("title".to_owned(), (*title).to_owned())]),
                    standing: None,
                    ends: None,
                    item: None,
                    shown: true,
                })
                .collect(),
            whole: BTreeMap::new(),
            document: None,
            partial: false,
            unread: Vec::new(),
            route: None,
            until: None,
            asked: Vec::new(),
        }
    }

    fn verdicts(comparison: &Comparison) -> Vec<Verdict> {
        comparison.items.iter().map(|item| item.verdict).collect()
    }

    #[test]
    fn a_list_is_a_window() {
        let then = record(&[("1", "a"), ("2", "b")]);
        let fresh = record(&[("3", "c"), ("1", "a")]);
        let pushed = compare(&then, &fresh, &[]);
        assert_eq!(verdicts(&pushed), [Verdict::Current, Verdict::CouldNotCheck]);
        assert_eq!(pushed.items[1].detail, Some("outside_window"));
        assert_eq!(
            (pushed.verdict, pushed.added.as_slice()),
            (Verdict::Changed, &["3".to_owned()][..])
        );
        let shorter = record(&[("1", "a")]);
        let unknown = compare(&then, &shorter, &[]);
        assert_eq!(unknown.verdict, Verdict::CouldNotCheck);
    }

    #[test]
    fn a_partial_fetch_shows_no_removal_unless_the_source_says_so() {
        let then = record(&[("serde", "a"), ("left-pad", "b"), ("Gone-Crate", "c")]);
        let mut fresh = record(&[("serde", "a")]);
        fresh.partial = true;
        let missing = ["gone-crate"];
        let comparison = compare(&then, &fresh, &missing);
        assert_eq!(
            verdicts(&comparison),
            [Verdict::Current, Verdict::CouldNotCheck, Verdict::Gone]
        );
        assert_eq!(comparison.items[1].detail, Some("partial"));
    }

    #[test]
    fn another_route_shows_no_removal_and_no_news() {
        let mut then = record(&[("1", "a"), ("2", "b")]);
        then.route = Some("api".to_owned());
        then.items[0]
            .parts
            .insert("fields.points".to_owned(), "7".to_owned());
        then.whole.insert("fields.total".to_owned(), "2".to_owned());
        let mut fresh = record(&[("1", "a"), ("3", "c")]);
        fresh.route = Some("feed".to_owned());
        fresh.items[0].date = None;
        let by_feed = compare(&then, &fresh, &[]);
        assert_eq!(verdicts(&by_feed), [Verdict::Current, Verdict::CouldNotCheck]);
        assert_eq!(by_feed.items[1].detail, Some("other_route"));
        assert_eq!(
            (by_feed.verdict, by_feed.added_count, by_feed.changed.len()),
            (Verdict::CouldNotCheck, 0, 0)
        );
        fresh.items[0].parts.insert("title".to_owned(), "b".to_owned());
        let changed = compare(&then, &fresh, &[]);
        assert_eq!(changed.items[0].changed, ["title"]);
        fresh.route = Some("api".to_owned());
        let by_api = compare(&then, &fresh, &[]);
        assert_eq!(by_api.items[1].detail, Some("outside_window"));
        assert_eq!(by_api.added, ["3"]);
    }

    #[test]
    fn what_changed_is_named() {
        let then = record(&[("1", "a")]);
        let mut fresh = record(&[("1", "b")]);
        fresh.items[0].date = Some("2026-02-02".to_owned());
        let comparison = compare(&then, &fresh, &[]);
        assert_eq!(comparison.items[0].changed, ["published_at", "title"]);
        assert_eq!(comparison.verdict, Verdict::Changed);
    }

    /// A later version, and a work that another route lists under another id, are the same thing.
    #[test]
    fn what_is_listed_under_another_id_is_found_again() {
        let then = record(&[("2401.01234v1", "a"), ("2401.05678v1", "b")]);
        let found = compare(&then, &record(&[("2401.01234v2", "a")]), &[]);
        assert_eq!(found.items[0].changed, [ID]);
        assert_eq!(found.items[0].now[ID], "2401.01234v2");
        assert_eq!(found.items[1].detail, Some("outside_window"));
        assert_eq!(found.added_count, 0);

        let with = |id: &str, part: &str, standing: Option<&str>| {
            let mut record = record(&[(id, "a"), ("other", "b")]);
            record.route = Some(id.to_owned());
            let mark = &mut record.items[0];
            mark.parts.insert(part.to_owned(), "same".to_owned());
            mark.parts
                .extend(standing.map(|state| (STANDING.to_owned(), state.to_owned())));
            mark.standing = standing.map(str::to_owned);
            record
        };
        let then = with("10.1/x", "fields.doi", None);
        let found = compare(&then, &with("W1", "fields.doi", Some("retracted")), &[]);
        assert_eq!(found.items[0].changed, [STANDING]);
        assert_eq!(found.items[0].standing_now.as_deref(), Some("retracted"));
        // What one route knows and the other does not is no change.
        let found = compare(&with("W1", "fields.doi", Some("retracted")), &then, &[]);
        assert_eq!(found.items[0].verdict, Verdict::Current);
    }

    /// Where titles stand in for ids, the address tells entries of one title apart, and finds one whose title was edited.
    #[test]
    fn entries_without_ids_are_known_by_their_addresses() {
        let list = |entries: &[(&str, &str)]| {
            let mut list = record(entries);
            for (mark, (title, url)) in list.items.iter_mut().zip(entries) {
                let title = title.split(" (").next().unwrap_or_default();
                let hash = crate::marks::part(title);
                mark.parts =
                    BTreeMap::from([("title".to_owned(), hash), ("url".to_owned(), (*url).to_owned())]);
            }
            list
        };
        let then = list(&[("Release", "/2"), ("Release (2)", "/1")]);
        let found = compare(
            &then,
            &list(&[("Release", "/3"), ("Release (2)", "/2"), ("Release (3)", "/1")]),
            &[],
        );
        assert_eq!(verdicts(&found), [Verdict::Current, Verdict::Current]);
        assert_eq!(found.added, ["Release"]);
        let found = compare(&then, &list(&[("Release", "/3"), ("Release (2)", "/2")]), &[]);
        assert_eq!(verdicts(&found), [Verdict::Current, Verdict::CouldNotCheck]);
        assert_eq!(found.added, ["Release"]);
        let found = compare(&list(&[("v1.1", "/2")]), &list(&[("v1.1 LTS", "/2")]), &[]);
        assert_eq!(found.items[0].changed, ["title"]);
        assert_eq!(found.added_count, 0);
        // All link to one page.
        let found = compare(&list(&[("v1", "/")]), &list(&[("v2", "/"), ("v1", "/")]), &[]);
        assert_eq!(
            (found.items[0].verdict, found.added.as_slice()),
            (Verdict::Current, &["v2".to_owned()][..])
        );
    }

    /// How much of a text is shown depends on its place; an edit beyond that is one.
    #[test]
    fn the_whole_text_counts_not_what_is_shown_of_it() {
        let with = |summary: &str, text: Option<&str>| {
            let mut record = record(&[("1", "a")]);
            let parts = &mut record.items[0].parts;
            parts.insert(SUMMARY.to_owned(), summary.to_owned());
            parts.extend(text.map(|text| (TEXT.to_owned(), text.to_owned())));
            record
        };
        let then = with("s", Some("t"));
        for (now, changed) in [
            (with("longer", Some("t")), [].as_slice()),
            (with("s", Some("u")), [TEXT].as_slice()),
            (with("other", Some("u")), [SUMMARY].as_slice()),
            // Marks of an earlier version have no text.
            (with("s", None), [].as_slice()),
            (with("other", None), [SUMMARY].as_slice()),
        ] {
            assert_eq!(compare(&then, &now, &[]).items[0].changed, changed);
        }
        assert_eq!(then.hash(), with("longer", Some("t")).hash());
        assert_ne!(then.hash(), with("s", Some("u")).hash());
    }

    /// What the server works out from the clock moves while the source says the same.
    #[test]
    fn the_clock_alone_changes_nothing() {
        let then = record(&[("1", "a")]);
        let mut fresh = record(&[("1", "a")]);
        for (name, value) in [
            ("fields.age_days", "9"),
            ("fields.releases_30d", "0"),
            ("fields.badge", "aging"),
        ] {
            fresh.items[0].parts.insert(name.to_owned(), value.to_owned());
        }
        assert_eq!(compare(&then, &fresh, &[]).verdict, Verdict::Current);
        fresh.items[0]
            .parts
            .insert("fields.latest".to_owned(), "2".to_owned());
        assert_eq!(compare(&then, &fresh, &[]).items[0].changed, ["fields.latest"]);
    }

    proptest! {
        /// Another order is no change, and nothing is ever gone from a window.
        #[test]
        fn order_does_not_count(ids in proptest::collection::btree_set("[a-z]{1,3}", 0..12), turn in 0usize..12, cut in 0usize..12) {
            let pairs: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "t")).collect();
            let then = record(&pairs);
            let mut turned = then.clone();
            let by = turn % turned.items.len().max(1);
            turned.items.rotate_left(by);
            let same = compare(&then, &turned, &[]);
            prop_assert_eq!(same.verdict, Verdict::Current);
            prop_assert_eq!(then.hash(), turned.hash());
            turned.items.truncate(cut);
            let less = compare(&then, &turned, &[]);
            prop_assert!(verdicts(&less).iter().all(|verdict| *verdict != Verdict::Gone));
        }
    }
}
