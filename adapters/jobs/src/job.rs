//! One advert, whatever board it is from.

use freshcontext_contract::chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::{DateEvidence, DateValue, Item, StandingEvidence, StandingState, texts};
use freshcontext_parse::text;

use crate::words::Words;

texts! {
    /// The boards, in the order in which they are named; ids are those of the routes.
    pub enum Board(id, name, home) {
        /// remotive.com
        Remotive { id: "remotive", name: "Remotive", home: "https://remotive.com" }
        /// remoteok.com
        RemoteOk { id: "remoteok", name: "Remote OK", home: "https://remoteok.com" }
        /// arbeitnow.com
        Arbeitnow { id: "arbeitnow", name: "Arbeitnow", home: "https://www.arbeitnow.com" }
        /// themuse.com
        Muse { id: "themuse", name: "The Muse", home: "https://www.themuse.com" }
        /// The monthly "Who is hiring?" thread.
        HackerNews {
            id: "hackernews",
            name: "Hacker News: Who is hiring?",
            home: "https://news.ycombinator.com/submitted?id=whoishiring",
        }
    }
}

/// Longest sentence of an advert that is repeated as a reason, in characters.
const SENTENCE: usize = 200;

/// One advert.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Where it stands.
    pub board: Board,
    /// Its id there.
    pub key: String,
    /// What is to be done.
    pub position: String,
    /// For whom.
    pub company: Option<String>,
    /// The board's own page of it.
    pub url: Option<String>,
    /// When the board published it, as the board says.
    pub date: DateEvidence,
    /// The same as an instant, where it can be read: of a day, its beginning.
    pub at: Option<DateTime<Utc>>,
    /// Where.
    pub location: Option<String>,
    /// Text to look for a place in, where the board has no field for it.
    pub place_text: Option<String>,
    /// Whether it says it is remote.
    pub remote: Option<bool>,
    /// Pay, as written.
    pub salary: Option<String>,
    /// Full time, contract...
    pub kind: Option<String>,
    /// Seniority.
    pub level: Option<String>,
    /// Field of work.
    pub category: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// The advert as plain text.
    pub text: String,
    /// Boards on which the same advert was found as well.
    pub also_on: Vec<Board>,
}

impl Job {
    /// An advert with what every one has.
    pub fn new(board: Board, key: String, position: String) -> Self {
        Self {
            board,
            key,
            position,
            company: None,
            url: None,
            date: DateEvidence::None,
            at: None,
            location: None,
            place_text: None,
            remote: None,
            salary: None,
            kind: None,
            level: None,
            category: None,
            tags: Vec::new(),
            text: String::new(),
            also_on: Vec::new(),
        }
    }

    /// The date where it can order and filter: not further ahead than clocks differ.
    pub fn dated(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let ahead = if self.of_a_day() {
            TimeDelta::hours(14)
        } else {
            TimeDelta::minutes(5)
        };
        self.at.filter(|at| *at <= now + ahead)
    }

    /// Whether its date is a day without a time.
    fn of_a_day(&self) -> bool {
        matches!(self.date.value(), Some(DateValue::Day(_)))
    }

    /// Its age in days; of a day alone, by the calendar.
    pub fn age_days(&self, now: DateTime<Utc>) -> Option<i64> {
        let at = self.dated(now)?;
        let age = if self.of_a_day() {
            now.date_naive() - at.date_naive()
        } else {
            now - at
        };
        Some(age.num_days().max(0))
    }

    /// Whether it is older than so many days.
    pub fn older_than(&self, days: u32, now: DateTime<Utc>) -> bool {
        let days = i64::from(days);
        if self.of_a_day() {
            return self.age_days(now).is_some_and(|age| age > days);
        }
        self.dated(now).is_some_and(|at| at < now - TimeDelta::days(days))
    }

    /// Everything to look for words in.
    pub fn words(&self) -> Words {
        let mut all = self.heading();
        for part in [&self.category, &self.level, &self.kind, &self.location] {
            all.push('\n');
            all.push_str(part.as_deref().unwrap_or_default());
        }
        for tag in &self.tags {
            all.push('\n');
            all.push_str(tag);
        }
        all.push('\n');
        all.push_str(&self.text);
        Words::of(&all)
    }

    /// `position — company`.
    pub fn heading(&self) -> String {
        match &self.company {
            Some(company) => format!("{} — {company}", self.position),
            None => self.position.clone(),
        }
    }

    /// As an item. `found` are the caller's keywords that occur.
    pub fn into_item(self, now: DateTime<Utc>, found: Vec<String>) -> Item {
        let age = self.age_days(now);
        let deadline = crate::deadline::find(&self.text, self.dated(now), now);
        let passed = deadline.map(|deadline| crate::deadline::passed(deadline.day, now));
        let filled = crate::filled::in_title(&self.position).or_else(|| crate::filled::sentence(&self.text));
        let filled = filled.map(|sentence| text::said(sentence, SENTENCE));
        let closed = passed.map(|passed| passed || filled.is_some());
        let closed = closed.or_else(|| filled.is_some().then_some(true));
        let mut item = Item::new(self.heading(), self.date);
        item.id = Some(format!("{}:{}", self.board.id(), self.key));
        item.url = self.url;
        item.set("badge", badge(age, closed));
        item.set("age_days", age);
        item.set("source", self.board.name());
        item.set("location", self.location);
        item.set("remote", self.remote);
        item.set("salary", self.salary);
        item.set("type", self.kind);
        item.set("level", self.level);
        item.set("category", self.category);
        if let Some(deadline) = deadline {
            item.set_day("deadline", Some(deadline.day));
            if passed == Some(true) {
                let day = deadline.day.to_string();
                let sign = StandingEvidence::mark(StandingState::Closed, "deadline", day);
                item.standing.push(sign.since(Some(deadline.day)).by("issuer"));
            }
            item.set_flag("deadline_passed", passed == Some(true));
            // Its text has no year.
            item.set_flag("deadline_year_inferred", deadline.year_inferred);
        } else {
            let unread = crate::deadline::sentences(&self.text);
            let unread: Vec<String> = unread.iter().map(|said| text::said(said, SENTENCE)).collect();
            item.set("deadline_unread", unread);
        }
        if let Some(sentence) = filled {
            let sign = StandingEvidence::prose(StandingState::Closed, "text", sentence.as_str());
            item.standing.push(sign.by("issuer").reason(Some(sentence)));
        }
        item.set("keywords", found);
        item.set("tags", self.tags.into_iter().take(8).collect::<Vec<_>>());
        let also: Vec<&str> = self.also_on.iter().map(|board| board.name()).collect();
        item.set("also_on", also);
        let whole = text::one_line(&self.text);
        item.set_excerpt(text::clip(&whole, 400), &whole);
        item
    }
}

/// How far an advert of this age can be trusted to be open, given whether it is closed by its own words: its deadline has
/// passed, its position is filled.
pub const fn badge(age_days: Option<i64>, closed: Option<bool>) -> &'static str {
    match (closed, age_days) {
        (Some(true), _) => return "likely closed",
        // An old advert that takes applications is not closed.
        (Some(false), Some(31..)) => return "old: open until its deadline",
        _ => {}
    }
    match age_days {
        Some(..=7) => "fresh",
        Some(8..=30) => "recent",
        Some(31..=90) => "old: check that it is still open",
        Some(91..) => "likely closed",
        None => "unknown date",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn badges_go_by_age_and_the_future_has_none() {
        let mut job = Job::new(Board::Remotive, "1".into(), "Role".into());
        assert_eq!(
            job.clone().into_item(now(), vec![]).fields["badge"],
            "unknown date"
        );
        for (days, want) in [
            (0, "fresh"),
            (7, "fresh"),
            (8, "recent"),
            (31, "old: check that it is still open"),
            (91, "likely closed"),
        ] {
            job.at = Some(now() - TimeDelta::days(days));
            let item = job.clone().into_item(now(), vec![]);
            assert_eq!(
                (&item.fields["badge"], &item.fields["age_days"]),
                (&want.into(), &days.into())
            );
        }
        job.at = Some(now() + TimeDelta::hours(1));
        let item = job.into_item(now(), vec![]);
        assert_eq!(item.fields["badge"], "unknown date");
        assert!(!item.fields.contains_key("age_days"));
    }

    #[test]
    fn a_deadline_in_the_text_is_shown() {
        let mut job = Job::new(Board::Remotive, "1".into(), "Role".into());
        job.text = "Apply by 1 November 2026.".into();
        let item = job.into_item(now(), vec![]);
        assert_eq!(item.fields["deadline"], "2026-11-01");
        assert_eq!(item.fields["deadline_passed"], true);
        assert_eq!(item.fields["badge"], "likely closed");
        let mut job = Job::new(Board::Remotive, "1".into(), "Role".into());
        job.text = "We build.\nApplication deadline: 03/04/2026".into();
        let item = job.into_item(now(), vec![]);
        assert!(!item.fields.contains_key("deadline"));
        assert_eq!(
            item.fields["deadline_unread"],
            serde_json::json!(["Application deadline: 03/04/2026"])
        );
    }

    #[test]
    fn what_closed_an_advert_is_said_of_it() {
        let of = |text: &str| {
            let mut job = Job::new(Board::Remotive, "1".into(), "Role".into());
            (job.at, job.text) = (Some(now() - TimeDelta::days(40)), text.into());
            job.into_item(now(), vec![])
        };
        let item = of("Apply by 1 November 2026. We build things.");
        let [sign] = item.standing.as_slice() else {
            panic!("{:?}", item.standing)
        };
        let day = "2026-11-01".parse().unwrap();
        assert_eq!(
            (sign.state, sign.field.as_ref()),
            (StandingState::Closed, "deadline")
        );
        assert_eq!(
            (sign.value.as_str(), &sign.since),
            ("2026-11-01", &Some(DateValue::Day(day)))
        );
        let item = of("EDIT: position filled, thanks all!\nAcme | Engineer | Remote");
        assert_eq!(
            item.standing[0].reason.as_deref(),
            Some("position filled, thanks all")
        );
        assert_eq!(item.fields["badge"], "likely closed");
        assert!(!item.fields.contains_key("deadline_passed"));
        let both = of("This position has been filled. Apply by 1 November 2026.");
        assert_eq!(both.standing.len(), 2);
        for text in [
            "Apply by 1 December 2026.",
            "We reposted this advert: the earlier one closed on 2026-10-01. Apply by 2026-12-20.",
            "A deadline-driven role. The position was created in 2020.",
            "Apply within 1 November 2026 days.",
            "Open until the position is filled.",
            "",
        ] {
            let item = of(text);
            assert_eq!(
                (item.standing, item.fields.contains_key("deadline_passed")),
                (vec![], false),
                "{text}"
            );
        }
    }

    #[test]
    fn badge_and_deadline_agree() {
        for (days, text, badge) in [
            (2, "Apply by 1 November 2026.", "likely closed"),
            (2, "Apply by 1 December 2026.", "fresh"),
            (45, "Apply by 1 December 2026.", "old: open until its deadline"),
            (200, "Apply by 1 December 2026.", "old: open until its deadline"),
            (200, "Apply now.", "likely closed"),
        ] {
            let mut job = Job::new(Board::Remotive, "1".into(), "Role".into());
            job.at = Some(now() - TimeDelta::days(days));
            job.text = text.into();
            assert_eq!(
                job.into_item(now(), vec![]).fields["badge"],
                badge,
                "{days} {text}"
            );
        }
    }

    #[test]
    fn a_day_counts_against_age_limits() {
        let mut job = Job::new(Board::Remotive, "1".into(), "Role".into());
        for (day, age, older) in [
            ("2026-09-22", 60, false),
            ("2026-09-21", 61, true),
            ("2026-11-21", 0, false),
        ] {
            let day: freshcontext_contract::chrono::NaiveDate = day.parse().unwrap();
            job.date = DateEvidence::field("publication_date", DateValue::Day(day));
            job.at = Some(day.and_hms_opt(0, 0, 0).unwrap().and_utc());
            assert_eq!(
                (job.age_days(now()), job.older_than(60, now())),
                (Some(age), older),
                "{day}"
            );
        }
    }
}
