//! Words of others (a source's, or a caller's argument) inside text of ours. A reader must be able to tell by form
//! alone which words are ours, so such words stand in one of four forms, and in no other:
//!
//! | form | function | where |
//! | --- | --- | --- |
//! | `"the words"` | [`quoted`] | inside a line of ours |
//! | `serde-json` or `"the words"` | [`named`] | the same, for what is usually a plain name |
//! | `` `the words` `` | [`code`] | the same, for arguments |
//! | `> the words` | [`quote_lines`] | on lines of their own |
//!
//! A line that begins with a label of ours (`Title: `, `Source: `, `[1] `) may hold one line of theirs behind it. What
//! cannot be seen is taken out by the cleaner of the core crate, before or after.

/// Stands before every line of others' text.
pub const QUOTE: &str = "> ";
/// Longest stretch that [`quoted`], [`named`] and [`code`] repeat, in characters.
pub const QUOTED_CHARS: usize = 200;
/// Longest name that stands without quotation marks, in bytes.
const NAME_BYTES: usize = 200;

/// Whether a reader may take this character for the end of a line. More than Unicode's own: Python's `splitlines`
/// ends lines at the information separators, too.
pub const fn is_line_end(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a reader may take this character for a double quotation mark.
const fn is_double_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\u{ab}'
            | '\u{bb}'
            | '\u{2ba}'
            | '\u{2dd}'
            | '\u{2ee}'
            | '\u{2f6}'
            | '\u{5f2}'
            | '\u{5f4}'
            | '\u{201c}'..='\u{201f}'
            | '\u{2033}'
            | '\u{2036}'
            | '\u{275d}'
            | '\u{275e}'
            | '\u{2760}'
            | '\u{2e42}'
            | '\u{300c}'..='\u{300f}'
            | '\u{301d}'..='\u{301f}'
            | '\u{fe41}'..='\u{fe44}'
            | '\u{ff02}'
            | '\u{ff62}'
            | '\u{ff63}'
    )
}

/// Whether a reader may take this character for the backtick that opens and closes code.
const fn is_backtick(c: char) -> bool {
    matches!(c, '`' | '\u{2cb}' | '\u{1fef}' | '\u{2035}' | '\u{ff40}')
}

/// Words inside a line of ours, in double quotation marks: one line, at most [`QUOTED_CHARS`] characters. Double
/// quotation marks and backticks among them become single ones, so that nothing in them ends the quotation.
///
/// ```
/// assert_eq!(freshcontext_contract::quoted("a \"b\"\n## c"), "\"a 'b' ## c\"");
/// ```
pub fn quoted(words: &str) -> String {
    within(words, QUOTED_CHARS, '"')
}

/// As [`quoted`], at most so many characters.
pub fn quoted_within(words: &str, chars: usize) -> String {
    within(words, chars, '"')
}

/// Words that are usually a plain name: a package, a repository, a host, an id, an address. One that is plain (ASCII
/// letters, digits and a few signs, no blank) stands as it is; any other in quotation marks.
///
/// ```
/// use freshcontext_contract::named;
/// assert_eq!(named("rust-lang/rust"), "rust-lang/rust");
/// assert_eq!(named("Example Inc."), "\"Example Inc.\"");
/// ```
pub fn named(words: &str) -> String {
    if is_plain_name(words) {
        words.to_owned()
    } else {
        quoted(words)
    }
}

/// Names, one after the other.
pub fn named_list<I: IntoIterator<Item = T>, T: AsRef<str>>(names: I, between: &str) -> String {
    let names: Vec<String> = names.into_iter().map(|name| named(name.as_ref())).collect();
    names.join(between)
}

/// Words of an argument inside a line of ours, in backticks, on one line, at most [`QUOTED_CHARS`] characters. Backticks
/// among them become single quotation marks.
///
/// ```
/// assert_eq!(freshcontext_contract::code("a `b` \"c\""), "`a 'b' \"c\"`");
/// ```
pub fn code(words: &str) -> String {
    within(words, QUOTED_CHARS, '`')
}

/// Adds a text to `out`, which stands at the beginning of a line: each of its lines after [`QUOTE`], with no line
/// break behind the last. An empty text adds nothing.
///
/// ```
/// let mut out = String::new();
/// freshcontext_contract::quote::quote_lines(&mut out, "a\n\n## b\u{2028}[9] c");
/// assert_eq!(out, "> a\n>\n> ## b\n> [9] c");
/// ```
pub fn quote_lines(out: &mut String, text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = match rest.find(is_line_end) {
            Some(at) => {
                let (line, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
                let size = if from.starts_with("\r\n") {
                    2
                } else {
                    from.chars().next().map_or(0, char::len_utf8)
                };
                (line, from.get(size..).unwrap_or_default())
            }
            None => (rest, ""),
        };
        if rest.len() < text.len() {
            out.push('\n');
        }
        out.push_str(if line.is_empty() { QUOTE.trim_end() } else { QUOTE });
        out.push_str(line);
        rest = after;
    }
}

/// Characters that [`quote_lines`] makes of a text.
pub fn quoted_lines_chars(text: &str) -> usize {
    let mut out = String::with_capacity(text.len() + 64);
    quote_lines(&mut out, text);
    out.chars().count()
}

/// A line that was cut, with the quotation that the cut left open closed again.
pub fn closed(mut line: String) -> String {
    match open_quote(&line) {
        None => line,
        Some(mark) => {
            line.push(mark);
            line
        }
    }
}

/// The mark of the quotation that is open at the end of a line of ours.
pub fn open_quote(line: &str) -> Option<char> {
    scan(line, |_| ())
}

/// A line of ours without what stands in quotation marks or backticks.
pub fn outside_quotes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    scan(line, |c| out.push(c));
    out
}

/// Shows the characters outside quotations; the mark of the one that is open at the end.
fn scan(line: &str, mut outside: impl FnMut(char)) -> Option<char> {
    let mut open = None;
    let mut escaped = false;
    for c in line.chars() {
        let mark = matches!(c, '"' | '`') && !escaped;
        match open {
            None if mark => open = Some(c),
            None => outside(c),
            Some(begun) if mark && begun == c => open = None,
            Some(_) => {}
        }
        // As JSON writes a quotation mark inside a text.
        escaped = c == '\\' && !escaped;
    }
    open
}

fn is_plain_name(words: &str) -> bool {
    let bytes = words.as_bytes();
    let begins = |byte: &u8| byte.is_ascii_alphanumeric() || b"@$^/".contains(byte);
    let ends = |byte: &u8| byte.is_ascii_alphanumeric() || b"/_".contains(byte);
    bytes.len() <= NAME_BYTES
        && bytes.first().is_some_and(begins)
        && bytes.last().is_some_and(ends)
        && bytes.iter().any(u8::is_ascii_alphanumeric)
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_./@+~:$^=?&%#,".contains(byte))
}

fn within(words: &str, chars: usize, mark: char) -> String {
    let mut out = String::with_capacity(words.len().min(chars * 4) + 2);
    out.push(mark);
    let (mut count, mut blank) = (0_usize, false);
    for c in words.chars() {
        if c.is_whitespace() || c.is_control() || is_line_end(c) {
            blank = true;
            continue;
        }
        let wanted = 1 + usize::from(blank && count > 0);
        if count + wanted > chars {
            // Whole words only: the search for secrets does not recognise one that was cut.
            match out.rfind(' ') {
                Some(at) => out.truncate(at + 1),
                // In place of the last character, so that the bound holds.
                None if count == chars => {
                    out.pop();
                }
                None => {}
            }
            out.push('…');
            break;
        }
        if blank && count > 0 {
            out.push(' ');
        }
        blank = false;
        count += wanted;
        // A backslash before the mark would read as its escape.
        let ends = is_backtick(c) || mark == '"' && is_double_quote(c);
        out.push(if ends { '\'' } else { c });
    }
    if out.ends_with('\\') {
        out.push(' ');
    }
    out.push(mark);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_stand_as_they_are_and_sentences_do_not() {
        for plain in [
            "serde",
            "@types/node",
            "BRK.B",
            "^GSPC",
            "0000320193-26-000001",
            "https://example.com/a?b=c#d",
            "crates.io:serde",
        ] {
            assert_eq!(named(plain), plain);
        }
        for words in [
            "",
            "a b",
            "##",
            "> a",
            "a:",
            "Note:",
            "[9]",
            "é",
            "a`b",
            "a\"b",
            "-a",
            "c++",
            "a\u{2028}b",
            "a\u{202e}b",
        ] {
            assert!(named(words).starts_with('"'), "{words:?}: {}", named(words));
        }
    }

    #[test]
    fn a_cut_quotation_is_closed() {
        assert_eq!(closed("says: \"abc…".to_owned()), "says: \"abc…\"");
        assert_eq!(closed("says: \"abc\"".to_owned()), "says: \"abc\"");
        assert_eq!(closed("given `{\"a\": 1".to_owned()), "given `{\"a\": 1`");
        assert_eq!(quoted_within("abcdef", 4), "\"abc…\"");
        assert_eq!(quoted("a\\"), "\"a\\ \"");
    }

    proptest! {
        #[test]
        fn nothing_ends_a_quotation(words in "([\"`“”\\\\\n\r\u{85}\u{2028}a]|\\PC){0,40}") {
            for (out, mark) in [(quoted(&words), '"'), (code(&words), '`')] {
                let inner = out.get(1..out.len() - 1).unwrap();
                prop_assert!(out.starts_with(mark) && out.ends_with(mark), "{}", out);
                prop_assert!(!inner.contains(['`', mark]) && !inner.contains(is_line_end), "{}", out);
                prop_assert!(open_quote(&out).is_none(), "{}", out);
            }
        }

        #[test]
        fn every_line_of_a_quotation_has_its_mark(text in "([>\n\r\u{b}\u{c}\u{1d}\u{85}\u{2028}\u{2029}# a]|\\PC){0,60}") {
            let mut out = String::new();
            quote_lines(&mut out, &text);
            if !text.is_empty() {
                prop_assert!(out.split(is_line_end).all(|line| line == ">" || line.starts_with("> ")), "{:?}", out);
            }
            let begun = out.replace("> ", "").replace('>', "");
            let given: String = text.replace("\r\n", "\n").replace(is_line_end, "\n").replace("> ", "").replace('>', "");
            prop_assert_eq!(begun.trim_end_matches('\n'), given.trim_end_matches('\n'));
        }

        #[test]
        fn no_stretch_is_longer_than_its_bound(words in "[a b\"é]{0,80}", chars in 1_usize..40) {
            prop_assert!(quoted_within(&words, chars).chars().count() <= chars + 3);
        }
    }
}
