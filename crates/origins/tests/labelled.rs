//! Labelled lists: which items are copies, by people, and by this crate.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests; the figures are for whoever runs them"
)]

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use freshcontext_origins::{Dated, View, find};
use serde::Deserialize;

/// Least F1 over pairs of items that have one origin.
const F1: f64 = 0.95;
/// Most copies that may be counted as independent, as a share of all copies.
const INDEPENDENT: f64 = 0.01;

#[derive(Deserialize)]
struct Item {
    list: String,
    origin: String,
    source_type: String,
    title: String,
    url: Option<String>,
    date: Option<DateTime<Utc>>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    links: Vec<String>,
    #[serde(default)]
    projects: Vec<String>,
    #[serde(default)]
    author: Option<String>,
}

impl Item {
    fn view(&self) -> View<'_> {
        View {
            title: &self.title,
            url: self.url.as_deref(),
            links: self.links.iter().map(String::as_str).collect(),
            projects: self.projects.iter().map(String::as_str).collect(),
            text: &self.text,
            author: self.author.as_deref(),
            source_type: &self.source_type,
            date: self.date.map(|at| Dated {
                at,
                whole_day: false,
                reliable: true,
            }),
            sketch: None,
        }
    }
}

#[derive(Debug, Default)]
struct Score {
    clusters: usize,
    copies: usize,
    independent: usize,
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Score {
    fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (2 * self.right + self.wrong + self.missed) as f64
    }

    fn independent_share(&self) -> f64 {
        self.independent as f64 / self.copies as f64
    }
}

fn score(lines: &str) -> Score {
    let items: Vec<Item> = lines
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut lists: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in &items {
        lists.entry(&item.list).or_default().push(item);
    }
    let mut score = Score::default();
    for (name, list) in lists {
        let views: Vec<View<'_>> = list.iter().map(|item| item.view()).collect();
        let origins = find(&views, 1_000);
        let mut group: Vec<usize> = (0..list.len()).collect();
        for cluster in &origins.clusters {
            for at in &cluster.members {
                group[*at] = cluster.members[0];
            }
        }
        let mut labels: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, item) in list.iter().enumerate() {
            labels.entry(&item.origin).or_default().push(at);
        }
        for members in labels.values().filter(|members| members.len() > 1) {
            score.clusters += 1;
            score.copies += members.len() - 1;
            let mut found: Vec<usize> = members.iter().map(|at| group[*at]).collect();
            found.sort_unstable();
            found.dedup();
            score.independent += found.len() - 1;
        }
        for one in 0..list.len() {
            for other in one + 1..list.len() {
                let (same, found) = (list[one].origin == list[other].origin, group[one] == group[other]);
                match (same, found) {
                    (true, true) => score.right += 1,
                    (false, true) => score.wrong += 1,
                    (true, false) => score.missed += 1,
                    (false, false) => {}
                }
                if same != found && std::env::var_os("ORIGINS_SHOW").is_some() {
                    let what = if same { "MISSED" } else { "WRONG" };
                    println!("{what} {name}: {} | {}", list[one].title, list[other].title);
                }
            }
        }
    }
    score
}

fn check(name: &str, lines: &str) -> Score {
    let score = score(lines);
    println!(
        "{name}: F1 {:.4}, independent {:.4}, {score:?}",
        score.f1(),
        score.independent_share()
    );
    assert!(score.f1() >= F1, "{name}: {:.4} {score:?}", score.f1());
    assert!(
        score.independent_share() <= INDEPENDENT,
        "{name}: {:.4} {score:?}",
        score.independent_share()
    );
    score
}

#[test]
fn copies_of_real_lists_are_found_in_the_tuned_half() {
    check("tuned", include_str!("labelled/tuned.jsonl"));
}

#[test]
fn copies_of_real_lists_are_found_in_the_held_half() {
    check("held", include_str!("labelled/held.jsonl"));
}

/// Another list of the same form, whose figures are only printed: `ORIGINS_LIST=FILE cargo test -p freshcontext-origins -- --nocapture`.
#[test]
fn a_list_of_the_caller_is_measured() {
    let Some(path) = std::env::var_os("ORIGINS_LIST") else {
        return;
    };
    let score = score(&std::fs::read_to_string(path).unwrap());
    let (f1, independent) = (score.f1(), score.independent_share());
    println!("list: F1 {f1:.4}, independent {independent:.4}, {score:?}");
}
