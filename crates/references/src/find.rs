//! References in running text.

use std::sync::LazyLock;

use regex::Regex;

/// What may be a reference in a text: forms that are hardly anything else. A bare `owner/name`, a bare arXiv number and a
/// bare row of digits are none here.
static FORMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms = [
        r"https?://[^\s<>\x22`|\\^{}]+",
        r"\bdoi:\s?10\.\d{4,9}[^\s<>\x22]*",
        r"\b10\.\d{4,9}(?:\.\d{1,9})*/[^\s<>\x22]+",
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
        r"\b[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}@v?\d[A-Za-z0-9.+_-]*",
    ];
    Regex::new(&format!("(?i:{})", forms.join("|"))).ok()
});

/// The parts of a text that may be references, in its order.
pub(crate) fn find(text: &str) -> impl Iterator<Item = &str> {
    let found = FORMS.as_ref().map(|forms| forms.find_iter(text));
    found.into_iter().flatten().map(|found| trimmed(found.as_str()))
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
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '\u{2019}' | '\u{201d}' => '\0',
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

    #[test]
    fn forms_are_found_without_the_sentence_around_them() {
        let text = "See 10.1016/s0140-6736(20)31180-6, (https://example.com/a_(b)), [paper](https://arxiv.org/abs/2401.00917). \
                    arXiv:2104.12255v1; CVE-2021-44228 and RFC 793. ISBN 978-0-306-40615-7! npm:chalk@2.4.2, acme/tool@v1.0.0.";
        let found: Vec<&str> = find(text).collect();
        assert_eq!(
            found,
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
            assert_eq!(find(text).count(), 0, "{text}");
        }
    }
}
