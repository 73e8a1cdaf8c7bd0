//! Finds the dates in a body by field, and moves one field's dates back.

#![expect(clippy::string_slice, reason = "cut at signs of ASCII, and this is a test")]

use std::collections::BTreeSet;

use chrono::{DateTime, Days, NaiveDate, TimeDelta};
use serde_json::Value;

/// Days to move back: more than the 48 hours from which dates contradict each other, and more than an
/// agency's date may lag behind.
pub const DAYS: u64 = 12;
const EPOCHS: std::ops::Range<i64> = 946_684_800..4_000_000_000;

/// Moves a text's date back. Also returns the new day.
fn text(was: &str) -> Option<(String, NaiveDate)> {
    let earlier = |day: NaiveDate| day.checked_sub_days(Days::new(DAYS));
    if let Ok((day, rest)) = NaiveDate::parse_and_remainder(was, "%Y-%m-%d")
        && was.get(4..5) == Some("-")
        && (rest.is_empty() || rest.starts_with(['T', ' ']))
    {
        let day = earlier(day)?;
        return Some((format!("{day}{rest}"), day));
    }
    if let Some(day) = was
        .get(..8)
        .and_then(|start| NaiveDate::parse_from_str(start, "%Y%m%d").ok())
        && was.get(8..9) == Some("T")
    {
        let day = earlier(day)?;
        return Some((format!("{}{}", day.format("%Y%m%d"), &was[8..]), day));
    }
    if let Ok(at) = DateTime::parse_from_rfc2822(was) {
        let at = at.checked_sub_days(Days::new(DAYS))?;
        return Some((at.to_rfc2822(), at.to_utc().date_naive()));
    }
    for format in ["%d/%m/%Y", "%d/%m/%y"] {
        if let Ok(day) = NaiveDate::parse_from_str(was, format) {
            let day = earlier(day)?;
            return Some((day.format(format).to_string(), day));
        }
    }
    // In words, as in `Closed at Aug 17, 2026 4:00 PM ET`.
    let begins = was.char_indices().filter(|(_, c)| c.is_ascii_uppercase());
    begins.filter(|(at, _)| was.len() < at + 60).find_map(|(at, _)| {
        let (day, rest) = NaiveDate::parse_and_remainder(&was[at..], "%b %d, %Y").ok()?;
        let day = earlier(day)?;
        Some((format!("{}{}{rest}", &was[..at], day.format("%b %d, %Y")), day))
    })
}

fn number(was: i64) -> Option<(i64, NaiveDate)> {
    let seconds = i64::try_from(DAYS).ok()? * 86_400;
    let day = |seconds: i64| Some(DateTime::from_timestamp(seconds, 0)?.date_naive());
    if EPOCHS.contains(&was) {
        return Some((was - seconds, day(was - seconds)?));
    }
    let millis = EPOCHS.contains(&(was / 1_000)) && was > EPOCHS.end;
    millis.then(|| Some((was - seconds * 1_000, day(was / 1_000 - seconds)?)))?
}

/// `[[2026, 11, 3]]`.
fn parts(value: &Value) -> Option<(Value, NaiveDate)> {
    let part = |at: usize| value.get(0)?.get(at)?.as_i64();
    let month = u32::try_from(part(1)?).ok()?;
    let day = NaiveDate::from_ymd_opt(
        i32::try_from(part(0)?).ok()?,
        month,
        u32::try_from(part(2)?).ok()?,
    )?;
    let day = day.checked_sub_signed(TimeDelta::days(i64::try_from(DAYS).ok()?))?;
    let parts: Vec<u32> = day
        .format("%Y %m %d")
        .to_string()
        .split(' ')
        .filter_map(|part| part.parse().ok())
        .collect();
    Some((serde_json::json!([parts]), day))
}

/// Calls `see` for every date of a document, with its field (keys joined by dots; a version as key becomes
/// `*`) and a mutable reference.
fn visit(value: &mut Value, field: &str, see: &mut impl FnMut(&str, &mut Value, Value, NaiveDate)) {
    if field.ends_with("date-parts")
        && let Some((to, day)) = parts(value)
    {
        see(field, value, to, day);
        return;
    }
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let key = if key.starts_with(|c: char| c.is_ascii_digit()) {
                    "*"
                } else {
                    key
                };
                let field = if field.is_empty() {
                    key.to_owned()
                } else {
                    format!("{field}.{key}")
                };
                visit(value, &field, see);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| visit(value, field, see)),
        Value::String(was) => {
            if let Some((to, day)) = text(was) {
                see(field, value, to.into(), day);
            }
        }
        Value::Number(was) => {
            let whole = was
                .as_i64()
                .or_else(|| format!("{:.0}", was.as_f64()?).parse().ok());
            if let Some((to, day)) = whole.and_then(number) {
                see(field, value, to.into(), day);
            }
        }
        _ => {}
    }
}

/// Finds dates between tags, and the first of two in an attribute (`title="2026-04-26T12:00:00 1777204800"`):
/// the name of the element, or `@` and the attribute's, and the range.
fn in_markup(body: &str) -> Vec<(String, std::ops::Range<usize>)> {
    let mut out = Vec::new();
    for (at, _) in body.match_indices('>') {
        let Some(name) = body[..at]
            .rsplit('<')
            .next()
            .and_then(|tag| tag.split_whitespace().next())
        else {
            continue;
        };
        let inner = body[at + 1..].split('<').next().unwrap_or_default();
        let lead = inner.len() - inner.trim_start().len();
        let (start, inner) = (at + 1 + lead, inner.trim());
        if !inner.is_empty() && inner.len() < 60 && text(inner).is_some() {
            out.push((name.to_owned(), start..start + inner.len()));
        }
    }
    for (at, _) in body.match_indices("=\"") {
        let name = body[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
        let value = body[at + 2..].split('"').next().unwrap_or_default();
        let Some((first, _)) = value.split_once(' ') else {
            continue;
        };
        if first.len() > 10 && text(first).is_some() {
            out.push((format!("@{name}"), at + 2..at + 2 + first.len()));
        }
    }
    out
}

fn is_markup(body: &str) -> bool {
    body.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// Returns the date fields of a body.
pub fn fields(body: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    if let Ok(mut document) = serde_json::from_str::<Value>(body) {
        visit(&mut document, "", &mut |field, _, _, _| {
            out.insert(field.to_owned());
        });
    } else if is_markup(body) {
        out.extend(in_markup(body).into_iter().map(|(name, _)| name));
    }
    out
}

/// Moves every date of these fields back. Also returns the new days.
pub fn earlier(body: &str, which: impl Fn(&str) -> bool) -> (String, BTreeSet<NaiveDate>) {
    let mut days = BTreeSet::new();
    if let Ok(mut document) = serde_json::from_str::<Value>(body) {
        visit(&mut document, "", &mut |field, place, to, day| {
            if which(field) {
                *place = to;
                days.insert(day);
            }
        });
        return (document.to_string(), days);
    }
    let mut out = body.to_owned();
    if is_markup(body) {
        let mut places = in_markup(body);
        places.retain(|(name, _)| which(name));
        places.sort_by_key(|(_, at)| std::cmp::Reverse(at.start));
        for (_, at) in places {
            if let Some((to, day)) = text(&body[at.clone()]) {
                out.replace_range(at, &to);
                days.insert(day);
            }
        }
    }
    (out, days)
}
