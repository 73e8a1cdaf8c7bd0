//! Canonical JSON (RFC 8785): one text for all texts that say the same, so that its hash can be signed.
//!
//! It is made from text, not from a tree of values, which would have dropped all but one of two members of one name, and
//! rounded numbers. It differs from the RFC in one thing: whole numbers keep their digits, where the RFC rounds those beyond
//! 2^53 to the next double.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Maximum nesting, that of `serde_json`.
const DEPTH: usize = 128;

/// Why a text has no canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCanonical {
    /// It is not JSON, is nested too deeply, or holds a number that is no double.
    NotJson,
    /// An object names a member twice: readers differ in which one they take.
    Duplicate,
}

impl fmt::Display for NotCanonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "it is not JSON",
            Self::Duplicate => "an object names a field twice",
        })
    }
}

impl std::error::Error for NotCanonical {}

/// The canonical form of a JSON text, without the member at this path (names of objects within objects), if there is one.
///
/// ```
/// use freshcontext_spec::canonical::{NotCanonical, canonical};
///
/// assert_eq!(canonical(r#"{"b": 1.0, "a": "\u0041", "c": {"d": 0}}"#, &["c", "d"])?, r#"{"a":"A","b":1,"c":{}}"#);
/// assert_eq!(canonical(r#"[{"a": 1, "\u0061": 2}]"#, &[]), Err(NotCanonical::Duplicate));
/// # Ok::<(), NotCanonical>(())
/// ```
///
/// # Errors
/// See [`NotCanonical`].
pub fn canonical(json: &str, without: &[&str]) -> Result<String, NotCanonical> {
    let mut out = String::with_capacity(json.len());
    let raw: &RawValue = serde_json::from_str(json).map_err(|_| NotCanonical::NotJson)?;
    write(raw.get(), without, DEPTH, &mut out)?;
    Ok(out)
}

/// Names and values of an object, in its order, each value as it is written.
pub type Written<'j> = Vec<(Cow<'j, str>, &'j str)>;

/// The members of an object as they stand; `None` where the text is no object.
///
/// # Errors
/// See [`NotCanonical`].
pub fn members(json: &str) -> Result<Option<Written<'_>>, NotCanonical> {
    if !json.trim_start().starts_with('{') {
        return Ok(None);
    }
    let Members(mut members) = serde_json::from_str(json).map_err(|_| NotCanonical::NotJson)?;
    members.sort_by(|(one, _), (other, _)| by_code_units(one, other));
    let mut pairs = members.iter().zip(members.iter().skip(1));
    if pairs.any(|((one, _), (other, _))| one == other) {
        return Err(NotCanonical::Duplicate);
    }
    Ok(Some(members))
}

fn write(json: &str, without: &[&str], depth: usize, out: &mut String) -> Result<(), NotCanonical> {
    let depth = depth.checked_sub(1).ok_or(NotCanonical::NotJson)?;
    if let Some(members) = members(json)? {
        out.push('{');
        let mut is_first = true;
        for (name, value) in &members {
            let below = match without.split_first() {
                Some((first, [])) if first == name => continue,
                Some((first, rest)) if first == name => rest,
                _ => &[],
            };
            if !std::mem::take(&mut is_first) {
                out.push(',');
            }
            text(name, out)?;
            out.push(':');
            write(value, below, depth, out)?;
        }
        out.push('}');
        return Ok(());
    }
    match json.as_bytes().first() {
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| NotCanonical::NotJson)?;
            out.push('[');
            for (at, item) in items.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item.get(), &[], depth, out)?;
            }
            out.push(']');
        }
        Some(b'"') => {
            let Text(read) = serde_json::from_str(json).map_err(|_| NotCanonical::NotJson)?;
            text(&read, out)?;
        }
        Some(b'-' | b'0'..=b'9') => number(json, out)?,
        _ => out.push_str(json),
    }
    Ok(())
}

/// A string: `serde_json` escapes what the RFC does, in the same way.
fn text(text: &str, out: &mut String) -> Result<(), NotCanonical> {
    out.push_str(&serde_json::to_string(text).map_err(|_| NotCanonical::NotJson)?);
    Ok(())
}

/// A number as ECMAScript writes it (RFC 8785, section 3.2.2.3).
fn number(literal: &str, out: &mut String) -> Result<(), NotCanonical> {
    if !literal.contains(['.', 'e', 'E']) {
        out.push_str(if literal == "-0" { "0" } else { literal });
        return Ok(());
    }
    let value: f64 = literal.parse().map_err(|_| NotCanonical::NotJson)?;
    if !value.is_finite() {
        return Err(NotCanonical::NotJson);
    }
    if value == 0.0 {
        out.push('0');
        return Ok(());
    }
    // The shortest digits that mean this double; of two, the even ones, which Rust's own `{:e}` does not choose.
    let shortest = serde_json::to_string(&value.abs()).map_err(|_| NotCanonical::NotJson)?;
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().map_err(|_| NotCanonical::NotJson)?;
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let both = format!("{before}{after}");
    let digits = both.trim_start_matches('0');
    // Digits before the point, negative where zeros follow it.
    let places = |text: &str| i32::try_from(text.len()).unwrap_or(i32::MAX);
    let whole = places(before) + exponent - places(&both) + places(digits);
    let digits = digits.trim_end_matches('0');
    if value < 0.0 {
        out.push('-');
    }
    match usize::try_from(whole) {
        Ok(whole @ 1..=21) => match digits.split_at_checked(whole) {
            Some((digits, "")) => out.push_str(digits),
            Some((before, after)) => out.extend([before, ".", after]),
            None => {
                out.push_str(digits);
                out.extend(std::iter::repeat_n('0', whole.saturating_sub(digits.len())));
            }
        },
        _ if (-5..=0).contains(&whole) => {
            out.push_str("0.");
            out.extend(std::iter::repeat_n(
                '0',
                usize::try_from(whole.unsigned_abs()).unwrap_or_default(),
            ));
            out.push_str(digits);
        }
        _ => {
            let exponent = whole - 1;
            match digits.split_at_checked(1) {
                Some((digit, "")) => out.push_str(digit),
                Some((digit, rest)) => out.extend([digit, ".", rest]),
                None => return Err(NotCanonical::NotJson),
            }
            out.push_str(if exponent < 0 { "e-" } else { "e+" });
            out.push_str(&exponent.unsigned_abs().to_string());
        }
    }
    Ok(())
}

/// The RFC's order of names: by UTF-16 code units.
fn by_code_units(one: &str, other: &str) -> Ordering {
    one.encode_utf16().cmp(other.encode_utf16())
}

/// A string that is borrowed where it stands as it means.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// All members of an object, also those of one name.
struct Members<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Text(name), value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    members.push((name, value.get()));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of RFC 8785, appendix B, and names of its section 3.2.3; the rest by Node's `JSON.stringify`.
    #[test]
    fn numbers_and_names_are_those_of_the_rfc() {
        for (given, expected) in [
            ("0.0", "0"),
            ("-0.0", "0"),
            ("-0", "0"),
            ("5e-324", "5e-324"),
            ("-1.7976931348623157e308", "-1.7976931348623157e+308"),
            ("9007199254740992.0", "9007199254740992"),
            ("295147905179352830000.0", "295147905179352830000"),
            ("9.999999999999997e22", "9.999999999999997e+22"),
            ("1e23", "1e+23"),
            ("1.0000000000000001e23", "1.0000000000000001e+23"),
            ("999999999999999700000.0", "999999999999999700000"),
            ("1e21", "1e+21"),
            ("1E20", "100000000000000000000"),
            ("9.999999999999997e-7", "9.999999999999997e-7"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("333333333.3333332", "333333333.3333332"),
            ("-0.0000033333333333333333", "-0.0000033333333333333333"),
            ("1424953923781206.2", "1424953923781206.2"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("12.50", "12.5"),
            ("9007199254740993", "9007199254740993"),
            ("-7", "-7"),
        ] {
            assert_eq!(canonical(given, &[]).as_deref(), Ok(expected), "{given}");
        }
        let names =
            "{\"\\u20ac\":1,\"\\r\":2,\"\u{fb33}\":3,\"1\":4,\"\u{1f600}\":5,\"\u{80}\":6,\"\u{f6}\":7}";
        let expected =
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}";
        assert_eq!(canonical(names, &[]).as_deref(), Ok(expected));
        let literals = "[56, {\"d\": true, \"10\": null, \"1\": [ ]}]";
        assert_eq!(
            canonical(literals, &["d"]).as_deref(),
            Ok("[56,{\"1\":[],\"10\":null,\"d\":true}]")
        );
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for twice in [
            r#"{"a":1,"a":1}"#,
            r#"[{"b":{"a":1,"c":2,"\u0061":1}}]"#,
            r#" {"":0,"":1}"#,
        ] {
            assert_eq!(canonical(twice, &[]), Err(NotCanonical::Duplicate), "{twice}");
        }
        let deep = format!("{}{}", "[".repeat(DEPTH + 1), "]".repeat(DEPTH + 1));
        for wrong in [
            "",
            "{",
            "[1,]",
            "1e999",
            "nul",
            "\"\\ud800\"",
            "{} {}",
            deep.as_str(),
        ] {
            assert_eq!(canonical(wrong, &[]), Err(NotCanonical::NotJson), "{wrong}");
        }
    }
}
