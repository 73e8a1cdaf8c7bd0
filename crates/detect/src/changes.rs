//! Entries of lists of changes: lines of changelogs and release notes. They speak of errors all the time, and numbers of
//! issues look like status codes.
//!
//! Only structure decides here: a link reference definition and a link (CommonMark 4.7, 6.3), an issue's number as
//! GitHub, GitLab and Keep a Changelog write it, and the mark of a list entry.

use std::borrow::Cow;

/// Longest text that is searched, in bytes: of a longer one, the weights see the beginning only.
const SEARCHED: usize = 4 << 10;

/// Longest reference, in bytes.
const REFERENCE: usize = 240;

/// Stands for an issue's number, which then is like no status.
const SOME_ISSUE: &str = "#1000";

/// Words before a number with `#` that make it an issue's, in lower case.
const BEFORE_ISSUE: [&str; 22] = [
    "fix", "fixes", "fixed", "close", "closes", "closed", "resolve", "resolves", "resolved", "see", "issue",
    "issues", "pr", "prs", "bug", "refs", "ref", "gh", "of", "in", "and", "via",
];

/// What a text is in a list of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Not known to be in one.
    None,
    /// Marked as an entry of some list, or with an issue's number at its end.
    Entry,
    /// An entry with a link to an issue, which no failure has.
    Change,
    /// Addresses of links, and nothing else.
    Links,
}

/// Finds a text's place in a list of changes, and the text without its references.
pub(crate) fn read(text: &str) -> (Place, Cow<'_, str>) {
    let is_entry = without_mark(text).is_some();
    let place = if is_entry { Place::Entry } else { Place::None };
    if text.len() > SEARCHED || text.starts_with(['{', '<']) || !text.contains(['#', '[']) {
        return (place, Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut is_change = false;
    let mut is_definition = false;
    let is_cut = begins_in_definition(text);
    for (at, line) in text.lines().enumerate() {
        if is_link_definition(line.trim()) || (at == 0 && is_cut) {
            is_definition = true;
            continue;
        }
        is_change |= push_without_references(line, &mut out);
        out.push('\n');
    }
    let rest = out.trim();
    if rest == text {
        return (place, Cow::Borrowed(text));
    }
    let has_words = rest.chars().any(char::is_alphanumeric);
    let place = match (has_words, is_change || is_definition) {
        (false, true) => Place::Links,
        (true, _) if is_change => Place::Change,
        // The title of a merged request ends so.
        (true, _) if text.ends_with(')') && !rest.ends_with(')') => Place::Entry,
        // A number alone is what it was.
        (false, false) => return (place, Cow::Borrowed(text)),
        _ => place,
    };
    (place, Cow::Owned(rest.to_owned()))
}

/// The text behind the mark of a list entry.
fn without_mark(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let behind = text.strip_prefix(['-', '*', '+', '\u{2022}'])?;
    behind.strip_prefix([' ', '\t']).map(str::trim_start)
}

/// Whether a line is a link reference definition, or a number in brackets and an address.
fn is_link_definition(line: &str) -> bool {
    let Some((label, behind)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) else {
        return false;
    };
    let address = behind.strip_prefix(':').unwrap_or(behind);
    let is_number = label.bytes().all(|byte| byte.is_ascii_digit());
    if address.len() == behind.len() && !is_number || label.is_empty() {
        return false;
    }
    let address = address.trim_start().trim_start_matches('<');
    let Some((scheme, _)) = address.split_once("://") else {
        return false;
    };
    let title = address.split_once(' ').map_or("", |(_, title)| title.trim());
    let is_title = title.is_empty() || title.starts_with(['"', '\'', '(']);
    scheme.bytes().all(|byte| byte.is_ascii_alphabetic()) && is_title
}

/// Whether a text begins within a link reference definition, as a piece of a longer one does: the line ends as a
/// definition, and whole ones follow it.
fn begins_in_definition(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let is_end = lines
        .next()
        .and_then(|line| line.split_once("]:"))
        .is_some_and(|(label, address)| {
            let is_label = !label.contains(['[', ']']) && label.split_whitespace().count() <= 3;
            is_label && is_link_definition(&format!("[x]:{address}"))
        });
    is_end
        && lines
            .find(|line| !line.is_empty())
            .is_some_and(is_link_definition)
}

/// Copies a line without its references. Returns whether one of them is written as only lists of changes write them:
/// as a link, behind what it is about or before it.
fn push_without_references(line: &str, out: &mut String) -> bool {
    let mut is_change = false;
    let mut rest = line;
    while let Some(at) = rest.find(['#', '[', '(']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let is_first = out.rsplit('\n').next().is_none_or(|line| {
            !without_mark(line)
                .unwrap_or(line)
                .chars()
                .any(char::is_alphanumeric)
        });
        if let Some(length) = numbered(from, out) {
            out.push_str(SOME_ISSUE);
            rest = from.get(length..).unwrap_or_default();
            continue;
        }
        let found = bracketed(from, is_first);
        let Some((length, is_link)) = found else {
            let next = from.ceil_char_boundary(1);
            let (mark, behind) = from.split_at_checked(next).unwrap_or((from, ""));
            out.push_str(mark);
            rest = behind;
            continue;
        };
        rest = from.get(length..).unwrap_or_default();
        is_change |= is_link;
    }
    out.push_str(rest);
    is_change
}

/// The length of a reference in brackets, and whether it is a link: `[#84]`, `[#44](https://…)`, `([#84], [#85])`,
/// `(#401)`, `(#127, thanks @name)`, `([rand#864])`.
fn bracketed(text: &str, is_first: bool) -> Option<(usize, bool)> {
    let text = crate::text::head(text, REFERENCE);
    if text.starts_with('[') {
        let label = text.get(1..text.find(']')?)?;
        let behind = text.get(label.len() + 2..)?;
        if !is_issue(label) {
            return None;
        }
        let address = behind.strip_prefix('(').and_then(|behind| behind.split_once(')'));
        return match address {
            Some((address, _)) if address.contains("://") => {
                Some((label.len() + 2 + address.len() + 2, true))
            }
            // Frames of a stack are numbered so, at the beginning of a line.
            _ => (!is_first).then_some((label.len() + 2, true)),
        };
    }
    let inner = text.strip_prefix('(')?;
    if inner.starts_with('[') {
        let mut length = 1;
        let mut is_link = false;
        while let Some((one, link)) = bracketed(text.get(length..)?, false)
            .filter(|_| text.get(length..).is_some_and(|text| text.starts_with('[')))
        {
            length += one;
            is_link |= link;
            let behind = text.get(length..)?;
            length += behind.len() - behind.trim_start_matches([',', ' ', ';']).len();
        }
        let behind = text.get(length..)?;
        let end = behind.find(')')?;
        return is_link.then_some((length + end + 1, true));
    }
    // Facebook's interface begins its errors with `(#100)`.
    let (inner, _) = inner.split_once(')')?;
    let (first, _) = inner.split_once([',', ' ', ';']).unwrap_or((inner, ""));
    (!is_first && is_issue(first)).then_some((inner.len() + 2, false))
}

/// The length of an issue's number that is like a status, where the word before says whose it is.
fn numbered(text: &str, before: &str) -> Option<usize> {
    let digits = text
        .strip_prefix('#')?
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next()?;
    let follows = BEFORE_ISSUE.iter().any(|known| word.eq_ignore_ascii_case(known));
    (digits == 3 && before.ends_with(' ') && follows).then_some(digits + 1)
}

/// Whether this names an issue: `#84`, `rand#864`, `owner/name#12`.
fn is_issue(label: &str) -> bool {
    let Some((project, number)) = label.trim_matches(['`', '*']).rsplit_once('#') else {
        return false;
    };
    let in_project = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.');
    (1..=7).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && project.bytes().all(in_project)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_and_left_out() {
        for (text, place, rest) in [
            ("[#403]: https://example.com/pull/403", Place::Links, ""),
            (
                "[#1]: https://example.com/1\n[#2]: <https://example.com/2> \"Two\"",
                Place::Links,
                "",
            ),
            ("[0] https://example.com/manual.html", Place::Links, ""),
            (
                "s-url]: https://example.com/http-errors\n[a-url]: https://example.com/errors",
                Place::Links,
                "",
            ),
            (
                "Error conversion support ([#84])",
                Place::Change,
                "Error conversion support",
            ),
            (
                "- Error conversion ([#84], [#85])",
                Place::Change,
                "- Error conversion",
            ),
            (
                "Not found ([#63](https://example.com/63)) ([#64](https://example.com/64))",
                Place::Change,
                "Not found",
            ),
            (
                "[#44](https://example.com/44) - invalid entry",
                Place::Change,
                "- invalid entry",
            ),
            ("- **[#403](https://example.com/403)**", Place::Links, ""),
            (
                "`Error::raw` method ([rand#864])",
                Place::Change,
                "`Error::raw` method",
            ),
            (
                "Refuse too long names (#401)",
                Place::Entry,
                "Refuse too long names",
            ),
            ("error. (#127, thanks @example)", Place::Entry, "error."),
            (
                "Names (#401) that are too long",
                Place::None,
                "Names  that are too long",
            ),
            ("Fixes #404 for names", Place::None, "Fixes #1000 for names"),
            ("- one more", Place::Entry, "- one more"),
        ] {
            let (found, left) = read(text);
            assert_eq!(found, place, "{text}");
            if place != Place::Links {
                assert_eq!(left.trim(), rest, "{text}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_a_reference_stays() {
        for text in [
            "(#100) Tried accessing nonexistent field",
            "[#0] /srv/app.php(12): run()",
            "Error #404",
            "Bug #90311 does not exist.",
            "Reference #18.2d351ab8.1557333295.a4e16ab",
            "[Error] upstream said no",
            "[error]: the upstream said no",
            "#404",
            "[a]: b",
            "(404)",
            "Access denied",
            "",
        ] {
            assert_eq!(read(text), (Place::None, Cow::Borrowed(text)), "{text}");
        }
    }
}
