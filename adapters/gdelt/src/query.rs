//! A query in the form that GDELT accepts. One bad term makes it refuse the whole query.

use freshcontext_contract::SourceError;
use freshcontext_parse::text;

use crate::URL;

/// GDELT's field operators, with what follows their name.
const OPERATORS: [&str; 10] = [
    "domain:",
    "domainis:",
    "sourcecountry:",
    "sourcelang:",
    "theme:",
    "imagetag:",
    "tone<",
    "tone>",
    "toneabs<",
    "toneabs>",
];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Or,
    Term(String),
}

/// Quotes words that need it, takes single words out of quotes, puts alternatives in parentheses,
/// drops punctuation. Refuses what GDELT would refuse for certain.
pub fn sanitise(given: &str) -> Result<String, SourceError> {
    let text = given.replace(['\u{201c}', '\u{201d}', '\u{201e}', '\u{00ab}', '\u{00bb}'], "\"");
    let tokens = group_alternatives(two_sided(balance(tokens(&text))));
    let longest = tokens.iter().filter_map(|token| match token {
        Token::Term(term) if !term.starts_with('-') => {
            Some(term.chars().filter(|c| c.is_alphanumeric()).count())
        }
        _ => None,
    });
    match longest.max() {
        None | Some(0) => Err(URL.wrong("needs a word to search for")),
        Some(1) if tokens.len() == 1 => Err(URL.wrong("is one character, which GDELT refuses as too short")),
        Some(_) => Ok(joined(&tokens)),
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '(' => (Some(Token::Open), rest.get(1..)),
            ')' => (Some(Token::Close), rest.get(1..)),
            '"' => quoted("", rest),
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"');
                let end = rest.find(ends).unwrap_or(rest.len());
                let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                // `near10:"a b"` and `-"a b"` carry their phrase with them.
                if after.starts_with('"') && (word == "-" || is_distance(word)) {
                    quoted(word, after)
                } else if word == "OR" {
                    (Some(Token::Or), Some(after))
                } else {
                    (plain(word), Some(after))
                }
            }
        };
        out.extend(token);
        rest = after.unwrap_or_default().trim_start();
    }
    out
}

fn is_distance(word: &str) -> bool {
    let digits = word.strip_prefix("near").or_else(|| word.strip_prefix("repeat"));
    digits
        .and_then(|rest| rest.strip_suffix(':'))
        .is_some_and(|digits| text::is_digits(digits, 1..=3))
}

/// A phrase that starts at `rest`; one that never ends runs to the end.
fn quoted<'t>(prefix: &str, rest: &'t str) -> (Option<Token>, Option<&'t str>) {
    let inner = rest.get(1..).unwrap_or_default();
    let (phrase, after) = inner.split_once('"').unwrap_or((inner, ""));
    let words: Vec<&str> = phrase
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')'))
        .filter(|word| !word.is_empty())
        .collect();
    let token = match words.as_slice() {
        [] => None,
        // GDELT refuses a short single word in quotes; without them it means the same.
        [word] if !is_distance(prefix) => plain(&format!("{prefix}{word}")),
        words => Some(Token::Term(format!("{prefix}\"{}\"", words.join(" ")))),
    };
    (token, Some(after))
}

fn plain(word: &str) -> Option<Token> {
    let lower = word.to_ascii_lowercase();
    let bare = lower.trim_start_matches('-');
    if OPERATORS
        .iter()
        .any(|operator| bare.starts_with(operator) && bare.len() > operator.len())
    {
        return Some(Token::Term(word.to_owned()));
    }
    let (minus, word) = word.strip_prefix('-').map_or(("", word), |rest| ("-", rest));
    let edges = |c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#');
    let core = word.trim_matches(edges).trim_start_matches(['+', '#']);
    if core.is_empty() || core == "OR" {
        return None;
    }
    // A sign inside a word is an illegal character outside quotes; an apostrophe is harmless.
    let clean = core
        .chars()
        .all(|c| c.is_alphanumeric() || is_mark(c) || matches!(c, '\'' | '\u{2019}'));
    Some(Token::Term(if clean {
        format!("{minus}{core}")
    } else {
        format!("{minus}\"{core}\"")
    }))
}

/// Vowel signs and other combining marks are parts of words in many scripts.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !c.is_ascii_punctuation()
}

/// Drops parentheses that have no partner, and empty ones.
fn balance(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for token in tokens {
        match token {
            Token::Open => {
                open.push(out.len());
                out.push(Token::Open);
            }
            Token::Close => match open.pop() {
                Some(at) if at + 1 == out.len() => {
                    out.pop();
                }
                Some(_) => out.push(Token::Close),
                None => {}
            },
            other => out.push(other),
        }
    }
    while let Some(at) = open.pop() {
        out.remove(at);
    }
    out
}

/// Drops an OR that lacks a side.
fn two_sided(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let left = matches!(out.last(), Some(Token::Term(_) | Token::Close));
        let right = matches!(tokens.peek(), Some(Token::Term(_) | Token::Open));
        if token != Token::Or || (left && right) {
            out.push(token);
        }
    }
    out
}

/// Puts `a OR b` outside parentheses into them.
fn group_alternatives(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let (mut depth, mut grouping) = (0_u32, false);
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Or => {}
            Token::Term(_) => {
                let before_or = tokens.peek() == Some(&Token::Or);
                let after_or = out.last() == Some(&Token::Or);
                if depth == 0 && before_or && !after_or && !grouping {
                    grouping = true;
                    out.push(Token::Open);
                }
                out.push(token);
                if grouping && !before_or {
                    grouping = false;
                    out.push(Token::Close);
                }
                continue;
            }
        }
        out.push(token);
    }
    if grouping {
        out.push(Token::Close);
    }
    balance(out)
}

fn joined(tokens: &[Token]) -> String {
    let mut out = String::new();
    let mut glue = true;
    for token in tokens {
        let text = match token {
            Token::Open => "(",
            Token::Close => ")",
            Token::Or => "OR",
            Token::Term(term) => term,
        };
        if !glue && *token != Token::Close {
            out.push(' ');
        }
        out.push_str(text);
        glue = *token == Token::Open;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ok(given: &str) -> String {
        sanitise(given).unwrap()
    }

    #[test]
    fn short_names_go_without_quotes() {
        assert_eq!(ok("AI"), "AI");
        assert_eq!(ok("\"AI\""), "AI");
        assert_eq!(ok("“IBM” cloud"), "IBM cloud");
    }

    #[test]
    fn words_with_signs_go_in_quotes() {
        assert_eq!(ok("f-16 greece"), "\"f-16\" greece");
        assert_eq!(ok("C3.ai, Inc."), "\"C3.ai\" Inc");
        assert_eq!(ok("AT&T"), "\"AT&T\"");
        assert_eq!(ok("O'Brien"), "O'Brien");
        assert_eq!(ok("землетрясение हिन्दी"), "землетрясение हिन्दी");
    }

    #[test]
    fn phrases_and_operators_stay() {
        assert_eq!(
            ok("\"supply  chain\" -sports domain:bbc.co.uk tone<-5"),
            "\"supply chain\" -sports domain:bbc.co.uk tone<-5"
        );
        assert_eq!(
            ok("near10:\"drone strike\" -\"video game\""),
            "near10:\"drone strike\" -\"video game\""
        );
        assert_eq!(ok("\"never closed phrase"), "\"never closed phrase\"");
    }

    #[test]
    fn alternatives_stand_in_parentheses() {
        assert_eq!(ok("port OR harbour"), "(port OR harbour)");
        assert_eq!(
            ok("strike port OR harbour OR dock union"),
            "strike (port OR harbour OR dock) union"
        );
        assert_eq!(ok("(port OR harbour) strike"), "(port OR harbour) strike");
        assert_eq!(ok("OR port OR"), "port");
        assert_eq!(ok("((port) ()"), "(port)");
    }

    #[test]
    fn nothing_to_search_for_is_refused_here() {
        for wrong in ["", "a", "?!", "()", "\"\"", "-sports", "OR"] {
            assert!(sanitise(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_a_balanced_query(text in "[a-c() \"\\-ORé.]{0,40}") {
            if let Ok(query) = sanitise(&text) {
                let count = |c| query.chars().filter(|x| *x == c).count();
                prop_assert_eq!(count('('), count(')'));
                prop_assert_eq!(count('"') % 2, 0);
                prop_assert_eq!(sanitise(&query).unwrap(), query);
            }
        }
    }
}
