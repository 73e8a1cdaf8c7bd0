//! The address of one article list.

use std::time::Duration;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use freshcontext_contract::{CommonArgs, Media, Request, SourceError};
use freshcontext_parse::link;

use crate::input::Query;

/// Most articles that GDELT returns.
pub const MOST: usize = 250;
/// What GDELT promises to search.
const WINDOW_DAYS: i64 = 90;

/// One request and what the answer must say about it.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What to send.
    pub request: Request,
    /// The query as sent.
    pub query: String,
    /// The query as given, where it differs.
    pub given: Option<String>,
    /// Articles asked for; more than shown, because entries of one address are merged.
    pub asked: usize,
    /// The order asked for.
    pub sort: &'static str,
    /// The days searched, in words.
    pub window: String,
    /// Whether a part of the window lies before what GDELT promises to hold.
    pub beyond_promise: bool,
}

/// Plans the request. GDELT takes both bounds or none, and excludes both; ours are inclusive.
pub fn plan(query: &Query, args: &CommonArgs, now: DateTime<Utc>) -> Result<Plan, SourceError> {
    let sort = args.sort.unwrap_or("newest");
    let asked = args.limit.saturating_mul(2).clamp(25, MOST);
    let mut url = link::built("https://api.gdeltproject.org/api/v2/doc/doc", &[])?;
    let promised = now - TimeDelta::days(WINDOW_DAYS);
    let mut window = "the last three months".to_owned();
    let mut beyond_promise = false;
    {
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("query", &query.query);
        pairs.append_pair("mode", "artlist").append_pair("format", "json");
        pairs.append_pair("maxrecords", &asked.to_string());
        match sort {
            "oldest" => pairs.append_pair("sort", "DateAsc"),
            "relevance" => pairs.append_pair("sort", "HybridRel"),
            _ => pairs.append_pair("sort", "DateDesc"),
        };
        if args.since.is_some() || args.until.is_some() {
            let until = args.until.unwrap_or_else(|| batch_end(now));
            let since = args.since.unwrap_or(until - TimeDelta::days(WINDOW_DAYS));
            let stamp = |at: DateTime<Utc>| at.format("%Y%m%d%H%M%S").to_string();
            pairs.append_pair("startdatetime", &stamp(since - TimeDelta::seconds(1)));
            pairs.append_pair("enddatetime", &stamp(until + TimeDelta::seconds(1)));
            window = format!(
                "{} to {}",
                since.format("%Y-%m-%d %H:%M"),
                until.format("%Y-%m-%d %H:%M UTC")
            );
            beyond_promise = since < promised - TimeDelta::days(2);
        } else if let Some((start, end)) = &query.bounds {
            pairs
                .append_pair("startdatetime", start)
                .append_pair("enddatetime", end);
            window = format!("{start} to {end} (UTC)");
            beyond_promise = start.as_str() < promised.format("%Y%m%d%H%M%S").to_string().as_str();
        } else if let Some(timespan) = &query.timespan {
            pairs.append_pair("timespan", timespan);
            window = format!("the last {timespan}");
        }
    }
    // A refusal comes as plain text that calls itself HTML, so the reader looks for itself.
    let request = Request::get(url, Media::Any).cache_for(Duration::from_mins(15));
    let given = (query.given != query.query).then(|| query.given.clone());
    Ok(Plan {
        request,
        query: query.query.clone(),
        given,
        asked,
        sort,
        window,
        beyond_promise,
    })
}

/// The end of the batch in progress, so that calls within one batch share a cached answer.
fn batch_end(now: DateTime<Utc>) -> DateTime<Utc> {
    let step = TimeDelta::minutes(15);
    now.duration_trunc(step).map_or(now, |start| start + step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DESCRIPTOR;
    use crate::input::{Input, read};

    fn now() -> DateTime<Utc> {
        "2026-11-21T12:07:00Z".parse().unwrap()
    }

    fn planned(url: &str, change: impl FnOnce(&mut CommonArgs)) -> Plan {
        let mut args = CommonArgs::defaults(&DESCRIPTOR.args);
        change(&mut args);
        plan(
            &read(&Input {
                url: url.to_owned(),
                ..Input::default()
            })
            .unwrap(),
            &args,
            now(),
        )
        .unwrap()
    }

    #[test]
    fn the_address_is_exact() {
        assert_eq!(
            planned("f-16 a&b=c", |_| ()).request.url.as_str(),
            "https://api.gdeltproject.org/api/v2/doc/doc?query=%22f-16%22+%22a%26b%3Dc%22&mode=artlist&format=json&maxrecords=40&sort=DateDesc"
        );
    }

    #[test]
    fn one_day_is_that_whole_day() {
        let plan = planned("fire", |args| {
            args.since = Some("2026-11-20T00:00:00Z".parse().unwrap());
            args.until = Some("2026-11-20T23:59:59.999Z".parse().unwrap());
        });
        let query = plan.request.url.query().unwrap().to_owned();
        assert!(
            query.ends_with("&startdatetime=20261119235959&enddatetime=20261121000000"),
            "{query}"
        );
        assert!(!plan.beyond_promise);
    }

    #[test]
    fn a_lone_bound_gets_its_partner() {
        let since = planned("fire", |args| {
            args.since = Some("2026-11-20T00:00:00Z".parse().unwrap());
        });
        assert!(
            since
                .request
                .url
                .query()
                .unwrap()
                .ends_with("&enddatetime=20261121121501")
        );
        let until = planned("fire", |args| {
            args.until = Some("2020-01-31T23:59:59Z".parse().unwrap());
        });
        assert!(
            until
                .request
                .url
                .query()
                .unwrap()
                .contains("startdatetime=20191102235958")
        );
        assert!(until.beyond_promise);
    }

    #[test]
    fn more_than_the_most_is_never_asked() {
        let plan = planned("fire", |args| {
            args.limit = 250;
            args.sort = Some("relevance");
        });
        assert!(
            plan.request
                .url
                .query()
                .unwrap()
                .ends_with("maxrecords=250&sort=HybridRel")
        );
    }
}
