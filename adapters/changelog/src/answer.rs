//! Releases into a result: order, channels, figures, notes.

use freshcontext_contract::chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::serde_json::{Map, Value};
use freshcontext_contract::url::Url;
use freshcontext_contract::{
    CommonArgs, DateEvidence, Item, SourceError, SourceResult, StandingEvidence, quoted,
};
use freshcontext_parse::text;

use crate::parse::{self, Release, instant};

/// Notes of the first releases may be longer than those of the rest.
const LONG: (usize, usize) = (3, 2_000);
/// Notes of the other releases, in characters.
const SHORT: usize = 500;

/// What a route found.
#[derive(Debug)]
pub struct Found {
    /// What was read, for the summary.
    pub what: String,
    /// The page that shows this very data.
    pub page: Url,
    /// The route that answered.
    pub route: &'static str,
    /// The releases.
    pub releases: Vec<Release>,
    /// Whether these are all there are.
    pub complete: bool,
    /// Entries that could not be read.
    pub unreadable: usize,
    /// Remarks.
    pub notes: Vec<String>,
    /// What should have answered in place of this and could not be read.
    pub failed: Option<Box<(String, SourceError)>>,
    /// Facts about the whole.
    pub fields: Map<String, Value>,
    /// Whether this is one article, not a list of releases.
    pub article: bool,
    /// The prose of an article that is short.
    pub prose: Option<String>,
    /// Signs that the page that was read does not stand.
    pub standing: Vec<StandingEvidence>,
}

impl Found {
    /// A list of releases.
    pub fn new(what: impl Into<String>, page: Url, route: &'static str, releases: Vec<Release>) -> Self {
        Self {
            what: what.into(),
            page,
            route,
            releases,
            complete: false,
            unreadable: 0,
            notes: Vec::new(),
            failed: None,
            fields: Map::new(),
            article: false,
            prose: None,
            standing: Vec::new(),
        }
    }

    /// The newest date of a release for everybody.
    pub fn newest(&self) -> Option<DateTime<Utc>> {
        self.releases
            .iter()
            .filter(|release| stable(release))
            .filter_map(|release| instant(&release.date))
            .max()
    }
}

fn stable(release: &Release) -> bool {
    !release.prerelease && !release.yanked && !release.unreleased && !release.unversioned
}

/// Builds the result.
pub fn build(args: &CommonArgs, now: DateTime<Utc>, found: Found) -> SourceResult {
    let Found {
        what,
        page,
        route,
        mut releases,
        complete,
        unreadable,
        notes,
        failed,
        fields,
        article,
        prose,
        standing,
    } = found;
    let mut result = SourceResult::new(page, Vec::new());
    result.route = Some(route);
    result.notes = notes;
    result.fields = fields;
    result.any_page = article;
    result.prose = prose;
    result.standing = standing;
    result.skip(unreadable, "that could not be read");
    let ahead = parse::drop_future(&mut releases, now);
    result.note_count(ahead, ["date lies", "dates lie"], "in the future and left out");
    let is_all_known = unreadable == 0 && ahead == 0 && failed.is_none();
    parse::sort(&mut releases);
    if releases.iter().any(|release| release.unreleased) {
        result.set("unreleased_section", true);
    }
    let listed = releases.iter().filter(|release| !release.unreleased).count();
    result.summary = Some(match (article, listed) {
        (true, _) => what,
        (false, 0) => format!("{what}: no releases"),
        (false, 1) => format!("{what}: 1 release"),
        (false, count) if complete => format!("{what}: {count} releases"),
        (false, count) => format!("{what}: the latest {count} releases"),
    });
    if !article {
        channels(&mut result, &releases);
        cadence(&mut result, &releases, complete, now);
    }
    releases.retain(|release| instant(&release.date).is_none_or(|at| args.in_range(at)));
    result.scope.has_newest = !article && args.until.is_none() && is_all_known && !has_newer(&releases);
    result.own_date = newest_stable(&releases).map(|release| release.date.clone());
    let all = releases.len();
    releases.truncate(args.limit);
    result.skip(all - releases.len(), "beyond the limit");
    let shown = releases.into_iter().enumerate();
    result.show(shown.map(|(at, release)| item(release, at, article)).collect());
    if let Some(failed) = failed {
        let (what, error) = *failed;
        result.fail(what, error);
    }
    result
}

/// The newest of sorted releases, with a date or by its version.
fn newest_stable(releases: &[Release]) -> Option<&Release> {
    releases
        .iter()
        .find(|release| stable(release) && (release.newest_undated || instant(&release.date).is_some()))
}

/// Whether a release is newer than the one that dates the answer, such as a pre-release after the newest stable one. An
/// undated newest release is newer than each that has a date.
fn has_newer(releases: &[Release]) -> bool {
    let Some(newest) = newest_stable(releases) else {
        return false;
    };
    let dated = instant(&newest.date);
    newest.newest_undated || releases.iter().any(|release| instant(&release.date) > dated)
}

/// Both channels with their own newest date: a nightly does not make a project fresh.
fn channels(result: &mut SourceResult, releases: &[Release]) {
    let shown = |release: &Release| {
        let date = parse::shown(&release.date);
        let name = release.tag.as_deref().unwrap_or(&release.title);
        date.map_or_else(|| name.to_owned(), |date| format!("{name} ({date})"))
    };
    let stable = newest_stable(releases);
    result.set("newest_stable", stable.map(shown));
    let early = releases
        .iter()
        .find(|release| release.prerelease && instant(&release.date).is_some());
    result.set("newest_prerelease", early.map(shown));
    if let Some(note) = stable.and_then(|newest| against_versions(newest, releases)) {
        result.note(note);
    }
    let dated = stable.and_then(|release| instant(&release.date));
    let aside = releases
        .iter()
        .find(|release| release.unversioned && instant(&release.date) > dated);
    if let Some(aside) = aside.filter(|_| stable.is_some()) {
        let name = quoted(aside.tag.as_deref().unwrap_or(&aside.title));
        result.note(format!(
            "The tag {name} names no version, so its release does not date the answer"
        ));
    }
    if let Some(newest) = stable.filter(|release| release.newest_undated) {
        let name = newest.tag.as_deref().unwrap_or(&newest.title);
        result.note(format!(
            "The newest release, {name}, has no date: older ones that have one do not date the answer"
        ));
    } else if stable.is_none() && early.is_some() {
        result.note("Only pre-releases have a date, so they date the answer");
    } else if early.and_then(|release| instant(&release.date))
        > stable.and_then(|release| instant(&release.date))
    {
        result.note("There are pre-releases newer than the newest stable release, which dates the answer");
    }
}

/// What contradicts the newest release by its day: a higher version of its own line whose typed day is before it, as of
/// `1.12.3 (2025-02-03)` above `1.12.2 (2025-10-13)`. Hosts and registries date what they publish themselves.
fn against_versions(newest: &Release, releases: &[Release]) -> Option<String> {
    let dated = instant(&newest.date)?;
    let version = parse::version::parse(&newest.title)?;
    let later = |release: &&Release| {
        let is_typed = [*release, newest]
            .into_iter()
            .all(|release| release.tag.is_none() && matches!(release.date, DateEvidence::PageSignal { .. }));
        let follows =
            || parse::version::parse(&release.title).is_some_and(|later| later.follows_in_line(&version));
        is_typed && stable(release) && instant(&release.date).is_some_and(|at| at < dated) && follows()
    };
    let other = releases.iter().find(later)?;
    let (day, newest_day) = (parse::shown(&other.date)?, parse::shown(&newest.date)?);
    Some(format!(
        "{} is dated {day}, before {} ({newest_day}), which dates the answer: one of the two days may be mistaken",
        other.title, newest.title
    ))
}

/// How many releases came out lately, where the list reaches back far enough to know.
fn cadence(result: &mut SourceResult, releases: &[Release], complete: bool, now: DateTime<Utc>) {
    let dates: Vec<DateTime<Utc>> = releases
        .iter()
        .filter(|release| stable(release))
        .filter_map(|release| instant(&release.date))
        .collect();
    let oldest = releases.iter().filter_map(|release| instant(&release.date)).min();
    for (name, days) in [("releases_90d", 90), ("releases_365d", 365)] {
        let since = now - TimeDelta::days(days);
        if !dates.is_empty() && (complete || oldest.is_some_and(|oldest| oldest < since)) {
            result.set(name, dates.iter().filter(|at| **at >= since).count());
        }
    }
}

fn item(release: Release, at: usize, article: bool) -> Item {
    let room = if article {
        usize::MAX
    } else if at < LONG.0 {
        LONG.1
    } else {
        SHORT
    };
    let mut item = Item::new(release.title, release.date);
    item.id.clone_from(&release.tag);
    if item.id.is_none() && !article {
        item.id = Some(item.title.clone());
    }
    item.url = release.url;
    item.standing = release.standing;
    let shown = if room == usize::MAX {
        release.notes.clone()
    } else {
        text::clip(&release.notes, room)
    };
    item.set_excerpt(shown, &release.notes);
    // What is not out yet says nothing about how fresh the rest is.
    item.out_of_order = release.unreleased;
    item.set("tag", release.tag);
    for (name, value) in [
        ("prerelease", release.prerelease),
        ("yanked", release.yanked),
        ("unreleased", release.unreleased),
    ] {
        item.set_flag(name, value);
    }
    item.set("sections", release.sections);
    if let DateEvidence::PageSignal { what, .. } = &item.date {
        let what = what.clone().into_owned();
        item.set("signal", what);
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::Status;
    use freshcontext_contract::chrono::NaiveDate;

    fn release(title: &str, day: Option<&str>) -> Release {
        Release {
            title: title.to_owned(),
            date: DateEvidence::optional_field("published_at", day.map(|day| format!("{day}T00:00:00Z"))),
            prerelease: parse::version::is_prerelease(title),
            ..Release::default()
        }
    }

    fn built(releases: Vec<Release>, complete: bool) -> SourceResult {
        let page = Url::parse("https://example.com/").unwrap();
        let found = Found {
            complete,
            ..Found::new("x", page, "rest", releases)
        };
        build(
            &CommonArgs::defaults(&crate::DESCRIPTOR.args),
            "2026-06-01T00:00:00Z".parse().unwrap(),
            found,
        )
    }

    #[test]
    fn the_newest_that_there_is_has_nothing_newer_beside_it() {
        let stable = || release("v1.0", Some("2026-03-01"));
        assert!(
            built(vec![stable(), release("v1.0-rc.1", Some("2026-02-01"))], true)
                .scope
                .has_newest
        );
        let newer = [
            release("v1.1-rc.1", Some("2026-05-01")),
            Release {
                yanked: true,
                ..release("v1.1", Some("2026-05-01"))
            },
            // A date in the future is left out, and the release is newer all the same.
            release("v1.1", Some("2027-01-01")),
        ];
        for newer in newer {
            let title = newer.title.clone();
            assert!(!built(vec![stable(), newer], true).scope.has_newest, "{title}");
        }
    }

    #[test]
    fn the_newest_stable_release_dates_the_answer() {
        let result = built(
            vec![
                release("v1.0", Some("2026-01-01")),
                release("v2.0-rc.1", Some("2026-05-01")),
                release("v0.9", Some("2026-03-01")),
            ],
            true,
        );
        assert_eq!(
            result.own_date,
            Some(DateEvidence::field("published_at", "2026-03-01T00:00:00Z"))
        );
        assert_eq!(result.items[0].title, "v2.0-rc.1");
        assert_eq!(result.fields["newest_stable"], "v0.9 (2026-03-01T00:00:00Z)");
        assert_eq!(
            result.fields["newest_prerelease"],
            "v2.0-rc.1 (2026-05-01T00:00:00Z)"
        );
        assert_eq!(
            (
                result.fields["releases_90d"].as_u64(),
                result.fields["releases_365d"].as_u64()
            ),
            (Some(0), Some(2))
        );
    }

    #[test]
    fn a_higher_version_of_the_line_with_an_earlier_day_is_noted() {
        let typed = |title: &str, day: &str| Release {
            date: DateEvidence::signal("date in the version's heading", day.parse::<NaiveDate>().unwrap()),
            ..release(title, None)
        };
        let notes = |releases| built(releases, true).notes.join(" ");
        let told = notes(vec![typed("1.12.3", "2026-02-03"), typed("1.12.2", "2026-05-13")]);
        assert!(
            told.contains("1.12.3 is dated 2026-02-03") && told.contains("before 1.12.2 (2026-05-13"),
            "{told}"
        );
        for (higher, lower) in [
            ("1.13.0", "1.12.2"),
            ("2.0.0", "1.12.2"),
            ("1.12.3-rc.1", "1.12.2"),
            ("1.12.1", "1.12.2"),
        ] {
            let told = notes(vec![typed(higher, "2026-02-03"), typed(lower, "2026-05-13")]);
            assert!(!told.contains("mistaken"), "{higher} {lower}: {told}");
        }
    }

    fn on(title: &str, date: &str) -> Release {
        Release {
            date: DateEvidence::field("published_at", date),
            ..release(title, None)
        }
    }

    #[test]
    fn releases_of_one_day_are_in_the_order_of_their_versions() {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let all = ["2.3.4", "2.3.5", "2.3.10", "2.3.9"].map(|title| on(title, "2026-01-05"));
            let result = built(order.map(|at: usize| all[at].clone()).to_vec(), true);
            assert_eq!(result.fields["newest_stable"], "2.3.10 (2026-01-05)", "{order:?}");
            let titles: Vec<_> = result.items.iter().map(|item| item.title.as_str()).collect();
            assert_eq!(titles, ["2.3.10", "2.3.9", "2.3.5", "2.3.4"]);
        }
        // One without a time leaves the others' times nothing to tell.
        let mixed = vec![
            on("2.3.4", "2026-01-05T18:00:00Z"),
            on("2.3.5", "2026-01-05"),
            on("2.3.3", "2026-01-05T09:00:00Z"),
        ];
        assert_eq!(built(mixed, true).fields["newest_stable"], "2.3.5 (2026-01-05)");
        // Times known to all of them tell more than versions: a branch of old gets a release, too.
        let timed = vec![
            on("2.3.5", "2026-01-05T09:00:00Z"),
            on("1.9.9", "2026-01-05T18:00:00Z"),
        ];
        assert_eq!(
            built(timed, true).fields["newest_stable"],
            "1.9.9 (2026-01-05T18:00:00Z)"
        );
        // Where nothing tells, the place.
        let named = vec![on("Spring", "2026-01-05"), on("Summer", "2026-01-05")];
        assert_eq!(built(named, true).fields["newest_stable"], "Spring (2026-01-05)");
    }

    #[test]
    fn a_tag_without_a_version_dates_no_project_of_versions() {
        let list = |tags: [(&str, &str); 2]| {
            let entries = tags.map(|(tag, day)| {
                format!(r#"{{"tag_name":"{tag}","name":"{tag}","published_at":"{day}T10:00:00Z"}}"#)
            });
            let read = parse::releases::read(&format!("[{}]", entries.join(",")));
            built(read.unwrap().releases, true)
        };
        for tag in ["binaries", "assets", "staging", "data"] {
            let result = list([(tag, "2026-05-26"), ("v1.8.0", "2024-06-01")]);
            assert_eq!(
                result.fields["newest_stable"], "v1.8.0 (2024-06-01T10:00:00Z)",
                "{tag}"
            );
            let note = result.notes.iter().find(|note| note.contains(tag));
            assert!(note.is_some(), "{tag}: {:?}", result.notes);
        }
        // Where no tag is a version, names are all there is.
        let named = list([("spring", "2026-05-26"), ("winter", "2025-12-26")]);
        assert_eq!(named.fields["newest_stable"], "spring (2026-05-26T10:00:00Z)");
    }

    #[test]
    fn figures_are_only_given_where_the_list_reaches_back() {
        let result = built(vec![release("v1.0", Some("2026-05-01"))], false);
        assert!(!result.fields.contains_key("releases_90d"));
        let result = built(
            vec![
                release("v1.0", Some("2026-05-01")),
                release("v0.9", Some("2026-01-01")),
            ],
            false,
        );
        assert_eq!(result.fields["releases_90d"].as_u64(), Some(1));
        assert!(!result.fields.contains_key("releases_365d"));
    }

    #[test]
    fn coming_dates_are_dropped_and_named() {
        let result = built(
            vec![
                release("v9.0", Some("2027-01-01")),
                release("v1.0", Some("2026-01-01")),
            ],
            true,
        );
        assert_eq!(
            result.own_date,
            Some(DateEvidence::field("published_at", "2026-01-01T00:00:00Z"))
        );
        assert!(result.notes.iter().any(|note| note.contains("future")));
        let none = built(vec![], true);
        assert_eq!((none.status, none.own_date), (Status::Empty, None));
    }
}
