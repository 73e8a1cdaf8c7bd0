//! One advert, whatever board it is from.

use freshcontext_contract::chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::{DateEvidence, Item, texts};
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
    /// The same as an instant, where it can be read.
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
        self.at.filter(|at| *at <= now + TimeDelta::minutes(5))
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
        let age = self.dated(now).map(|at| (now - at).num_days().max(0));
        let mut item = Item::new(self.heading(), self.date);
        item.id = Some(format!("{}:{}", self.board.id(), self.key));
        item.url = self.url;
        item.set("badge", badge(age));
        item.set("age_days", age);
        item.set("source", self.board.name());
        item.set("location", self.location);
        item.set("remote", self.remote);
        item.set("salary", self.salary);
        item.set("type", self.kind);
        item.set("level", self.level);
        item.set("category", self.category);
        if let Some(deadline) = crate::deadline::find(&self.text) {
            item.set_day("deadline", Some(deadline));
            item.set_flag("deadline_passed", deadline < now.date_naive());
        }
        item.set("keywords", found);
        item.set("tags", self.tags.into_iter().take(8).collect::<Vec<_>>());
        let also: Vec<&str> = self.also_on.iter().map(|board| board.name()).collect();
        item.set("also_on", also);
        item.summary = text::clip(&text::one_line(&self.text), 400);
        item
    }
}

/// How far an advert of this age can be trusted to be open.
pub const fn badge(age_days: Option<i64>) -> &'static str {
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
    }
}
