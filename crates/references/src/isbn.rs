//! ISBNs and their check digits (ISO 2108).

/// What a text is as an ISBN.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// One, in its 13 digits.
    Right(String),
    /// The form of one, with a digit that does not fit the others.
    WrongDigit,
    /// None.
    Other,
}

/// Reads an ISBN of 10 or 13 digits. Without the word before it, only forms that are hardly anything else count.
pub(crate) fn read(text: &str) -> Read {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let after = lower.strip_prefix("isbn").map(|rest| {
        let rest = rest.trim_start_matches(['-', ' ']);
        let rest = ["13:", "10:", "13 ", "10 "]
            .iter()
            .find_map(|size| rest.strip_prefix(size))
            .unwrap_or(rest);
        rest.trim_start_matches([':', ' '])
    });
    let (body, is_named) = (after.unwrap_or(&lower), after.is_some());
    let hyphens = body.matches(['-', ' ', '\u{2010}', '\u{2011}']).count();
    let plain: String = body
        .chars()
        .filter(|c| !matches!(c, '-' | ' ' | '\u{2010}' | '\u{2011}'))
        .collect();
    let (digits, last) = plain
        .split_at_checked(plain.len().saturating_sub(1))
        .unwrap_or_default();
    let fits = digits.bytes().all(|b| b.is_ascii_digit())
        && (last == "x" || last.bytes().all(|b| b.is_ascii_digit()));
    if !fits {
        return Read::Other;
    }
    match plain.len() {
        13 if last != "x" && (plain.starts_with("978") || plain.starts_with("979")) => {
            if thirteenth(digits).is_some_and(|due| plain.ends_with(due)) {
                Read::Right(plain)
            } else {
                Read::WrongDigit
            }
        }
        10 if is_named || hyphens == 3 => {
            if tenth(digits).is_some_and(|due| plain.ends_with(due)) {
                let begin = format!("978{digits}");
                thirteenth(&begin).map_or(Read::Other, |due| Read::Right(format!("{begin}{due}")))
            } else {
                Read::WrongDigit
            }
        }
        _ => Read::Other,
    }
}

/// The check digit after twelve digits.
fn thirteenth(digits: &str) -> Option<char> {
    let sum: u32 = values(digits)
        .enumerate()
        .map(|(at, value)| if at % 2 == 0 { value } else { 3 * value })
        .sum();
    char::from_digit((10 - sum % 10) % 10, 10)
}

/// The check digit after nine digits; `x` stands for ten.
fn tenth(digits: &str) -> Option<char> {
    let sum: u32 = values(digits)
        .zip((2..=10).rev())
        .map(|(value, weight)| value * weight)
        .sum();
    match (11 - sum % 11) % 11 {
        10 => Some('x'),
        due => char::from_digit(due, 10),
    }
}

fn values(digits: &str) -> impl Iterator<Item = u32> + '_ {
    digits.chars().filter_map(|c| c.to_digit(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_decide() {
        let right = |text: &str| match read(text) {
            Read::Right(digits) => Some(digits),
            _ => None,
        };
        for text in [
            "ISBN 978-0-306-40615-7",
            "9780306406157",
            "ISBN-13: 978 0 306 40615 7",
            "isbn:0-306-40615-2",
            "0-306-40615-2",
            "ISBN-10 0306406152",
        ] {
            assert_eq!(right(text).as_deref(), Some("9780306406157"), "{text}");
        }
        assert_eq!(right("ISBN 080442957X").as_deref(), Some("9780804429573"));
        for text in ["ISBN 978-0-306-40615-8", "9780306406158", "ISBN 0306406153"] {
            assert_eq!(read(text), Read::WrongDigit, "{text}");
        }
        for text in ["", "isbn", "0306406152", "1234567890123", "ISBN 12", "978-0-306"] {
            assert_eq!(read(text), Read::Other, "{text}");
        }
    }
}
