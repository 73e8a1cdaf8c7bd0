//! The date that an address carries in its path. A page cannot be newer than the day it was filed under.

use freshcontext_contract::chrono::{Datelike, NaiveDate};
use freshcontext_contract::url::Url;
use freshcontext_parse::date::{self, PathDate};

/// The date in an address's path; a year alone is none.
pub fn find(address: &Url) -> Option<PathDate> {
    let path = address.path();
    match date::find(path) {
        Some(date::Found::Day(day)) if path.contains(&day.year().to_string()) => {
            return Some(PathDate::Day(day));
        }
        Some(_) => return None,
        None => {}
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let split = parts
        .windows(2)
        .find_map(|pair| Some((year(pair.first()?)?, date::month_number(pair.get(1)?)?)));
    let joined = || {
        parts.iter().find_map(|part| {
            let (head, rest) = part.split_once('-')?;
            let month = rest.split('-').next()?;
            // Behind a month stands nothing or a word; a number would make it something else.
            let next = rest.split('-').nth(1).unwrap_or_default();
            let word = !next.starts_with(|c: char| c.is_ascii_digit());
            Some((year(head)?, date::month_number(month).filter(|_| word)?))
        })
    };
    let (year, month) = split.or_else(joined)?;
    NaiveDate::from_ymd_opt(year, month, 1).map(PathDate::Month)
}

fn year(text: &str) -> Option<i32> {
    (text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
        .filter(|year| (1990..=2100).contains(year))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Option<String> {
        let url = Url::parse(&format!("https://example.com{path}")).unwrap();
        find(&url).map(|found| found.to_string())
    }

    #[test]
    fn days_and_months_in_paths() {
        for (path, date) in [
            ("/2024/05/06/title", Some("2024-05-06")),
            ("/2024-05-06-title", Some("2024-05-06")),
            ("/blog/2024/05/title", Some("2024-05")),
            ("/blog/2024/5/", Some("2024-05")),
            ("/2024/may/title", Some("2024-05")),
            ("/news/2024-05-the-title", Some("2024-05")),
            ("/news/2024-05", Some("2024-05")),
            ("/2024/title", None),
            ("/2024/13/title", None),
            ("/docs/v2024.05/", None),
            ("/8080/05/title", None),
            ("/2024-05-99", None),
            ("/a/1234/12", None),
            ("/", None),
        ] {
            assert_eq!(of(path).as_deref(), date, "{path}");
        }
        let month = PathDate::Month(NaiveDate::from_ymd_opt(2024, 2, 1).unwrap());
        assert_eq!(month.last().to_string(), "2024-02-29");
    }
}
