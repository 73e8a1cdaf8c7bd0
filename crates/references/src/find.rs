//! References in running text.

use std::sync::LazyLock;

use regex::Regex;

/// Characters of a DOI in a text: printable ASCII without what ends a field, a cell, or a piece of code.
const OF_DOI: &str = r"[!#-+\-.-;=?-_a-z~]";
/// Longest DOI in a text, in characters after its prefix.
const LONGEST_DOI: usize = 300;
/// The end of a DOI made of a SICI (ANSI/NISO Z39.56), the only DOIs with angle brackets: `<0736:WACOJ>2.0.CO;2`.
pub(crate) const SICI_END: &str =
    r"(?:<|&lt;)[^\s<>\x22]{1,60}?(?:>|&gt;)\d\.\d\.[A-Za-z]{2};[0-9A-Za-z](?:-[0-9A-Za-z#]{1,2})?";

/// `owner/name@tag`: the last of the forms, for it is a part of longer ones.
const BARE_REPOSITORY: &str = r"\b[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}@v?\d[A-Za-z0-9.+_-]*";

/// What may be a reference in a text: forms that are hardly anything else. A bare `owner/name`, a bare arXiv number and a
/// bare row of digits are none here.
static FORMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let doi = format!(
        r"(?:https?://(?:dx\.|www\.)?doi\.org/|\bdoi:\s?|\b)10\.\d{{4,9}}(?:\.\d{{1,9}})*/(?:{OF_DOI}{{1,{LONGEST_DOI}}}?{SICI_END}|{OF_DOI}{{1,{LONGEST_DOI}}})"
    );
    let forms = [
        doi.as_str(),
        r"(?:\bgit\+)?https?://[^\s<>\x22`|\\^{}]+",
        r"\barxiv:\s?(?:\d{4}\.\d{4,5}|[a-z][a-z-]{1,7}(?:\.[a-z-]{2,8})?/\d{7})(?:v\d{1,4})?",
        r"\bCVE-(?:19|20)\d\d-\d{4,19}\b",
        r"\bGHSA(?:-[23456789cfghjmpqrvwx]{4}){3}\b",
        r"\bRFC[ \x{a0}-]?\d{1,5}\b",
        r"\bISBN(?:-1[03])?:?[ \x{a0}]?\d[\d -]{8,15}[\dX]\b",
        r"\b\d{10}-\d{2}-\d{6}\b",
        r"\b(?:CONT_AWD|CONT_IDV|ASST_NON|ASST_AGG)_[A-Za-z0-9._-]{3,120}",
        r"\b[A-Z]{3}000E[A-Z]{2}\d{8}\b",
        r"\bpkg:[a-z]+/[^\s<>\x22]+",
        r"\b(?:npm|pypi|pip|crates|crate|cargo|go|golang):@?[A-Za-z0-9][^\s<>\x22]*@v?\d[^\s<>\x22]*",
        r"\B@[a-z0-9~-][a-z0-9._~-]{0,100}/[a-z0-9~-][a-z0-9._~-]{0,100}@v?\d[A-Za-z0-9.+_-]*",
        r"\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5}(?:/[A-Za-z0-9._~-]{1,100}){1,10}@v\d+\.\d+\.\d+[A-Za-z0-9.+_-]*",
        BARE_REPOSITORY,
    ];
    Regex::new(&format!("(?i:{})", forms.join("|"))).ok()
});

/// A part of a text that may be a reference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub text: String,
    /// Whether it certainly ends where it was cut.
    pub is_end_sure: bool,
}

/// The parts of a text that may be references, in its order.
pub(crate) fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    each(text, |one| {
        found.push(one);
        true
    });
    found
}

/// Calls a function with the parts of a text that may be references, in its order, until it returns `false`.
pub(crate) fn each(text: &str, mut take: impl FnMut(Found) -> bool) {
    let mut from = 0;
    while let Some(hit) = FORMS.as_ref().and_then(|forms| forms.find_at(text, from)) {
        if is_rest_of_path(text.get(..hit.start()).unwrap_or_default(), hit.as_str()) {
            from = hit.end();
            continue;
        }
        let rest = text.get(hit.end()..).unwrap_or_default();
        let is_doi = is_doi(hit.as_str());
        let whole = if is_doi {
            first_doi(hit.as_str())
        } else {
            hit.as_str()
        };
        let kept = trimmed(whole);
        // The next search begins behind what was kept, which may be the first of several.
        from = hit.start() + if is_doi { kept.len() } else { whole.len() };
        let is_broken = whole.len() == hit.as_str().len() && is_broken(whole, rest, is_doi);
        let behind = text.get(from..).unwrap_or_default();
        let one = match next_line(rest).filter(|_| is_doi && is_broken) {
            Some((token, length)) if is_continued(token) => {
                from = hit.end() + length;
                Found {
                    text: [whole, trimmed(token)].concat(),
                    is_end_sure: false,
                }
            }
            _ => Found {
                text: of_github(kept).unwrap_or(kept).to_owned(),
                is_end_sure: !is_broken && (!is_doi || is_sure_doi(kept, behind)),
            },
        };
        if !take(one) {
            return;
        }
    }
}

/// Whether `owner/name@tag` is only the end of something longer that is no reference: of a path, of the name of an image
/// (`docker.io/library/nginx@1.25`), of an address of mail. Asked for as a repository it would be said to be gone.
fn is_rest_of_path(before: &str, found: &str) -> bool {
    static BARE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(&format!("^(?:{BARE_REPOSITORY})$")).ok());
    before.ends_with(['/', '@', '.', '-', '_', '~', '%'])
        && !before
            .get(before.len().saturating_sub(GITHUB.len())..)
            .is_some_and(|end| end.eq_ignore_ascii_case(GITHUB))
        && BARE.as_ref().is_some_and(|bare| bare.is_match(found))
}

/// What stands before the name of a repository in an address without a scheme.
const GITHUB: &str = "github.com/";

/// `owner/name@tag` of `github.com/owner/name@tag`. With more segments it can only be a module of Go.
fn of_github(found: &str) -> Option<&str> {
    let (host, name) = found.split_at_checked(GITHUB.len())?;
    (host.eq_ignore_ascii_case(GITHUB) && name.matches('/').count() == 1).then_some(name)
}

fn is_doi(found: &str) -> bool {
    let lower = found.get(..32).unwrap_or(found).to_ascii_lowercase();
    lower.starts_with("10.") || lower.starts_with("doi:") || lower.contains("doi.org/10.")
}

/// The first DOI of a row of them (`A;B`), without the markup of a page behind it.
fn first_doi(found: &str) -> &str {
    static NEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i);+(?:10\.\d{4}|https?:|doi:)|&(?:quot|nbsp|apos|#\d+|#x[0-9a-f]+);|\\[nrt](?:$|10\.|https?:|doi:|\\)").ok()
    });
    // `&lt;` and `&gt;` are of a SICI, or they end it.
    let is_sici = found.to_ascii_lowercase().contains("&gt;") && ends_as_sici(found);
    let mark = NEXT
        .as_ref()
        .and_then(|next| next.find(found))
        .map(|next| next.start());
    let bracket = (!is_sici)
        .then(|| {
            ["&lt;", "&gt;", "&LT;", "&GT;"]
                .iter()
                .filter_map(|mark| found.find(mark))
                .min()
        })
        .flatten();
    let end = [mark, bracket].into_iter().flatten().min().unwrap_or(found.len());
    found.get(..end).unwrap_or(found)
}

fn ends_as_sici(doi: &str) -> bool {
    static END: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("{SICI_END}$")).ok());
    END.as_ref().is_some_and(|end| end.is_match(doi))
}

/// Whether a DOI has the characters of nearly all that are registered
/// (<https://www.crossref.org/blog/dois-and-matching-regular-expressions/>), and nothing is glued to it.
fn is_sure_doi(doi: &str, behind: &str) -> bool {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "-._()/:[]".contains(c);
    let body = doi.split_once("10.").map_or(doi, |(_, body)| body);
    let is_glued = match behind.strip_prefix([',', ';']) {
        Some(next) => next.starts_with(char::is_alphanumeric) && !begins_reference(next),
        None => behind.starts_with(char::is_alphanumeric),
    };
    !is_glued && (body.chars().all(is_usual) || ends_as_sici(body))
}

/// Whether a line ends within the text that was found.
fn is_broken(found: &str, rest: &str, is_doi: bool) -> bool {
    let Some((token, _)) = next_line(rest) else {
        return false;
    };
    match found.chars().next_back() {
        Some('-' | '_' | '=' | '&' | '%') => begins_word(token),
        // An address may end with a slash, a DOI does not.
        Some('/' | '(' | ':') => is_doi && begins_word(token),
        Some('.') if is_doi => {
            token.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                && !trimmed(token).bytes().all(|b| b.is_ascii_digit())
        }
        _ => false,
    }
}

fn begins_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '(')
}

/// The first word of the next line, and where it ends, if only blanks stand before the end of this one.
fn next_line(rest: &str) -> Option<(&str, usize)> {
    let blank = |c: char| c == ' ' || c == '\t' || c == '\r';
    let line = rest.trim_start_matches(blank).strip_prefix('\n')?;
    let line = line.trim_start_matches(blank);
    let token = line
        .split(|c: char| c.is_whitespace() || c == ',' || c == '"' || c == '<')
        .next()?;
    let start = rest.len() - line.len();
    (!token.is_empty()).then_some((token, start + token.len()))
}

/// Whether a word goes on with a DOI that a line broke: it has a digit, and is no reference of its own.
fn is_continued(token: &str) -> bool {
    !begins_reference(token) && token.is_ascii() && token.bytes().any(|b| b.is_ascii_digit())
}

fn begins_reference(text: &str) -> bool {
    let start = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    ["10.", "http", "doi", "arxiv"]
        .iter()
        .any(|word| start.starts_with(word))
}

/// Without the punctuation of the sentence around it. Brackets stay where they are closed inside: a DOI may have them.
fn trimmed(found: &str) -> &str {
    let mut text = found;
    loop {
        let Some(last) = text.chars().next_back() else {
            return text;
        };
        let open = match last {
            ')' => '(',
            ']' => '[',
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '\\' | '\u{2019}' | '\u{201d}' => '\0',
            _ => return text,
        };
        let is_closed = open != '\0' && text.matches(open).count() >= text.matches(last).count();
        if is_closed {
            return text;
        }
        // Markdown puts an address into brackets: what follows its end is text again.
        text = text.strip_suffix(last).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        find(text).into_iter().map(|found| found.text).collect()
    }

    #[test]
    fn forms_are_found_without_the_sentence_around_them() {
        let text = "See 10.1016/s0140-6736(20)31180-6, (https://example.com/a_(b)), [paper](https://arxiv.org/abs/2401.00917). \
                    arXiv:2104.12255v1; CVE-2021-44228 and RFC 793. ISBN 978-0-306-40615-7! npm:chalk@2.4.2, acme/tool@v1.0.0.";
        assert_eq!(
            texts(text),
            [
                "10.1016/s0140-6736(20)31180-6",
                "https://example.com/a_(b)",
                "https://arxiv.org/abs/2401.00917",
                "arXiv:2104.12255v1",
                "CVE-2021-44228",
                "RFC 793",
                "ISBN 978-0-306-40615-7",
                "npm:chalk@2.4.2",
                "acme/tool@v1.0.0",
            ]
        );
        for text in [
            "and/or",
            "2104.12255",
            "on 2021-01-02 at 10.30/h",
            "a@b.example",
            "1/2",
        ] {
            assert_eq!(find(text), [], "{text}");
        }
    }

    #[test]
    fn a_scoped_package_and_a_module_are_no_repositories() {
        for (text, found) in [
            ("We use @babel/core@7.1.0.", &["@babel/core@7.1.0"][..]),
            ("(see @types/node@20.1.0-rc.1)", &["@types/node@20.1.0-rc.1"]),
            ("unpkg.com/@babel/core@7.1.0/lib/index.js", &["@babel/core@7.1.0"]),
            (
                "golang.org/x/text@v0.3.0 and k8s.io/api@v0.29.0",
                &["golang.org/x/text@v0.3.0", "k8s.io/api@v0.29.0"],
            ),
            (
                "github.com/acme/tool@v1.0.0, github.com/acme/tool/v2@v2.0.1",
                &["acme/tool@v1.0.0", "github.com/acme/tool/v2@v2.0.1"],
            ),
            (
                "uses: actions/checkout@v4, github.com/actions/cache@v4",
                &["actions/checkout@v4", "actions/cache@v4"],
            ),
            ("docker.io/library/nginx@1.25", &[]),
            ("a@b/c@1.0.0", &[]),
        ] {
            assert_eq!(texts(text), found, "{text}");
        }
    }

    #[test]
    fn a_doi_ends_where_its_cell_its_field_or_its_code_ends() {
        for (text, dois) in [
            ("|10.5555/abc.1|2013|", &["10.5555/abc.1"][..]),
            ("doi = {10.5555/abc.1},", &["10.5555/abc.1"]),
            ("x `10.5555/abc.1` y", &["10.5555/abc.1"]),
            ("1,10.5555/abc.1;10.5555/(x)2", &["10.5555/abc.1", "10.5555/(x)2"]),
            (
                "10.5555/a;https://doi.org/10.5555/b",
                &["10.5555/a", "https://doi.org/10.5555/b"],
            ),
            (
                "<a href=\"https://doi.org/10.5555/a\">10.5555/a</a>",
                &["https://doi.org/10.5555/a", "10.5555/a"],
            ),
            ("10.5555/abc.1\u{3002}", &["10.5555/abc.1"]),
            ("10.5555/a&quot; and 10.5555/b&gt;", &["10.5555/a", "10.5555/b"]),
            (
                "(10.5555/1520-0493(1974)102<0736:WACOJ>2.0.CO;2)",
                &["10.5555/1520-0493(1974)102<0736:WACOJ>2.0.CO;2"],
            ),
            (
                "doi:10.5555/(SICI)1097-0258(19980815/30)17:15/16&lt;1661::AID-SIM968&gt;3.0.CO;2-2.",
                &["doi:10.5555/(SICI)1097-0258(19980815/30)17:15/16&lt;1661::AID-SIM968&gt;3.0.CO;2-2"],
            ),
        ] {
            assert_eq!(texts(text), dois, "{text}");
            assert!(find(text).iter().all(|found| found.is_end_sure), "{text}");
        }
    }

    #[test]
    fn an_end_that_may_be_another_is_told() {
        for (text, doi) in [
            ("a,10.5555/abc.1,2013", "10.5555/abc.1"),
            (
                "see 10.5555/abc-\n   3649(87)90079-3",
                "10.5555/abc-3649(87)90079-3",
            ),
            (
                "see https://doi.org/10.5555/\nabc.1, 2.",
                "https://doi.org/10.5555/abc.1",
            ),
            ("see 10.5555/abc-\nand", "10.5555/abc-"),
            ("see 10.5555/j.cell.\n2010.01.001", "10.5555/j.cell.2010.01.001"),
            ("10.5555/abc+def", "10.5555/abc+def"),
            ("10.5555/abc\u{3042}", "10.5555/abc"),
            ("https://example.com/a-\nb", "https://example.com/a-"),
        ] {
            let found = find(text);
            assert_eq!(
                found.first().map(|found| found.text.as_str()),
                Some(doi),
                "{text}"
            );
            assert!(found.iter().all(|found| !found.is_end_sure), "{text}");
        }
        for text in [
            "1. A paper. 10.5555/abc.\n2. Another. 10.5555/def.\n",
            "10.5555/abc\n10.5555/def",
            "https://example.com/a/\nNext",
        ] {
            assert!(find(text).iter().all(|found| found.is_end_sure), "{text}");
        }
    }

    #[test]
    fn many_in_one_word_are_found() {
        let row = "10.5555/abc;".repeat(1_000);
        assert_eq!(find(&row).len(), 1_000);
    }
}
