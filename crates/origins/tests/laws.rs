//! What holds of origins whatever the list.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_origins::{Dated, Origins, View, find};
use proptest::prelude::*;

const MOST: usize = 500;

#[derive(Debug, Clone)]
struct Made {
    title: String,
    url: String,
    text: String,
    hours: i64,
}

fn start() -> DateTime<Utc> {
    "2031-01-01T00:00:00Z".parse().unwrap()
}

fn view(made: &Made) -> View<'_> {
    View {
        title: &made.title,
        url: Some(&made.url),
        text: &made.text,
        source_type: "news",
        date: Some(Dated {
            at: start() + TimeDelta::hours(made.hours),
            whole_day: false,
            reliable: true,
        }),
        ..View::default()
    }
}

fn origins(list: &[Made]) -> Origins {
    let views: Vec<View<'_>> = list.iter().map(view).collect();
    find(&views, MOST)
}

/// Few words, so that items have much in common.
fn made() -> impl Strategy<Value = Made> {
    let words = || proptest::collection::vec(0_usize..14, 3..10);
    let name = |words: &[usize]| {
        const WORDS: [&str; 14] = [
            "bridge",
            "closes",
            "Exampleton",
            "after",
            "flood",
            "minister",
            "2031",
            "says",
            "repairs",
            "cost",
            "Nordby",
            "12",
            "engineers",
            "winter",
        ];
        words.iter().map(|at| WORDS[*at]).collect::<Vec<_>>().join(" ")
    };
    (words(), words(), 0_u8..6, 0_i64..60, proptest::bool::ANY).prop_map(
        move |(title, text, page, hours, long)| Made {
            title: name(&title),
            url: format!("https://paper{}.example/{page}", page % 3),
            text: if long {
                name(&text).repeat(3)
            } else {
                String::new()
            },
            hours,
        },
    )
}

/// The clusters as sets of titles, addresses and times, whatever their order.
fn plain(list: &[Made], origins: &Origins) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = origins
        .clusters
        .iter()
        .map(|cluster| {
            let mut members: Vec<String> = cluster
                .members
                .iter()
                .map(|at| format!("{:?}", list[*at]))
                .collect();
            members.sort();
            let mut reasons: Vec<String> = cluster.reasons.iter().map(ToString::to_string).collect();
            reasons.sort();
            members.push(format!("{reasons:?} {:?} {}", cluster.ahead, cluster.undated));
            members
        })
        .collect();
    out.sort();
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_order_changes_nothing(list in proptest::collection::vec(made(), 0..24), seed in 0_usize..1000) {
        let mut other = list.clone();
        for at in 0..other.len() {
            let len = other.len();
            other.swap(at, (at * 7 + seed) % len);
        }
        let (one, two) = (origins(&list), origins(&other));
        prop_assert_eq!(one.origins, two.origins);
        prop_assert_eq!(plain(&list, &one), plain(&other, &two));
        prop_assert_eq!(one.disagreements.len(), two.disagreements.len());
    }

    #[test]
    fn a_copy_adds_no_origin(list in proptest::collection::vec(made(), 1..24), which in 0_usize..1000) {
        let mut more = list.clone();
        more.push(list[which % list.len()].clone());
        prop_assert!(origins(&more).origins <= origins(&list).origins);
    }

    #[test]
    fn what_has_nothing_in_common_adds_one(list in proptest::collection::vec(made(), 0..24)) {
        let mut more = list.clone();
        more.push(Made {
            title: "Quiet orchestra tours seven remote lighthouses".to_owned(),
            url: "https://elsewhere.example/orchestra".to_owned(),
            text: String::new(),
            hours: 3,
        });
        prop_assert_eq!(origins(&more).origins, origins(&list).origins + 1);
    }

    #[test]
    fn the_figures_add_up(list in proptest::collection::vec(made(), 0..40)) {
        let found = origins(&list);
        let copies: usize = found.clusters.iter().map(|cluster| cluster.members.len() - 1).sum();
        prop_assert_eq!(found.items, list.len());
        prop_assert_eq!(found.origins + copies, list.len());
        for cluster in &found.clusters {
            prop_assert!(!cluster.reasons.is_empty() && cluster.members.is_sorted());
            prop_assert!(cluster.first.iter().all(|at| cluster.members.contains(at)));
        }
    }

    #[test]
    fn any_text_is_read(title in ".{0,80}", url in ".{0,80}", text in ".{0,300}") {
        let item = View { title: &title, url: Some(&url), text: &text, links: vec![&url], projects: vec![&url], ..View::default() };
        prop_assert_eq!(find(&[item.clone(), item], MOST).items, 2);
    }
}

#[test]
fn ten_articles_on_one_event() {
    let story = "The ministry said on Friday that the bridge over the Ouse at Exampleton will stay closed until March. Engineers of Harrow \
        Survey found cracks in two of its nine piers after the flood of last week. At least 12 people were injured when a bus slid.";
    let item = |title: &str, host: &str, text: &str, hours: i64| Made {
        title: title.to_owned(),
        url: format!("https://{host}.example/{}", title.len()),
        text: text.to_owned(),
        hours,
    };
    let list = [
        item(
            "Bridge over the Ouse at Exampleton closed until March",
            "wire",
            &format!("EXAMPLETON (Reuters) - {story}"),
            5,
        ),
        item(
            "Bridge over the Ouse at Exampleton closed until March",
            "gazette",
            story,
            7,
        ),
        item(
            "UPDATE 1-Bridge over the Ouse at Exampleton closed until March",
            "herald",
            "",
            8,
        ),
        item(
            "Exampleton bridge: what drivers need to know",
            "post",
            "I stood on the Ouse bank at Exampleton this morning. The bridge is shut, and 14 people were injured, the hospital at Little \
             Marton told me.",
            9,
        ),
        item(
            "Fun fair opens in Nordby",
            "post",
            "The fair of Nordby opens on Sunday.",
            2,
        ),
    ];
    let found = origins(&list);
    assert_eq!((found.items, found.origins), (5, 3));
    let cluster = &found.clusters[0];
    assert_eq!(
        (cluster.members.as_slice(), cluster.first.as_slice()),
        ([0, 1, 2].as_slice(), [0].as_slice())
    );
    assert_eq!(cluster.ahead, Some(TimeDelta::hours(2)));
    let injured = found
        .disagreements
        .iter()
        .find(|one| one.of == "injured")
        .unwrap();
    assert_eq!(
        injured.values,
        [("12".to_owned(), vec![0, 1]), ("14".to_owned(), vec![3])]
    );
    let lines = found.lines(
        |at| format!("[{}]", at + 1),
        |span| format!("{} h", span.num_hours()),
    );
    assert_eq!(found.phrase(), "5 items, 3 origins");
    assert_eq!(
        lines,
        [
            "One origin: [1], [2], [3] (syndicated by Reuters, same headline); first [1], 2 h ahead",
            "Disagreement on injured: 12 ([1], [2]), 14 ([4])"
        ]
    );
}

#[test]
fn reports_of_one_event_disagree_by_value_and_not_by_spelling() {
    let told = |items: &[(&str, &str)]| -> Vec<String> {
        let list: Vec<Made> = items
            .iter()
            .zip(1_i64..)
            .map(|((title, text), hours)| Made {
                title: (*title).to_owned(),
                url: format!("https://paper{hours}.example/news/{hours}"),
                text: (*text).to_owned(),
                hours,
            })
            .collect();
        let lines = origins(&list).lines(|at| format!("[{}]", at + 1), |_| String::new());
        lines
            .into_iter()
            .filter(|line| line.starts_with("Disagreement"))
            .collect()
    };
    for (one, other) in [
        (
            "Example raises $2.1 billion in funding round led by Acme",
            "Example raises $2.1bn in funding round led by Acme",
        ),
        (
            "Example raises $500 million in new funding round led by Acme",
            "Example raises $0.5 billion in new funding round led by Acme",
        ),
        (
            "Acme Corp to buy Example Inc for $2.1 billion, sources say",
            "Acme Corp to buy Example Inc for $2.1bn, sources say",
        ),
    ] {
        assert!(told(&[(one, ""), (other, "")]).is_empty(), "{one}");
    }
    let blast = "Explosion at chemical plant in Exampleton kills three workers, injures";
    let (twelve, fourteen) = (format!("{blast} 12"), format!("{blast} 14"));
    assert_eq!(
        told(&[(&twelve, ""), (&fourteen, "")]),
        ["Disagreement on injured: 12 ([1]), 14 ([2])"]
    );
    // The headline names the place that the text leaves out.
    let dead = told(&[
        (
            "Explosion at Nordby plant kills three",
            "At least three people were killed when an explosion tore through a plant in Exampleton, Nordby, officials said.",
        ),
        (
            "Four dead in Nordby plant blast",
            "Four workers died in a blast at a plant in Exampleton, the county coroner told this newspaper.",
        ),
    ]);
    assert_eq!(dead, ["Disagreement on dead: 3 ([1]), 4 ([2])"]);
}

#[test]
fn days_do_not_tell_who_was_first() {
    let item = |whole_day: bool, at: &str| View {
        title: "Bridge over the Ouse at Exampleton closed until March",
        date: Some(Dated {
            at: at.parse().unwrap(),
            whole_day,
            reliable: true,
        }),
        ..View::default()
    };
    let found = find(
        &[
            item(true, "2031-01-02T00:00:00Z"),
            item(false, "2031-01-02T09:00:00Z"),
        ],
        MOST,
    );
    assert_eq!(
        (found.clusters[0].first.as_slice(), found.clusters[0].ahead),
        ([0, 1].as_slice(), None)
    );
    // The order of moments is known beside a day, too.
    let day = item(true, "2031-01-02T00:00:00Z");
    let (morning, night) = (
        item(false, "2031-01-02T08:00:00Z"),
        item(false, "2031-01-02T23:30:00Z"),
    );
    let found = find(&[day.clone(), night.clone(), morning.clone()], MOST);
    let cluster = &found.clusters[0];
    assert_eq!(
        (
            cluster.first.as_slice(),
            cluster.day_only.as_slice(),
            cluster.ahead
        ),
        ([0, 2].as_slice(), [0].as_slice(), None)
    );
    let lines = found.lines(
        |at| (at + 1).to_string(),
        |span| format!("{} h", span.num_hours()),
    );
    assert!(
        lines[0].ends_with("; first 1 or 3 (1 has a day only)"),
        "{lines:?}"
    );
    let found = find(&[morning, night, item(true, "2031-01-03T00:00:00Z")], MOST);
    assert_eq!(
        (
            found.clusters[0].first.as_slice(),
            found.clusters[0].day_only.len()
        ),
        ([0].as_slice(), 0)
    );
    let found = find(&[day, item(false, "2031-01-03T02:00:00Z")], MOST);
    assert_eq!(found.clusters[0].ahead, Some(TimeDelta::hours(2)));
    let undated = View {
        title: "Bridge over the Ouse at Exampleton closed until March",
        ..View::default()
    };
    let found = find(&[item(false, "2031-01-02T09:00:00Z"), undated], MOST);
    assert_eq!((found.clusters[0].first.len(), found.clusters[0].undated), (0, 1));
}

#[test]
fn what_lies_beyond_the_limit_is_said() {
    let list: Vec<Made> = (0..12)
        .map(|at| Made {
            title: format!("Item {at}"),
            url: "https://one.example/page".to_owned(),
            text: String::new(),
            hours: 0,
        })
        .collect();
    let views: Vec<View<'_>> = list.iter().map(view).collect();
    let found = find(&views, 10);
    assert_eq!((found.items, found.origins, found.not_compared), (12, 3, 2));
    assert_eq!(found.phrase(), "12 items, 3 origins (2 not compared)");
}

/// A flood of one headline and one text, which would be compared each with each, stays cheap: four times the items take less than six
/// times the comparisons, counted by the pairs that the bounds allow.
#[test]
fn a_flood_of_one_text_is_one_origin() {
    let text = "The ministry said that the bridge over the Ouse will stay closed until March and that buses will take the long way round \
        through Little Marton, which adds twenty minutes to each journey of the day.";
    let list: Vec<Made> = (0..500)
        .map(|at| Made {
            title: "Bridge over the Ouse at Exampleton closed until March".to_owned(),
            url: format!("https://paper{at}.example/bridge"),
            text: text.to_owned(),
            hours: 1,
        })
        .collect();
    assert_eq!(origins(&list).origins, 1);
}
