//! Numbers and moments as quote pages write them.

use chrono::{DateTime, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;
use freshcontext_contract::DateValue;
use serde_json::Value;

/// A number, or text such as `$1,157.25`, `-0.29%`, `1,963,864.243649`. Words are none.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => from_text(text),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

/// As [`number`], from text.
fn from_text(text: &str) -> Option<f64> {
    let plain: String = text
        .trim()
        .chars()
        .filter(|c| !matches!(c, ',' | '$' | '%' | '+'))
        .collect();
    if plain.eq_ignore_ascii_case("unch") {
        return Some(0.0);
    }
    let digits = plain.trim_start_matches('-');
    (digits.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
        .then(|| plain.parse().ok())
        .flatten()
}

/// Text that says something: trimmed, and neither empty nor one of the usual words for nothing.
pub fn words(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    let nothing = text.is_empty()
        || ["n/a", "na", "n/d", "null", "undefined", "--"].contains(&text.to_ascii_lowercase().as_str());
    (!nothing).then(|| text.to_owned())
}

/// A moment that is an instant; a day alone is none.
pub fn instant_alone(moment: Option<DateValue>) -> Option<DateTime<Utc>> {
    match moment? {
        DateValue::Instant(at) => Some(at),
        _ => None,
    }
}

/// Wall-clock time in a zone as an instant. An hour that a clock change skips or repeats gives none.
pub fn instant(local: NaiveDateTime, zone: Tz) -> Option<DateTime<Utc>> {
    zone.from_local_datetime(&local)
        .single()
        .map(|at| at.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono_tz::America::New_York;
    use chrono_tz::Europe::Warsaw;
    use serde_json::json;

    #[test]
    fn numbers_lose_their_dress() {
        assert_eq!(number(&json!("$1,157.25")), Some(1157.25));
        assert_eq!(number(&json!("1,963,864.243649")), Some(1_963_864.243_649));
        assert_eq!(number(&json!("-0.29%")), Some(-0.29));
        assert_eq!(number(&json!("+1.5")), Some(1.5));
        assert_eq!(number(&json!("UNCH")), Some(0.0));
        for none in [
            json!("N/A"),
            json!(""),
            json!("inf"),
            json!("--"),
            json!(null),
            json!([1]),
        ] {
            assert_eq!(number(&none), None, "{none}");
        }
    }

    #[test]
    fn zones_change_their_clocks_on_different_days() {
        let utc = |text: &str, zone: Tz| instant(text.parse().unwrap(), zone).map(|at| at.to_rfc3339());
        // New York closes at 16:00: 22:00 in Warsaw, but 21:00 while only New York has changed.
        assert_eq!(
            utc("2023-08-25T22:00:12", Warsaw).as_deref(),
            Some("2023-08-25T20:00:12+00:00")
        );
        assert_eq!(
            utc("2021-12-31T22:00:07", Warsaw).as_deref(),
            Some("2021-12-31T21:00:07+00:00")
        );
        assert_eq!(
            utc("2026-03-16T21:00:00", Warsaw),
            utc("2026-03-16T16:00:00", New_York)
        );
        assert_eq!(
            utc("2026-10-26T21:00:00", Warsaw),
            utc("2026-10-26T16:00:00", New_York)
        );
        assert_eq!(
            utc("2026-11-02T22:00:00", Warsaw),
            utc("2026-11-02T16:00:00", New_York)
        );
        assert_eq!(utc("2026-03-08T02:30:00", New_York), None);
        assert_eq!(utc("2026-11-01T01:30:00", New_York), None);
    }
}
