//! The arguments that many tools share, with one name, one meaning and one check for each.

use std::cmp::Reverse;
use std::ops::RangeBounds;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value};

use crate::arg_spec::ArgSpec;
use crate::date::DateEvidence;
use crate::descriptor::Descriptor;
use crate::error::SourceError;
use crate::limits::{Limits, MIN_RESULT_CHARS};
use crate::moment::{Parsed, date_of_number, read_date};

/// Names of orders, the same in every tool.
pub const SORT_NAMES: [&str; 4] = ["relevance", "newest", "oldest", "top"];

/// The common arguments of one call, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommonArgs {
    /// Length of the answer's content, in characters.
    pub max_length: usize,
    /// Number of items asked for; the tool's default where the caller gave none.
    pub limit: usize,
    /// Whether the caller gave `limit` itself.
    pub limit_given: bool,
    /// Earliest publication, inclusive.
    pub since: Option<DateTime<Utc>>,
    /// Latest publication, inclusive; a date means the end of that day in UTC.
    pub until: Option<DateTime<Utc>>,
    /// One of the tool's [`ArgSpec::sort`] names, where the caller gave one.
    pub sort: Option<&'static str>,
    /// Where to continue: what the adapter left in `SourceResult::next`. Still to be validated by it.
    pub cursor: Option<String>,
    /// Nothing that was not known at this moment; a date means the end of that day in UTC. `until` is never later.
    pub as_of: Option<DateTime<Utc>>,
    /// No cached answer older than this.
    pub max_age: Option<Duration>,
    /// What was changed about the caller's wishes, for the answer's notes.
    pub notes: Vec<String>,
}

/// The calendar days (UTC) that a call is limited to, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Days {
    /// First day.
    pub since: Option<NaiveDate>,
    /// Last day.
    pub until: Option<NaiveDate>,
}

impl Days {
    /// Whether a day lies inside.
    pub fn contain(self, day: NaiveDate) -> bool {
        self.since.is_none_or(|since| since <= day) && self.until.is_none_or(|until| day <= until)
    }

    /// Whether anything is limited.
    pub const fn given(self) -> bool {
        self.since.is_some() || self.until.is_some()
    }
}

impl CommonArgs {
    /// The days of `since` and `until`.
    pub fn days(&self) -> Days {
        Days {
            since: self.since.map(|at| at.date_naive()),
            until: self.until.map(|at| at.date_naive()),
        }
    }

    /// The defaults of a tool.
    pub fn defaults(spec: &ArgSpec) -> Self {
        Self {
            max_length: spec.max_length,
            limit: spec.limit.map_or(usize::MAX, |(default, _)| default),
            limit_given: false,
            since: None,
            until: None,
            sort: None,
            cursor: None,
            as_of: None,
            max_age: None,
            notes: Vec::new(),
        }
    }

    /// The cursor as the adapter reads it; `None` where the caller gave none.
    ///
    /// # Errors
    /// `invalid_input`, where `read` makes nothing of it: the same one for all sources.
    pub fn cursor_by<T>(&self, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, SourceError> {
        let cursor = self.cursor.as_deref();
        cursor
            .map(|cursor| read(cursor).ok_or_else(SourceError::foreign_cursor))
            .transpose()
    }

    /// A cursor that is a number within these bounds (an offset, a page); `None` where the caller gave none.
    ///
    /// # Errors
    /// As [`cursor_by`](Self::cursor_by).
    pub fn cursor_within<T: FromStr + PartialOrd>(
        &self,
        bounds: impl RangeBounds<T>,
    ) -> Result<Option<T>, SourceError> {
        self.cursor_by(|cursor| cursor.parse().ok().filter(|number| bounds.contains(number)))
    }

    /// The page to ask for: that of the cursor, from 2 to `most`, else 1.
    ///
    /// # Errors
    /// As [`cursor_by`](Self::cursor_by).
    pub fn page(&self, most: u32) -> Result<u32, SourceError> {
        Ok(self.cursor_within(2..=most)?.unwrap_or(1))
    }

    /// The source's word for the order asked for: each of the tool's [`ArgSpec::sort`] names with the source's word,
    /// the default first.
    pub fn order<'w>(&self, words: &[(&str, &'w str)]) -> &'w str {
        let asked = words.iter().find(|(name, _)| self.sort == Some(*name));
        asked.or(words.first()).map_or("", |(_, word)| word)
    }

    /// Whether a date is not later than `as_of`; what has none is for the server to leave out and to count.
    pub fn is_by_then(&self, date: &DateEvidence) -> bool {
        let later = |moment: DateTime<Utc>| date.instant().is_some_and(|at| at > moment);
        !self.as_of.is_some_and(later)
    }

    /// Whether an instant lies within `since` and `until`.
    pub fn in_range(&self, instant: DateTime<Utc>) -> bool {
        self.since.is_none_or(|since| since <= instant) && self.until.is_none_or(|until| instant <= until)
    }
}

/// Puts things in the order of their dates, for the names `newest` and `oldest` of [`SORT_NAMES`]; any other leaves them
/// as they are. What has no date comes last.
pub fn sort_by_date<T, D: Ord>(things: &mut [T], sort: &str, date: impl Fn(&T) -> Option<D>) {
    match sort {
        "oldest" => things.sort_by_key(|thing| (date(thing).is_none(), date(thing))),
        "newest" => things.sort_by_key(|thing| Reverse(date(thing))),
        _ => {}
    }
}

/// Takes the common arguments out of a call's arguments; the rest is the adapter's own.
pub fn split_arguments(
    descriptor: &Descriptor,
    limits: &Limits,
    mut arguments: Map<String, Value>,
) -> Result<(CommonArgs, Map<String, Value>), SourceError> {
    let spec = &descriptor.args;
    let mut common = CommonArgs::defaults(spec);
    arguments.retain(|name, value| !(spec_has(spec, name) && is_absent(value)));
    if let Some(value) = arguments.remove("max_length") {
        let asked = positive("max_length", &value, spec.max_length)?;
        common.max_length = asked.clamp(MIN_RESULT_CHARS, limits.result_chars);
        if common.max_length != asked {
            common
                .notes
                .push(format!("max_length {asked} was set to {}", common.max_length));
        }
    }
    common.max_length = common.max_length.min(limits.result_chars);
    if let Some((default, most)) = spec.limit
        && let Some(value) = arguments.remove("limit")
    {
        let asked = positive("limit", &value, default)?;
        common.limit = asked.min(most);
        common.limit_given = true;
        if common.limit != asked {
            common.notes.push(format!(
                "limit {asked} was set to {most}, the most this tool returns"
            ));
        }
    }
    if spec.dates {
        common.since = arguments
            .remove("since")
            .map(|value| bound("since", &value, false))
            .transpose()?;
        common.until = arguments
            .remove("until")
            .map(|value| bound("until", &value, true))
            .transpose()?;
        if let (Some(since), Some(until)) = (common.since, common.until)
            && since > until
        {
            return Err(SourceError::invalid_input(
                "since",
                "is later than `until`",
                r#"{"since": "2026-01-01", "until": "2026-01-31"}"#,
            ));
        }
    }
    if let Some(value) = arguments.remove("as_of") {
        let as_of = read_as_of(&value)?.last();
        if common.since.is_some_and(|since| since > as_of) {
            return Err(SourceError::invalid_input(
                "since",
                "is later than `as_of`",
                r#"{"since": "2026-01-01", "as_of": "2026-01-31"}"#,
            ));
        }
        common.as_of = Some(as_of);
        // What the source filters by itself it need not send.
        common.until = Some(common.until.map_or(as_of, |until| until.min(as_of)));
    }
    if !spec.sort.is_empty()
        && let Some(value) = arguments.remove("sort")
    {
        let wanted = text("sort", &value, spec.sort.first().unwrap_or(&"newest"))?;
        let known = spec
            .sort
            .iter()
            .find(|name| name.eq_ignore_ascii_case(wanted.trim()));
        common.sort = Some(known.copied().ok_or_else(|| {
            SourceError::invalid_input("sort", format!("must be one of {}", spec.sort.join(", ")), {
                format!("{{\"sort\": \"{}\"}}", spec.sort.first().unwrap_or(&"newest"))
            })
        })?);
    }
    if spec.cursor
        && let Some(value) = arguments.remove("cursor")
    {
        common.cursor = Some(text("cursor", &value, "the cursor of the previous answer")?.to_owned());
    }
    if spec.max_age
        && let Some(value) = arguments.remove("max_age")
    {
        let seconds = whole("max_age", &value, 60)?;
        let seconds = u64::try_from(seconds).map_err(|_| {
            SourceError::invalid_input("max_age", "must be 0 or more seconds", r#"{"max_age": 60}"#)
        })?;
        common.max_age = Some(Duration::from_secs(seconds));
    }
    Ok((common, arguments))
}

fn spec_has(spec: &ArgSpec, name: &str) -> bool {
    match name {
        "max_length" | "as_of" => true,
        "limit" => spec.limit.is_some(),
        "since" | "until" => spec.dates,
        "sort" => !spec.sort.is_empty(),
        "cursor" => spec.cursor,
        "max_age" => spec.max_age,
        _ => false,
    }
}

/// Null and blank text on an optional argument mean that it was not given.
pub(crate) fn is_absent(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

fn text<'v>(field: &'static str, value: &'v Value, example: &str) -> Result<&'v str, SourceError> {
    value.as_str().ok_or_else(|| {
        SourceError::invalid_input(field, "must be text", format!("{{\"{field}\": \"{example}\"}}"))
    })
}

/// A whole number; `10.0` is one too, since some clients have only floats.
fn whole(field: &'static str, value: &Value, example: usize) -> Result<i64, SourceError> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "guarded: integral and within ±2^53"
    )]
    let integral = |number: f64| {
        (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
    };
    value
        .as_i64()
        .or_else(|| value.as_u64().map(|_| i64::MAX))
        .or_else(|| value.as_f64().and_then(integral))
        .ok_or_else(|| {
            SourceError::invalid_input(
                field,
                "must be a whole number",
                format!("{{\"{field}\": {example}}}"),
            )
        })
}

fn positive(field: &'static str, value: &Value, example: usize) -> Result<usize, SourceError> {
    let number = whole(field, value, example)?;
    usize::try_from(number)
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| {
            SourceError::invalid_input(field, "must be 1 or more", format!("{{\"{field}\": {example}}}"))
        })
}

/// The moment in an `as_of` argument, in one of the forms that callers write.
///
/// # Errors
/// `invalid_input`, where it is no date.
pub fn read_as_of(value: &Value) -> Result<Parsed, SourceError> {
    given_date("as_of", value)
}

/// A date in one of the forms that callers write. As an upper bound a day, a month or a year means its last millisecond.
fn bound(field: &'static str, value: &Value, upper: bool) -> Result<DateTime<Utc>, SourceError> {
    let read = given_date(field, value)?;
    Ok(if upper { read.last() } else { read.instant })
}

fn given_date(field: &'static str, value: &Value) -> Result<Parsed, SourceError> {
    let read = match value {
        Value::Number(number) => number.as_f64().and_then(date_of_number),
        _ => read_date(text(field, value, "2026-01-31")?),
    };
    read.ok_or_else(|| {
        SourceError::invalid_input(
            field,
            "must be an ISO 8601 date or date and time",
            format!("{{\"{field}\": \"2026-01-31\"}}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::descriptor::{Descriptor, Hosts};
    use crate::error::ErrorCode;
    use proptest::prelude::*;

    static FACTS: Descriptor = Descriptor {
        id: "test",
        tool: "test",
        title: "Test",
        description: "A source for tests.",
        example: "{}",
        profile: "local_custom",
        hosts: Hosts::Fixed(&["example.com"]),
        official: true,
        peek: crate::peek::Peek::validators(crate::peek::Listing::Window),
        args: ArgSpec {
            max_length: 6_000,
            limit: Some((10, 50)),
            dates: true,
            sort: &["newest", "top"],
            cursor: true,
            max_age: true,
        },
        dates: "none",
        terms: "none",
        ..Descriptor::PLAIN
    };

    fn split(arguments: &Value) -> Result<(CommonArgs, Map<String, Value>), SourceError> {
        split_arguments(
            &FACTS,
            &Limits::DEFAULT,
            arguments.as_object().cloned().unwrap_or_default(),
        )
    }

    #[test]
    fn things_without_a_date_come_last() {
        let mut things = [Some(2), None, Some(3), Some(1)];
        sort_by_date(&mut things, "oldest", |thing| *thing);
        assert_eq!(things, [Some(1), Some(2), Some(3), None]);
        sort_by_date(&mut things, "newest", |thing| *thing);
        assert_eq!(things, [Some(3), Some(2), Some(1), None]);
        sort_by_date(&mut things, "top", |thing| *thing);
        assert_eq!(things, [Some(3), Some(2), Some(1), None]);
    }

    #[test]
    fn a_cursor_is_read_or_refused_by_its_name() {
        let mut args = CommonArgs::defaults(&FACTS.args);
        assert_eq!(args.cursor_within(1..=100_usize).unwrap(), None);
        args.cursor = Some("12".to_owned());
        assert_eq!(args.cursor_within(1..=100_usize).unwrap(), Some(12));
        for foreign in ["", "0", "-1", "x", "1e3", "101", "99999999999999999999"] {
            args.cursor = Some(foreign.to_owned());
            let error = args.cursor_within(1..=100_usize).unwrap_err();
            assert_eq!(
                (error.code, error.field.as_deref()),
                (ErrorCode::InvalidInput, Some("cursor")),
                "{foreign}"
            );
        }
    }

    #[test]
    fn pages_and_orders_have_their_defaults() {
        const WORDS: [(&str, &str); 2] = [("newest", "creation"), ("top", "votes")];
        let mut args = CommonArgs::defaults(&FACTS.args);
        assert_eq!((args.page(9).unwrap(), args.order(&WORDS)), (1, "creation"));
        (args.cursor, args.sort) = (Some("3".to_owned()), Some("top"));
        assert_eq!((args.page(9).unwrap(), args.order(&WORDS)), (3, "votes"));
        assert_eq!(args.page(2).unwrap_err().field.as_deref(), Some("cursor"));
    }

    #[test]
    fn defaults_hold_where_nothing_or_nothing_much_is_given() {
        let (common, rest) = split(&json!({"limit": null, "since": "", "sort": " ", "url": "x"})).unwrap();
        assert_eq!(
            (common.limit, common.limit_given, common.max_length),
            (10, false, 6_000)
        );
        assert_eq!((common.since, common.sort), (None, None));
        assert_eq!(Value::Object(rest), json!({"url": "x"}));
    }

    #[test]
    fn wishes_beyond_a_limit_are_clamped_and_the_clamp_is_said() {
        let (common, _) = split(&json!({"limit": 1_000_000_000, "max_length": 5, "max_age": 0})).unwrap();
        assert_eq!((common.limit, common.max_length), (50, MIN_RESULT_CHARS));
        assert_eq!(common.notes.len(), 2);
        assert_eq!(common.max_age, Some(Duration::ZERO));
        let (common, _) = split(&json!({"max_length": 1e6, "limit": 3.0})).unwrap();
        assert_eq!(
            (common.limit, common.max_length),
            (3, Limits::DEFAULT.result_chars)
        );
    }

    #[test]
    fn the_same_day_is_a_whole_day() {
        let (common, _) = split(&json!({"since": "2026-05-01", "until": "2026-05-01"})).unwrap();
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        assert!(common.in_range(at("2026-05-01T00:00:00Z")));
        assert!(common.in_range(at("2026-05-01T23:59:59.999Z")));
        assert!(!common.in_range(at("2026-05-02T00:00:00Z")));
        assert!(!common.in_range(at("2026-04-30T23:59:59.999Z")));
    }

    #[test]
    fn an_earlier_moment_bounds_the_call() {
        let at = |text: &str| Some(text.parse::<DateTime<Utc>>().unwrap());
        let (common, rest) =
            split(&json!({"as_of": "2026-05-01", "until": "2026-06-01", "url": "x"})).unwrap();
        let end = at("2026-05-01T23:59:59.999Z");
        assert_eq!((common.as_of, common.until), (end, end));
        assert!(!rest.contains_key("as_of"));
        let (common, _) =
            split(&json!({"as_of": "2026-05-01T10:00:00+02:00", "until": "2026-04-01"})).unwrap();
        assert_eq!(common.as_of, at("2026-05-01T08:00:00Z"));
        assert_eq!(common.until, at("2026-04-01T23:59:59.999Z"));
        assert_eq!(split(&json!({"as_of": " "})).unwrap().0.as_of, None);
        let day = |text: &str| DateEvidence::field("day", crate::date::DateValue::Text(text.to_owned()));
        assert!(common.is_by_then(&day("2026-05-01")) && common.is_by_then(&DateEvidence::None));
        assert!(!common.is_by_then(&day("2026-05-02")));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (arguments, field) in [
            (json!({"limit": 0}), "limit"),
            (json!({"limit": -3}), "limit"),
            (json!({"limit": "10"}), "limit"),
            (json!({"max_length": 1.5}), "max_length"),
            (json!({"max_age": -1}), "max_age"),
            (json!({"since": "yesterday"}), "since"),
            (json!({"since": "0000-00-00"}), "since"),
            (json!({"until": "2026-02-30"}), "until"),
            (json!({"since": "2026-05-02", "until": "2026-05-01"}), "since"),
            (json!({"as_of": "then"}), "as_of"),
            (json!({"since": "2026-05-02", "as_of": "2026-05-01"}), "since"),
            (json!({"sort": "best"}), "sort"),
            (json!({"cursor": 5}), "cursor"),
        ] {
            let error = split(&arguments).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{arguments}");
            assert_eq!(error.field.as_deref(), Some(field), "{arguments}");
        }
    }

    proptest! {
        #[test]
        fn no_value_breaks_the_split(name in "limit|since|until|sort|cursor|max_age|max_length", number: f64, text in "\\PC{0,30}") {
            let _ = split(&json!({ name.clone(): number }));
            let _ = split(&json!({ name: text }));
        }
    }
}
