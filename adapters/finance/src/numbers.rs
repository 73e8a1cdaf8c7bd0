//! Numbers and moments as quote pages write them.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;
use freshcontext_contract::{DateValue, SourceError};
use freshcontext_parse::json;
use serde_json::Value;

/// A finite number with the digits that its source wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Plain decimal notation: no exponent, no separators, no trailing zeros.
    digits: String,
    /// Decimals as written, trailing zeros included.
    decimals: usize,
    value: f64,
}

/// Longest plain form of a number, in characters; no price has more.
const LONGEST: usize = 60;
/// Significant digits of a figure that is computed here from rates of five or six.
const COMPUTED_DIGITS: usize = 6;

impl Figure {
    /// Reads digits with an optional sign, decimals and exponent.
    fn read(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (sign, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // Where the point stands in `all`, counted from its start; it may lie outside.
        let point = i32::try_from(whole.len()).ok()?.checked_add(exponent)?;
        let length = i32::try_from(all.len()).ok()?;
        let longest = i32::try_from(LONGEST).ok()?;
        if length > longest || point.abs() > longest {
            return None;
        }
        let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
        let padded = format!("{}{all}{}", zeros(1 - point), zeros(point - length));
        let split = usize::try_from(point.max(1)).ok()?;
        let (whole, fraction) = padded.split_at_checked(split)?;
        let decimals = fraction.len();
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            whole => whole,
        };
        let fraction = fraction.trim_end_matches('0');
        let mut digits = format!("{sign}{whole}");
        if !fraction.is_empty() {
            digits.push('.');
            digits.push_str(fraction);
        }
        if digits == "-0" {
            "0".clone_into(&mut digits);
        }
        let value = digits.parse().ok().filter(|value: &f64| value.is_finite())?;
        Some(Self {
            digits,
            decimals,
            value,
        })
    }

    /// A number that was computed from figures of the source, with as many significant digits as those have.
    pub fn computed(number: f64) -> Option<Self> {
        number
            .is_finite()
            .then(|| Self::read(&format!("{number:.*e}", COMPUTED_DIGITS - 1)))
            .flatten()
    }

    /// The number, to compute with.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The digits, in plain decimal notation.
    pub fn digits(&self) -> &str {
        &self.digits
    }

    /// Decimals as written.
    pub fn decimals(&self) -> usize {
        self.decimals
    }

    /// As JSON: a number where that keeps every digit, else the digits as text.
    pub fn json(&self) -> Value {
        if let Ok(whole) = self.digits.parse::<i64>() {
            return whole.into();
        }
        if self.value.to_string() == self.digits {
            return self.value.into();
        }
        self.digits.as_str().into()
    }
}

/// Reads JSON whose numbers keep their digits: those that a binary number may round become texts.
pub fn parse(body: &str, what: &str) -> Result<Value, SourceError> {
    json::parse(&keep_digits(body), what)
}

/// Characters that a binary number keeps of any decimal one; two for the point and a sign.
const SAFE_CHARS: usize = 15;

/// Puts long numbers of a JSON text in quotation marks.
fn keep_digits(body: &str) -> Cow<'_, str> {
    let bytes = body.as_bytes();
    let mut out = String::new();
    let (mut taken, mut at, mut quoted) = (0, 0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b'-' | b'0'..=b'9' if !quoted => {
                let rest = bytes.get(at..).unwrap_or_default();
                let number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let length = rest.iter().take_while(|byte| number(byte)).count();
                let token = body.get(at..at + length).unwrap_or_default();
                let long = length > SAFE_CHARS && token.contains(['.', 'e', 'E']);
                if long && serde_json::from_str::<serde_json::Number>(token).is_ok() {
                    out.push_str(body.get(taken..at).unwrap_or_default());
                    out.extend(["\"", token, "\""]);
                    taken = at + length;
                }
                at += length.saturating_sub(1);
            }
            _ => {}
        }
        at += 1;
    }
    if taken == 0 {
        return Cow::Borrowed(body);
    }
    out.push_str(body.get(taken..).unwrap_or_default());
    Cow::Owned(out)
}

/// A number, or text such as `$1,157.25`, `-0.29%`, `1,963,864.243649`. Words are none.
pub fn number(value: &Value) -> Option<Figure> {
    match value {
        Value::Number(number) => Figure::read(&number.to_string()),
        Value::String(text) => from_text(text),
        _ => None,
    }
}

/// As [`number`], from text. What can be read in two ways is none.
fn from_text(text: &str) -> Option<Figure> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("unch") {
        return Figure::read("0");
    }
    let text = text.strip_suffix('%').unwrap_or(text).trim_end();
    // `-$0.29` and `$-0.29`.
    let (mut sign, mut rest, mut dollar) = (None, text, false);
    while let Some(first) = rest.chars().next() {
        match first {
            '$' if !dollar => dollar = true,
            '+' if sign.is_none() => sign = Some(""),
            '-' | '\u{2212}' if sign.is_none() => sign = Some("-"),
            _ => break,
        }
        rest = rest.get(first.len_utf8()..)?.trim_start();
    }
    if !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    Figure::read(&format!("{}{}", sign.unwrap_or_default(), plain(rest)?))
}

/// The number without what separates its thousands, and with a decimal point: `1,157.25`, `1.157,25`, `1 157,25` and
/// `1'157.25` are one. A comma alone separates thousands, where it can: `1,5` and `0,034` are none.
fn plain(text: &str) -> Option<String> {
    const APART: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '’'];
    let (last, apart) = (text.rfind(['.', ',']), text.chars().find(|c| APART.contains(c)));
    let Some(at) = last else {
        return apart.map_or_else(|| Some(text.to_owned()), |mark| grouped(text, mark));
    };
    let (whole, rest) = text.split_at_checked(at)?;
    let (comma, fraction) = (rest.starts_with(','), rest.get(1..)?);
    let mark = apart.or_else(|| whole.chars().find(|c| matches!(c, ',' | '.')));
    match mark {
        // A comma alone, or several: thousands.
        None | Some(',') if comma => grouped(text, ','),
        None => Some(text.to_owned()),
        // Two points.
        Some('.') if !comma => None,
        Some(mark) => Some(format!("{}.{fraction}", grouped(whole, mark)?)),
    }
}

/// The digits between marks that separate thousands.
fn grouped(text: &str, mark: char) -> Option<String> {
    let mut groups = text.split(mark);
    let first = groups.next()?;
    let fits =
        (1..=3).contains(&first.len()) && !first.starts_with('0') && groups.all(|group| group.len() == 3);
    fits.then(|| text.replace(mark, ""))
}

/// Whether text is a number in per cent.
pub fn is_percent(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim_end().ends_with('%'))
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
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn numbers_lose_their_dress() {
        for (given, digits) in [
            (json!("$1,157.25"), "1157.25"),
            (json!("1,963,864.243649"), "1963864.243649"),
            (json!("-0.29%"), "-0.29"),
            (json!("\u{2212}0.29"), "-0.29"),
            (json!("+1.50"), "1.5"),
            (json!("UNCH"), "0"),
            (json!("0.00000034"), "0.00000034"),
            (json!("3.4e-7"), "0.00000034"),
            (json!(3.4e-7), "0.00000034"),
            (json!(336.0), "336"),
            (json!("1E+3"), "1000"),
            (json!("-.5"), "-0.5"),
            // As it is written elsewhere.
            (json!("1.234,56"), "1234.56"),
            (json!("-1.234.567,89 %"), "-1234567.89"),
            (json!("1 234,56"), "1234.56"),
            (json!("1\u{202f}234\u{202f}567"), "1234567"),
            (json!("1'234.50"), "1234.5"),
            (json!("4.25 %"), "4.25"),
            (json!("$ 4.25"), "4.25"),
            (json!("-$0.29"), "-0.29"),
            (json!("1,234"), "1234"),
        ] {
            assert_eq!(number(&given).unwrap().digits(), digits, "{given}");
        }
        for none in [
            json!("N/A"),
            json!(""),
            json!("inf"),
            json!("--"),
            json!("1,5"),
            json!("0,034"),
            json!("1-2"),
            json!("1+2"),
            json!("1%2"),
            json!("5$5"),
            json!("+-5"),
            json!("1.23,45,67"),
            json!("1.2345,67"),
            json!("1,234.567,89"),
            json!("1.234.567"),
            json!("1 2"),
            json!("12 34.5"),
            json!("1e999"),
            json!("4.1 / 4.2"),
            json!(null),
            json!([1]),
        ] {
            assert_eq!(number(&none), None, "{none}");
        }
    }

    #[test]
    fn numbers_longer_than_a_binary_one_keeps_are_read_as_text() {
        let body = r#"{"a":0.123456789012345678901,"b":"\"1.000000000000000000001","c":[12345678901234567890,-1.5],"d":1.2.3}"#;
        let kept = keep_digits(body);
        assert_eq!(
            kept,
            r#"{"a":"0.123456789012345678901","b":"\"1.000000000000000000001","c":[12345678901234567890,-1.5],"d":1.2.3}"#
        );
        let figure = number(&json!("0.123456789012345678901")).unwrap();
        assert_eq!(figure.json(), json!("0.123456789012345678901"));
        assert_eq!(number(&json!("412.50")).unwrap().json(), json!(412.5));
    }

    proptest! {
        // 12 orders of magnitude and more, either sign, as text and as a number: nothing but trailing zeros changes.
        #[test]
        fn digits_are_those_of_the_source(negative: bool, whole in "0|[1-9][0-9]{0,12}", fraction in "[0-9]{0,20}") {
            let point = if fraction.is_empty() { "" } else { "." };
            let sign = if negative { "-" } else { "" };
            let written = format!("{sign}{whole}{point}{fraction}");
            let trimmed = if fraction.is_empty() { written.as_str() } else { written.trim_end_matches('0').trim_end_matches('.') };
            let trimmed = if trimmed == "-0" { "0" } else { trimmed };
            let read = number(&json!(written)).unwrap();
            prop_assert_eq!(read.digits(), trimmed);
            let value = parse(&format!("{{\"p\": {written}}}"), "x").unwrap();
            let read = number(&value["p"]).unwrap();
            prop_assert_eq!(read.digits(), trimmed);
            let shown = match read.json() {
                Value::String(text) => text,
                Value::Number(number) => Figure::read(&number.to_string()).unwrap().digits,
                other => other.to_string(),
            };
            prop_assert_eq!(shown.as_str(), trimmed);
        }

        #[test]
        fn any_text_keeps_its_meaning(text in "[\\[\\]{}:,\"0-9.eE+a-z\\\\ -]{0,80}") {
            let before = serde_json::from_str::<Value>(&text).is_ok();
            let after = serde_json::from_str::<Value>(&keep_digits(&text)).is_ok();
            prop_assert!(!before || after);
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
