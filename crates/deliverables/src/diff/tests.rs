use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::definition::OnUnchecked;
use crate::definition::tests::source;
use crate::gather::tests::{held, trouble};
use crate::gather::{Gathered, Held, HeldItem, Known, gather};
use crate::version::Listing;

const TOOLS: [&str; 2] = ["a", "b"];

fn gathered(all: Vec<(Option<Held>, bool)>, policy: OnUnchecked) -> Gathered {
    let known = TOOLS.iter().zip(all).map(|(tool, (held, failed))| Known {
        source: source(tool),
        held,
        trouble: failed.then(trouble),
    });
    let mut out = gather(known.collect(), policy).unwrap();
    for (entry, score) in out.entries.iter_mut().zip(0..) {
        entry.judged.insert("freshness_score".to_owned(), json!(score));
    }
    out
}

fn side(gathered: &Gathered) -> Side<'_> {
    Side {
        snapshots: &gathered.snapshots,
        items: &gathered.entries,
    }
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<i8>().prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from)
    ]
}

fn item() -> impl Strategy<Value = Map<String, Value>> {
    let own = btree_map("[a-d]|title|age|retrieved_at|url", value(), 0..4);
    let facts = prop_oneof![
        Just(None),
        value().prop_map(Some),
        btree_map("[a-c]|age_days", value(), 0..3)
            .prop_map(|facts| Some(Value::Object(facts.into_iter().collect()))),
    ];
    (own, facts).prop_map(|(own, facts)| {
        let facts = facts.map(|facts| ("fields".to_owned(), facts));
        own.into_iter().chain(facts).collect()
    })
}

#[test]
fn a_text_that_is_shown_with_less_of_it_is_the_same() {
    let entry = |summary: &str| Entry {
        resource: "a".to_owned(),
        id: "1".to_owned(),
        item: json!({"summary": summary}).as_object().cloned().unwrap(),
        judged: Map::new(),
    };
    let whole = "The reader of tables is mended. ".repeat(30);
    let begin = |chars: usize| whole.chars().take(chars).collect::<String>();
    let cut = |chars: usize| begin(chars) + "…";
    for (then, now, changed) in [
        (whole.clone(), cut(400), 0),
        (cut(400), cut(700), 0),
        (cut(400), begin(390) + "Withdrawn.", 1),
        (
            "More to come…".to_owned(),
            "More to come: here it is".to_owned(),
            1,
        ),
    ] {
        let (then, now) = ([entry(&then)], [entry(&now)]);
        let side = |items| Side {
            snapshots: &[],
            items,
        };
        let found = diff(side(&then), side(&now));
        assert_eq!(found.changed.len(), changed, "{found:?}");
        assert!(!found.is_empty());
    }
    let with = |hash: Option<&str>| {
        let mut entry = entry(&cut(400));
        let hash = hash.map(|hash| (TEXT_HASH.to_owned(), json!(hash)));
        entry.item.extend(hash);
        [entry]
    };
    let side = |items| Side {
        snapshots: &[],
        items,
    };
    let (first, second, without) = (with(Some("a")), with(Some("b")), with(None));
    let found = diff(side(&first), side(&second));
    let words = found.changed[0].words(" -> ", str::to_owned);
    assert_eq!(words, ["text: edited beyond what is held"]);
    assert!(!diff(side(&without), side(&second)).is_news());
    // An edit at the beginning is told by the text alone.
    let mut edited = with(Some("b"));
    let text = format!("Withdrawn. {}", cut(400));
    edited[0].item.insert(SUMMARY.to_owned(), json!(text));
    let found = diff(side(&first), side(&edited));
    let fields: Vec<&str> = found.changed[0]
        .fields
        .iter()
        .map(|change| change.field.as_str())
        .collect();
    assert_eq!(fields, [SUMMARY]);
}

/// A source's stored state with altered fixtures: items changed, lost, reordered, added.
fn any_held() -> impl Strategy<Value = Held> {
    let listing = prop_oneof![Just(Listing::Window), Just(Listing::Named)];
    let items = btree_map("[1-6]", (item(), any::<bool>()), 0..6).prop_map(Vec::from_iter);
    (items.prop_shuffle(), listing, any::<bool>()).prop_map(|(items, listing, partial)| Held {
        listing,
        items: items
            .into_iter()
            .map(|(id, (item, carried))| HeldItem {
                id,
                item,
                carried: carried && partial,
            })
            .collect(),
        incomplete: if partial { vec![trouble()] } else { Vec::new() },
        ..held(&[])
    })
}

fn any_side() -> impl Strategy<Value = Gathered> {
    let policy = prop_oneof![Just(OnUnchecked::UseLast), Just(OnUnchecked::LeaveOut)];
    let one = (proptest::option::of(any_held()), any::<bool>());
    (vec(one, 2), policy).prop_map(|(all, policy)| gathered(all, policy))
}

fn sorted(items: &[Entry]) -> Vec<Entry> {
    by_key(items).into_values().cloned().collect()
}

proptest! {
    #[test]
    fn of_one_with_itself_is_empty(one in any_side()) {
        let found = diff(side(&one), side(&one));
        prop_assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn applied_it_gives_the_second(first in any_side(), second in any_side()) {
        let found = diff(side(&first), side(&second));
        prop_assert_eq!(apply(&first.entries, &found), sorted(&second.entries));
        // Also after serialisation.
        let read: Diff = serde_json::from_str(&serde_json::to_string(&found).unwrap()).unwrap();
        prop_assert_eq!(apply(&first.entries, &read), sorted(&second.entries));
    }

    #[test]
    fn what_could_not_be_read_shows_no_removal(first in any_side(), second in any_side()) {
        let found = diff(side(&first), side(&second));
        for removed in &found.removed {
            let now = snapshot_of(&second.snapshots, &removed.resource).unwrap();
            prop_assert_eq!(now.state, State::Current);
        }
        for dropped in &found.could_not_check {
            let now = snapshot_of(&second.snapshots, &dropped.resource).unwrap();
            prop_assert_ne!(now.state, State::Current);
        }
    }

    #[test]
    fn another_order_is_no_change(one in any_side(), seed in any::<usize>()) {
        let mut other = one.clone();
        let by = seed % other.entries.len().max(1);
        other.entries.rotate_left(by);
        prop_assert!(diff(side(&one), side(&other)).is_empty());
    }
}

fn only(held: Held) -> Gathered {
    gathered(vec![(Some(held), false)], OnUnchecked::Refuse)
}

#[test]
fn a_list_is_a_window() {
    let before = only(held(&["1", "2"]));
    let with = |change: fn(&mut Held)| {
        let mut later = held(&["1"]);
        change(&mut later);
        let found = diff(side(&before), side(&only(later)));
        found.removed.first().map(|removed| removed.detail.clone())
    };
    assert_eq!(with(|_| ()).as_deref(), Some("outside_window"));
    assert_eq!(
        with(|held| held.listing = Listing::Named).as_deref(),
        Some("outside_window")
    );
    assert_eq!(
        with(|held| held.gone = vec!["2".to_owned()]).as_deref(),
        Some("gone")
    );
}

#[test]
fn what_time_alone_does_is_no_news() {
    let before = only(held(&["1"]));
    let mut later = held(&["1"]);
    later.items[0].item.insert("age".to_owned(), json!("4 days"));
    let found = diff(side(&before), side(&only(later.clone())));
    assert!(!found.is_news() && found.aged.len() == 1, "{found:?}");
    later.items[0].item.insert("title".to_owned(), json!("other"));
    let found = diff(side(&before), side(&only(later)));
    let changed = found.changed.first().unwrap();
    assert_eq!(changed.fields.len(), 1);
    assert_eq!(changed.fields[0].then, Some(json!("1")));
    assert_eq!(changed.aged[0].field, "age");
}

#[test]
fn what_may_have_been_there_is_not_called_new_without_saying_so() {
    let before = gathered(vec![(Some(held(&["1"])), true)], OnUnchecked::LeaveOut);
    let found = diff(side(&before), side(&only(held(&["1"]))));
    assert_eq!(found.added[0].detail.as_deref(), Some("not_known_before"));
}
