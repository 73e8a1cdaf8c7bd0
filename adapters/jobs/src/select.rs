//! Which adverts fit the search, in which order, each once.

use std::collections::HashMap;

use freshcontext_contract::chrono::{DateTime, TimeDelta, Utc};

use crate::input::Search;
use crate::job::Job;
use crate::words::{Query, Words};

/// The adverts that fit, and why the others do not.
#[derive(Debug, Default)]
pub struct Selection {
    /// Those that fit, with the keywords found in each, in the order to show them.
    pub jobs: Vec<(Job, Vec<String>)>,
    /// Fitting but too old.
    pub too_old: usize,
    /// Fitting but for a place that is not stated.
    pub no_place: usize,
    /// Found on more than one board, or twice on one.
    pub repeated: usize,
    /// Shown without a date.
    pub undated: usize,
}

/// Picks the adverts that fit.
pub fn select(jobs: Vec<Job>, search: &Search, now: DateTime<Utc>) -> Selection {
    let query = Query::of(&search.query);
    let oldest = now - TimeDelta::days(i64::from(search.max_age_days));
    let mut selection = Selection::default();
    let mut fitting: Vec<(Job, Vec<String>)> = Vec::new();
    for job in jobs {
        let words = job.words();
        if !query.words.iter().all(|word| words.contain(word)) {
            continue;
        }
        if (search.remote_only || query.remote) && job.remote != Some(true) {
            continue;
        }
        match search.location.as_deref().map(|place| in_place(&job, place)) {
            None | Some(Fit::Yes) => {}
            Some(Fit::No) => continue,
            Some(Fit::Unknown) => {
                selection.no_place += 1;
                continue;
            }
        }
        if job.dated(now).is_some_and(|at| at < oldest) {
            selection.too_old += 1;
            continue;
        }
        let found = search
            .keywords
            .iter()
            .filter(|word| words.contain(word))
            .cloned()
            .collect();
        fitting.push((job, found));
    }
    let before = fitting.len();
    let mut fitting = once_each(fitting);
    selection.repeated = before - fitting.len();
    fitting.sort_by(|(a, _), (b, _)| {
        let newest = b.dated(now).cmp(&a.dated(now));
        newest
            .then_with(|| a.board.cmp(&b.board))
            .then_with(|| a.key.cmp(&b.key))
    });
    selection.undated = fitting.iter().filter(|(job, _)| job.dated(now).is_none()).count();
    selection.jobs = fitting;
    selection
}

enum Fit {
    Yes,
    No,
    Unknown,
}

/// Whether an advert is for a place. What it does not state is unknown, not a match.
fn in_place(job: &Job, place: &str) -> Fit {
    if place.trim().eq_ignore_ascii_case("remote") {
        return match job.remote {
            Some(true) => Fit::Yes,
            Some(false) => Fit::No,
            None => Fit::Unknown,
        };
    }
    let stated: Vec<&str> = [&job.location, &job.place_text]
        .into_iter()
        .filter_map(Option::as_deref)
        .collect();
    if stated.is_empty() {
        return Fit::Unknown;
    }
    let stated = Words::of(&stated.join("\n"));
    let nearest = place.split(',').next().unwrap_or(place);
    if stated.contain(place) || stated.contain(nearest) {
        Fit::Yes
    } else {
        Fit::No
    }
}

/// One of each advert: the same company and position on several boards is one, dated by the oldest.
fn once_each(jobs: Vec<(Job, Vec<String>)>) -> Vec<(Job, Vec<String>)> {
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    let mut out: Vec<(Job, Vec<String>)> = Vec::new();
    for (job, found) in jobs {
        let identity = identity(&job);
        let same = identity.as_ref().and_then(|identity| seen.get(identity)).copied();
        if let (None, Some(identity)) = (same, identity) {
            seen.insert(identity, out.len());
        }
        let Some((kept, kept_found)) = same.and_then(|at| out.get_mut(at)) else {
            out.push((job, found));
            continue;
        };
        let older = match (job.at, kept.at) {
            (Some(new), Some(old)) => new < old,
            (Some(_), None) => true,
            _ => false,
        };
        // Moved, not copied: one long advert may have very many short copies.
        let second = if older { std::mem::replace(kept, job) } else { job };
        for board in second.also_on.into_iter().chain([second.board]) {
            if board != kept.board && !kept.also_on.contains(&board) {
                kept.also_on.push(board);
            }
        }
        for word in found {
            if !kept_found.contains(&word) {
                kept_found.push(word);
            }
        }
    }
    out
}

/// By what two adverts are the same; without a company nothing is.
fn identity(job: &Job) -> Option<(String, String)> {
    let plain = |text: &str| -> String {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let company = plain(job.company.as_deref()?);
    (!company.is_empty()).then(|| (company, plain(&job.position)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Board;

    fn now() -> DateTime<Utc> {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn search(query: &str) -> Search {
        Search {
            query: query.into(),
            location: None,
            remote_only: false,
            max_age_days: 60,
            keywords: vec![],
            offset: 0,
        }
    }

    fn job(key: &str, position: &str, days: Option<i64>) -> Job {
        let mut job = Job::new(Board::Arbeitnow, key.into(), position.into());
        job.at = days.map(|days| now() - TimeDelta::days(days));
        job
    }

    fn keys(selection: &Selection) -> Vec<&str> {
        selection.jobs.iter().map(|(job, _)| job.key.as_str()).collect()
    }

    #[test]
    fn every_word_of_the_query_must_occur_and_unrelated_jobs_go() {
        let mut tagged = job("c", "Systems person", Some(3));
        tagged.tags = vec!["Rust".into(), "engineer".into()];
        let jobs = vec![
            job("a", "Rust Engineer", Some(1)),
            job("b", "Graphic Designer", Some(0)),
            tagged,
            job("d", "Rust evangelist", Some(0)),
        ];
        assert_eq!(keys(&select(jobs, &search("rust engineer"), now())), ["a", "c"]);
    }

    #[test]
    fn only_dated_jobs_can_be_too_old_and_undated_ones_come_last() {
        let jobs = vec![
            job("none", "Rust", None),
            job("old", "Rust", Some(61)),
            job("edge", "Rust", Some(60)),
            job("new", "Rust", Some(1)),
            job("future", "Rust", Some(-2)),
        ];
        let selection = select(jobs, &search("rust"), now());
        assert_eq!(keys(&selection), ["new", "edge", "future", "none"]);
        assert_eq!((selection.too_old, selection.undated), (1, 2));
    }

    #[test]
    fn places_match_whole_words_and_silence_is_no_match() {
        let place = |key: &str, location: Option<&str>| Job {
            location: location.map(str::to_owned),
            ..job(key, "Rust", Some(1))
        };
        let jobs = vec![
            place("a", Some("Hamburg, Berlin")),
            place("b", Some("Berlingen")),
            place("c", None),
            place("d", Some("Munich")),
        ];
        let mut search = search("rust");
        search.location = Some("Berlin, Germany".into());
        let selection = select(jobs, &search, now());
        assert_eq!(keys(&selection), ["a"]);
        assert_eq!(selection.no_place, 1);
    }

    #[test]
    fn remote_means_that_the_advert_says_so() {
        let remote = |key: &str, remote| Job {
            remote,
            ..job(key, "Rust", Some(1))
        };
        let jobs = vec![
            remote("a", Some(true)),
            remote("b", Some(false)),
            remote("c", None),
        ];
        assert_eq!(keys(&select(jobs.clone(), &search("remote rust"), now())), ["a"]);
        let only = Search {
            remote_only: true,
            ..search("rust")
        };
        assert_eq!(keys(&select(jobs.clone(), &only, now())), ["a"]);
        let place = Search {
            location: Some("Remote".into()),
            ..search("rust")
        };
        assert_eq!(keys(&select(jobs, &place, now())), ["a"]);
    }

    #[test]
    fn the_same_advert_on_two_boards_is_one_with_the_older_date() {
        let named = |key: &str, board, days| Job {
            company: Some("Acme, Inc.".into()),
            board,
            ..job(key, "Rust Engineer", Some(days))
        };
        let jobs = vec![
            named("new", Board::Arbeitnow, 1),
            named("old", Board::Remotive, 9),
            job("x", "Rust Engineer", Some(2)),
            job("y", "Rust Engineer", Some(3)),
        ];
        let selection = select(jobs, &search("rust"), now());
        assert_eq!(keys(&selection), ["x", "y", "old"]);
        assert_eq!(selection.repeated, 1);
        assert_eq!(selection.jobs[2].0.also_on, [Board::Arbeitnow]);
    }

    #[test]
    fn keywords_are_pointed_out_and_filter_nothing() {
        let mut cpp = job("a", "Rust", Some(1));
        cpp.text = "We also use C++ (see https://example.com/visa).".into();
        let jobs = vec![cpp, job("b", "Rust", Some(2))];
        let search = Search {
            keywords: vec!["C++".into(), ".*".into(), "(".into(), "visa".into()],
            ..search("rust")
        };
        let selection = select(jobs, &search, now());
        assert_eq!(keys(&selection), ["a", "b"]);
        assert_eq!(selection.jobs[0].1, ["C++".to_owned(), "(".to_owned()]);
    }
}
