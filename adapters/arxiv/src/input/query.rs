//! arXiv's query language. Words without an operator between them are joined with OR by the server,
//! which nobody means: here they are joined with AND.

/// Fields of the manual, and the two date fields.
const FIELDS: [&str; 11] = [
    "ti",
    "au",
    "abs",
    "co",
    "jr",
    "cat",
    "rn",
    "id",
    "all",
    "submittedDate",
    "lastUpdatedDate",
];
/// Words that carry nothing; a search that has others leaves them out.
const FILLERS: [&str; 16] = [
    "a", "an", "and", "are", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to", "what", "with",
];
/// Archives with subject classes, which a search names with a wildcard.
const WITH_CLASSES: [&str; 11] = [
    "astro-ph", "cond-mat", "cs", "econ", "eess", "math", "nlin", "physics", "q-bio", "q-fin", "stat",
];
/// Archives without.
const WITHOUT_CLASSES: [&str; 9] = [
    "gr-qc", "hep-ex", "hep-lat", "hep-ph", "hep-th", "math-ph", "nucl-ex", "nucl-th", "quant-ph",
];

/// The query to send for what a person typed; `None` where there is nothing to search for.
pub fn read(given: &str) -> Option<String> {
    if !given.contains(char::is_whitespace)
        && given.contains('.')
        && let Some(category) = category(given)
    {
        return Some(category);
    }
    if has_field(given) {
        fielded(given)
    } else {
        words(given, "all")
    }
}

/// A category such as `cs.CL`, or a whole archive such as `cs`.
pub fn category(given: &str) -> Option<String> {
    let (archive, class) = given
        .split_once('.')
        .map_or((given, None), |(archive, class)| (archive, Some(class)));
    match class {
        Some(class) if WITH_CLASSES.contains(&archive) => {
            let fits =
                (2..=9).contains(&class.len()) && class.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
            fits.then(|| format!("cat:{given}"))
        }
        None if WITH_CLASSES.contains(&archive) => Some(format!("cat:{archive}.*")),
        None if WITHOUT_CLASSES.contains(&archive) => Some(format!("cat:{archive}")),
        _ => None,
    }
}

fn has_field(given: &str) -> bool {
    given.split_whitespace().any(|word| {
        word.trim_start_matches('(')
            .split_once(':')
            .is_some_and(|(field, rest)| FIELDS.contains(&field) && !rest.is_empty())
    })
}

/// Plain words and quoted phrases, each in this field, joined with AND (or with the operators that
/// stand between them in capitals).
pub fn words(given: &str, field: &str) -> Option<String> {
    let terms = split_phrases(given);
    let telling = terms.iter().any(|term| !is_filler(term));
    let mut out: Vec<String> = Vec::new();
    let mut operator = None;
    for term in terms {
        if let Term::Word(word) = &term
            && let Some(known) = operator_of(word)
        {
            operator = Some(known);
            continue;
        }
        if telling && is_filler(&term) {
            continue;
        }
        let Some(value) = value(&term) else { continue };
        if !out.is_empty() {
            out.push(operator.unwrap_or("AND").to_owned());
        }
        operator = None;
        out.push(format!("{field}:{value}"));
    }
    (!out.is_empty()).then(|| out.join(" "))
}

#[derive(Debug)]
enum Term {
    Word(String),
    Phrase(String),
}

fn is_filler(term: &Term) -> bool {
    matches!(term, Term::Word(word) if FILLERS.contains(&word.as_str()))
}

fn operator_of(word: &str) -> Option<&'static str> {
    match word {
        "AND" => Some("AND"),
        "OR" => Some("OR"),
        "NOT" | "ANDNOT" => Some("ANDNOT"),
        _ => None,
    }
}

/// Splits at white space outside double quotes. A quote that is never closed is no quote.
fn split_phrases(given: &str) -> Vec<Term> {
    let given = given.replace(['“', '”', '„'], "\"");
    let pieces: Vec<&str> = given.split('"').collect();
    let mut terms = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let quoted = at % 2 == 1 && at + 1 < pieces.len();
        if quoted {
            terms.push(Term::Phrase((*piece).to_owned()));
        } else {
            terms.extend(piece.split_whitespace().map(|word| Term::Word(word.to_owned())));
        }
    }
    terms
}

/// A term as the query language takes it: plain, or quoted where it has other signs than letters.
fn value(term: &Term) -> Option<String> {
    let (text, phrase) = match term {
        Term::Word(word) => (word, false),
        Term::Phrase(phrase) => (phrase, true),
    };
    let clean: String = text
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.'+#*".contains(c) {
                c
            } else {
                ' '
            }
        })
        .collect();
    let words: Vec<&str> = clean
        .split_whitespace()
        .map(|word| word.trim_matches(['.', '\'', '-']))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect();
    let joined = words.join(" ");
    if joined.is_empty() {
        None
    } else if phrase || words.len() > 1 || joined.contains(['+', '#']) {
        Some(format!("\"{joined}\""))
    } else {
        Some(joined)
    }
}

/// A query with fields: kept as written, with the operators put in that are missing.
fn fielded(given: &str) -> Option<String> {
    let mut out: Vec<String> = Vec::new();
    let mut needs_operator = false;
    let mut depth = 0_usize;
    let mut in_field_group = 0_usize;
    for token in tokens(given) {
        if let Some(operator) = operator_of(&token) {
            if needs_operator {
                out.push(operator.to_owned());
                needs_operator = false;
            }
            continue;
        }
        if token == ")" {
            if depth > 0 {
                depth -= 1;
                in_field_group = in_field_group.min(depth);
                out.push(token);
                needs_operator = true;
            }
            continue;
        }
        if needs_operator {
            out.push("AND".to_owned());
        }
        if token.ends_with('(') {
            depth += 1;
            if token.len() > 1 && in_field_group == 0 {
                in_field_group = depth;
            }
            out.push(token);
            needs_operator = false;
        } else {
            let known = token
                .split_once(':')
                .is_some_and(|(field, _)| FIELDS.contains(&field));
            let term = if known || in_field_group > 0 {
                token
            } else {
                let term = if token.starts_with('"') {
                    Term::Phrase(token)
                } else {
                    Term::Word(token)
                };
                match value(&term) {
                    Some(value) => format!("all:{value}"),
                    None => continue,
                }
            };
            out.push(term);
            needs_operator = true;
        }
    }
    if !needs_operator && out.last().is_some_and(|last| operator_of(last).is_some()) {
        out.pop();
    }
    out.extend(std::iter::repeat_n(")".to_owned(), depth));
    let joined = out.join(" ").replace("( ", "(").replace(" )", ")");
    (!joined.is_empty()).then_some(joined)
}

/// Words, `field:value` (value plain, "quoted" or [ranged]), brackets.
fn tokens(given: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut current = String::new();
    let mut closing = None;
    for c in given.chars() {
        if let Some(close) = closing {
            // A range holds two dates and `TO`; anything else in it is a slip.
            if close == ']' && !(c == close || c.is_alphanumeric() || c == ' ' || c == '*') {
                continue;
            }
            current.push(c);
            if c == close {
                closing = None;
                tokens.push(std::mem::take(&mut current));
            }
            continue;
        }
        match c {
            '"' => {
                closing = Some('"');
                current.push(c);
            }
            '[' if current.ends_with(':') => {
                closing = Some(']');
                current.push(c);
            }
            '(' => {
                if !current.is_empty() && !current.ends_with(':') {
                    tokens.push(std::mem::take(&mut current));
                }
                current.push(c);
                tokens.push(std::mem::take(&mut current));
            }
            ')' => {
                if !current.is_empty() {
                    tokens.push(std::mem::take(&mut current));
                }
                tokens.push(")".to_owned());
            }
            c if c.is_whitespace() => {
                if !current.is_empty() {
                    tokens.push(std::mem::take(&mut current));
                }
            }
            c => current.push(c),
        }
    }
    if !current.is_empty() {
        if let Some(close) = closing {
            current.push(close);
        }
        tokens.push(current);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_words_are_joined_with_and() {
        for (given, sent) in [
            ("attention mechanism", "all:attention AND all:mechanism"),
            (
                "\"attention mechanism\" speech",
                "all:\"attention mechanism\" AND all:speech",
            ),
            ("the theory of everything", "all:theory AND all:everything"),
            ("the of", "all:the AND all:of"),
            ("cats OR dogs", "all:cats OR all:dogs"),
            ("cats NOT dogs", "all:cats ANDNOT all:dogs"),
            ("OR cats", "all:cats"),
            (
                "C++ (templates): errors",
                "all:\"C++\" AND all:templates AND all:errors",
            ),
            ("graph-based learning.", "all:graph-based AND all:learning"),
            ("an \"open quote", "all:open AND all:quote"),
            ("Ramírez 量子", "all:Ramírez AND all:量子"),
            ("cs.CL", "cat:cs.CL"),
            ("node.js security", "all:node.js AND all:security"),
        ] {
            assert_eq!(read(given).as_deref(), Some(sent), "{given}");
        }
        assert_eq!(read("\"\" :: ()"), None);
    }

    #[test]
    fn fielded_queries_keep_their_form_and_gain_missing_operators() {
        for (given, sent) in [
            ("au:Ramírez", "au:Ramírez"),
            ("ti:quantum computing", "ti:quantum AND all:computing"),
            (
                "ti:\"deep learning\" AND cat:cs.CL",
                "ti:\"deep learning\" AND cat:cs.CL",
            ),
            ("(au:a OR au:b) ti:c", "(au:a OR au:b) AND ti:c"),
            ("ti:(deep learning)", "ti:(deep AND learning)"),
            (
                "all:x AND submittedDate:[202301010600 TO 202401010600]",
                "all:x AND submittedDate:[202301010600 TO 202401010600]",
            ),
            ("ti:a NOT au:b", "ti:a ANDNOT au:b"),
            ("ti:\"open", "ti:\"open\""),
            ("(ti:a", "(ti:a)"),
            ("ti:a)", "ti:a"),
            ("ti:a AND", "ti:a"),
        ] {
            assert_eq!(read(given).as_deref(), Some(sent), "{given}");
        }
    }

    #[test]
    fn categories_are_known_by_their_archive() {
        assert_eq!(category("math").as_deref(), Some("cat:math.*"));
        assert_eq!(category("hep-th").as_deref(), Some("cat:hep-th"));
        assert_eq!(
            category("cond-mat.mes-hall").as_deref(),
            Some("cat:cond-mat.mes-hall")
        );
        assert_eq!(category("node.js"), None);
        assert_eq!(category(""), None);
    }

    proptest! {
        #[test]
        fn any_text_gives_balanced_brackets_and_quotes(text in "(ti:|au:)?[a-z \"():\\[\\]ANDOR]{0,60}") {
            if let Some(query) = read(&text) {
                prop_assert_eq!(query.matches('"').count() % 2, 0, "{}", query);
                if !query.contains(['"', '[']) {
                    prop_assert_eq!(query.matches('(').count(), query.matches(')').count(), "{}", query);
                }
            }
        }
    }
}
