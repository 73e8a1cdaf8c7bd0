//! The day or month that an article's address names.

use chrono::NaiveDate;
use freshcontext_contract::url::Url;
use freshcontext_parse::date::PathDate;

/// The day in the path, else the month.
pub fn date(url: &str) -> Option<PathDate> {
    let url = Url::parse(url).ok()?;
    let segments: Vec<&str> = url.path_segments()?.collect();
    let number = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
        (lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse().ok())
            .flatten()
    };
    let day = |year: u32, month: u32, day: u32| {
        (1990..=2100)
            .contains(&year)
            .then(|| NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day))
            .flatten()
    };
    let apart = segments.windows(3).find_map(|parts| match parts {
        [year, month, date] => day(number(year, 4..=4)?, number(month, 1..=2)?, number(date, 1..=2)?),
        _ => None,
    });
    let together = || {
        segments.iter().find_map(|segment| {
            let digits: String = segment.chars().take(10).filter(char::is_ascii_digit).collect();
            let dashed = segment
                .get(..10)
                .is_some_and(|start| NaiveDate::parse_from_str(start, "%Y-%m-%d").is_ok());
            let (year, rest) = digits.split_at_checked(4)?;
            let (month, date) = rest.split_at_checked(2)?;
            (dashed || segment.len() == 8 && digits.len() == 8)
                .then(|| day(number(year, 4..=4)?, number(month, 2..=2)?, number(date, 2..=2)?))
                .flatten()
        })
    };
    let month = || {
        segments.windows(3).find_map(|parts| match parts {
            // A number behind it would be a day, a wrong one too.
            [year, month, rest] if number(rest, 1..=2).is_none() => {
                day(number(year, 4..=4)?, number(month, 2..=2)?, 1)
            }
            _ => None,
        })
    };
    apart
        .or_else(together)
        .map(PathDate::Day)
        .or_else(|| month().map(PathDate::Month))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_in_addresses_are_found() {
        let day = |url: &str| date(url).map(|date| date.to_string());
        for (url, shown) in [
            ("https://example.org/read/2025/12/28/1551/x", "2025-12-28"),
            ("https://example.org/elections/2020/8/19/2137/x", "2020-08-19"),
            ("https://example.org/news/20200806/crab", "2020-08-06"),
            ("https://example.org/2021-03-04-title", "2021-03-04"),
            ("https://example.org/2021/03/title", "2021-03"),
            ("https://example.org/2021/03/", "2021-03"),
        ] {
            assert_eq!(day(url).as_deref(), Some(shown), "{url}");
        }
        for none in [
            "https://example.org/13/45/2/a",
            "https://example.org/2025/02/30/x",
            "https://example.org/article/12345678",
            "https://example.org/2021/3/title",
            "https://example.org/2021/13/title",
            "https://example.org/2021/03",
        ] {
            assert_eq!(day(none), None, "{none}");
        }
    }

    #[test]
    fn a_month_lasts_to_its_end() {
        let month = date("https://example.org/2024/02/title").unwrap();
        assert_eq!(month.first().to_string(), "2024-02-01");
        assert_eq!(month.last().to_string(), "2024-02-29");
    }
}
