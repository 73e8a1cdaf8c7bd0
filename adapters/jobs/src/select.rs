//! Which adverts fit the search, in which order, each once.

use std::collections::HashMap;

use freshcontext_contract::chrono::{DateTime, Utc};

use crate::input::Search;
use crate::job::Job;
use crate::places::{Fit, Gap, Wanted};
use crate::words::Query;

/// The adverts that fit, and why the others do not.
#[derive(Debug, Default)]
pub struct Selection {
    /// Those that fit, with the keywords found in each, in the order to show them.
    pub jobs: Vec<(Job, Vec<String>)>,
    /// Fitting but for saying that they are not remote.
    pub not_remote: usize,
    /// Fitting but for saying nothing of remote work, or that it is of some days.
    pub remote_unsaid: usize,
    /// Fitting but too old.
    pub too_old: usize,
    /// Fitting but for a place that is not stated.
    pub no_place: usize,
    /// Fitting but elsewhere.
    pub elsewhere: usize,
    /// Fitting, and naming a place that may be the one asked for: how many, and some of the places.
    pub unclear: Vec<String>,
    /// Shown because of the town that they name: the towns.
    pub by_town: Vec<String>,
    /// Found on more than one board, or twice on one.
    pub repeated: usize,
    /// Shown without a date.
    pub undated: usize,
    /// What the list of places cannot tell of the place asked for.
    pub gap: Option<Gap>,
}

/// Picks the adverts that fit.
pub fn select(jobs: Vec<Job>, search: &Search, now: DateTime<Utc>) -> Selection {
    let query = Query::of(&search.query);
    let remote = search.remote_wanted() || query.remote;
    let wanted = search.place().map(Wanted::of);
    let mut selection = Selection {
        gap: wanted.as_ref().and_then(Wanted::gap),
        ..Selection::default()
    };
    let mut fitting: Vec<(Job, Vec<String>)> = Vec::new();
    for job in jobs {
        let words = job.words();
        if !query.words.iter().all(|word| words.contain(word)) {
            continue;
        }
        if remote && job.remote != Some(true) {
            match job.remote {
                Some(_) => selection.not_remote += 1,
                None => selection.remote_unsaid += 1,
            }
            continue;
        }
        if job.older_than(search.max_age_days, now) {
            selection.too_old += 1;
            continue;
        }
        match wanted.as_ref().map(|wanted| holds(wanted, &job)) {
            None | Some(Some(Fit::Yes)) => {}
            Some(Some(Fit::ByTown)) => selection.by_town.extend(job.location.clone()),
            Some(Some(Fit::No)) => {
                selection.elsewhere += 1;
                continue;
            }
            Some(Some(Fit::Unclear)) => {
                selection
                    .unclear
                    .extend(job.location.clone().or_else(|| job.place_text.clone()));
                continue;
            }
            Some(None) => {
                selection.no_place += 1;
                continue;
            }
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

/// Whether an advert is where the caller looks; `None` where it states no place.
fn holds(wanted: &Wanted, job: &Job) -> Option<Fit> {
    // The field for it, or else the text in which places are looked for.
    let stated = job.location.as_ref().or(job.place_text.as_ref())?;
    match (wanted.fits(stated), &job.place_text) {
        (Fit::Unclear | Fit::No, Some(text)) if wanted.fits(text) == Fit::Yes => Some(Fit::Yes),
        (fit, _) => Some(fit),
    }
}

/// One of each advert: the same company, position and place on several boards is one, dated by the oldest; twice on one
/// board it was posted again, and the newer one is open.
fn once_each(jobs: Vec<(Job, Vec<String>)>) -> Vec<(Job, Vec<String>)> {
    let mut seen: HashMap<(String, String), Vec<usize>> = HashMap::new();
    let mut out: Vec<(Job, Vec<String>)> = Vec::new();
    for (job, found) in jobs {
        let known = identity(&job).map(|identity| seen.entry(identity).or_default());
        let same = known.as_ref().and_then(|known| {
            let one_place = |at: &&usize| out.get(**at).is_some_and(|(kept, _)| same_place(kept, &job));
            known.iter().take(MOST_PLACES).find(one_place).copied()
        });
        if let (None, Some(known)) = (same, known) {
            known.push(out.len());
        }
        let Some((kept, kept_found)) = same.and_then(|at| out.get_mut(at)) else {
            out.push((job, found));
            continue;
        };
        let reposted = job.board == kept.board;
        let better = match (job.at, kept.at) {
            (Some(new), Some(old)) => (new < old) != reposted && new != old,
            (Some(_), None) => true,
            _ => false,
        };
        // Moved, not copied: one long advert may have very many short copies.
        let second = if better { std::mem::replace(kept, job) } else { job };
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

/// Places of one position that are compared; beyond that, each advert is one.
const MOST_PLACES: usize = 50;

/// Whether two adverts of a position are for one place: of one board, only where both write the same; of two, also where
/// one writes more of it or nothing.
fn same_place(a: &Job, b: &Job) -> bool {
    let place = |job: &Job| plain(job.location.as_deref().unwrap_or_default());
    let (one, other) = (place(a), place(b));
    one == other || (a.board != b.board && (one.contains(&other) || other.contains(&one)))
}

/// Letters, digits and the signs that names of languages have: `C++` is not `C#`.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '+' | '#'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// By what two adverts may be the same; without a company nothing is.
fn identity(job: &Job) -> Option<(String, String)> {
    let company = plain(job.company.as_deref()?);
    (!company.is_empty()).then(|| (company, plain(&job.position)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Board;
    use freshcontext_contract::chrono::TimeDelta;

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
        assert_eq!((selection.no_place, selection.elsewhere), (1, 2));
        assert_eq!(selection.gap, None);
        search.location = Some("Randstad".into());
        assert_eq!(select(vec![], &search, now()).gap, Some(Gap::Unknown));
        // A country finds its towns, and says which; what may lie there is counted.
        search.location = Some("Germany".into());
        let jobs = vec![
            place("a", Some("Hamburg, Berlin")),
            place("b", Some("Kleinstadt")),
            place("c", Some("Wien")),
            place("d", Some("Remote, Germany")),
        ];
        let selection = select(jobs, &search, now());
        assert_eq!(keys(&selection), ["a", "d"]);
        assert_eq!(selection.by_town, ["Hamburg, Berlin"]);
        assert_eq!(
            (selection.unclear.as_slice(), selection.elsewhere),
            (&["Kleinstadt".to_owned()][..], 1)
        );
    }

    #[test]
    fn a_position_in_three_places_is_three_adverts_and_signs_count() {
        let of = |key: &str, position: &str, place: Option<&str>, board, days| Job {
            company: Some("Acme GmbH".into()),
            location: place.map(str::to_owned),
            board,
            ..job(key, position, Some(days))
        };
        let one = Board::Arbeitnow;
        let jobs = vec![
            of("berlin", "Rust Lead", Some("Berlin"), one, 1),
            of("hamburg", "Rust Lead", Some("Hamburg"), one, 32),
            of("munich", "Rust Lead", Some("Munich"), one, 2),
            of("cpp", "Rust or C++", Some("Berlin"), one, 3),
            of("cs", "Rust or C#", Some("Berlin"), one, 4),
            // Posted again: the newer one.
            of("again", "Rust Lead", Some("Hamburg"), one, 5),
            // On another board, which says less of the place or more.
            of("other", "Rust Lead", Some("Berlin, Germany"), Board::Muse, 9),
        ];
        let selection = select(jobs, &search("rust"), now());
        assert_eq!(keys(&selection), ["munich", "cpp", "cs", "again", "other"]);
        assert_eq!(selection.jobs[4].0.also_on, [Board::Arbeitnow]);
        assert_eq!(selection.repeated, 2);
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
        let selection = select(jobs.clone(), &search("remote rust"), now());
        assert_eq!(keys(&selection), ["a"]);
        assert_eq!((selection.not_remote, selection.remote_unsaid), (1, 1));
        let only = Search {
            remote_only: true,
            ..search("rust")
        };
        assert_eq!(keys(&select(jobs.clone(), &only, now())), ["a"]);
        let place = Search {
            location: Some("Remote".into()),
            ..search("rust")
        };
        let selection = select(jobs, &place, now());
        assert_eq!(keys(&selection), ["a"]);
        assert_eq!((selection.not_remote, selection.remote_unsaid), (1, 1));
        assert_eq!((selection.no_place, selection.elsewhere), (0, 0));
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
