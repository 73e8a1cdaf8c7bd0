//! Local matching of words: the boards do not search. Plain text on both sides, never a pattern.

use freshcontext_parse::text::has_form;

/// A text prepared for matching: lower case, addresses removed, hyphens and slashes between letters
/// opened up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words(String);

/// Words that mean the same to somebody who looks for work.
const SAME: [&[&str]; 8] = [
    &["developer", "engineer", "programmer"],
    &["frontend", "front end"],
    &["backend", "back end"],
    &["fullstack", "full stack"],
    &["us", "usa", "united states", "u.s", "u.s.a"],
    &["uk", "united kingdom", "great britain"],
    &["worldwide", "anywhere", "global"],
    &["ml", "machine learning"],
];

/// Words of a query that say nothing about the job.
const IDLE: [&str; 19] = [
    "a",
    "an",
    "the",
    "of",
    "for",
    "in",
    "at",
    "and",
    "or",
    "with",
    "job",
    "jobs",
    "role",
    "roles",
    "position",
    "positions",
    "opening",
    "openings",
    "hiring",
];

impl Words {
    /// Prepares a text.
    pub fn of(text: &str) -> Self {
        let mut out = String::with_capacity(text.len() + 2);
        for word in text.split_whitespace() {
            if word.contains("://") || word.starts_with("www.") {
                continue;
            }
            out.push(' ');
            let mut chars = word.chars().peekable();
            let mut before = None;
            while let Some(c) = chars.next() {
                let joins = matches!(c, '-' | '/' | '–' | '—' | '|' | ',')
                    && before.is_some_and(char::is_alphanumeric)
                    && chars.peek().is_some_and(|next| next.is_alphanumeric());
                if joins {
                    out.push(' ');
                } else {
                    out.extend(c.to_lowercase());
                }
                before = Some(c);
            }
        }
        out.push(' ');
        Self(out)
    }

    /// Whether a word or phrase occurs on its own, in any of its spellings.
    pub fn contain(&self, needle: &str) -> bool {
        let needle = Self::of(needle);
        let needle = needle.0.trim();
        if needle.is_empty() {
            return false;
        }
        let singular = needle
            .strip_suffix('s')
            .filter(|stem| stem.chars().count() > 3)
            .unwrap_or(needle);
        let group = SAME
            .iter()
            .find(|group| group.contains(&needle) || group.contains(&singular));
        match group {
            Some(group) => group.iter().any(|word| self.has(word)),
            None => {
                self.has(singular) || (singular != needle && self.has(needle)) || has_form(&self.0, needle)
            }
        }
    }

    /// Whether the text has this, standing on its own; a plural of it counts.
    fn has(&self, needle: &str) -> bool {
        self.0.match_indices(needle).any(|(at, _)| {
            let before = self.0.get(..at).and_then(|text| text.chars().next_back());
            let mut after = self.0.get(at + needle.len()..).unwrap_or_default().chars();
            let (mut next, mut over) = (after.next(), after.next());
            let ends_in_letter = needle.chars().next_back().is_some_and(char::is_alphabetic);
            if ends_in_letter
                && needle.len() > 2
                && next == Some('s')
                && !over.is_some_and(char::is_alphanumeric)
            {
                (next, over) = (over, after.next());
            }
            starts_alone(needle, before) && ends_alone(needle, next, over)
        })
    }
}

fn starts_alone(needle: &str, before: Option<char>) -> bool {
    let first = needle.chars().next();
    !(first.is_some_and(char::is_alphanumeric) && before.is_some_and(|c| c.is_alphanumeric() || c == '_'))
}

/// `C` is not in `C++` or `C#`, `node` not in `node.js`; `C++` stands alone before any mark.
fn ends_alone(needle: &str, next: Option<char>, over: Option<char>) -> bool {
    if !needle.chars().next_back().is_some_and(char::is_alphanumeric) {
        return true;
    }
    match next {
        Some(c) if c.is_alphanumeric() || matches!(c, '_' | '+' | '#') => false,
        Some('.') => !over.is_some_and(char::is_alphanumeric),
        _ => true,
    }
}

/// The words of a query that a job must have. "remote" is one of them only where nothing else is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Each of these must occur.
    pub words: Vec<String>,
    /// The query asks for remote work.
    pub remote: bool,
}

impl Query {
    /// Reads a query.
    pub fn of(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut remote = false;
        for word in text.split_whitespace() {
            let word = word
                .trim_matches(|c: char| matches!(c, ',' | ';' | '"' | '\'' | '“' | '”'))
                .to_lowercase();
            if word == "remote" {
                remote = true;
            } else if !word.is_empty() && !IDLE.contains(&word.as_str()) && !words.contains(&word) {
                words.push(word);
            }
        }
        Self { words, remote }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn has(text: &str, needle: &str) -> bool {
        Words::of(text).contain(needle)
    }

    #[test]
    fn words_stand_on_their_own() {
        assert!(has("Senior Rust Engineer", "rust"));
        assert!(!has("Trust and safety", "rust"));
        assert!(!has("JavaScript", "java"));
        assert!(has("Go, Rust/C++ (remote)", "go"));
        assert!(has("Rust/C++", "rust"));
        assert!(!has("Rustaceans", "rust"));
        assert!(has("Two engineers wanted", "engineer"));
        assert!(has("An engineer wanted", "engineers"));
    }

    #[test]
    fn marks_in_names_count() {
        assert!(has("We use C++.", "C++"));
        assert!(has("(C#)", "c#"));
        assert!(!has("We use C++ and C#", "c"));
        assert!(has("C, assembler", "c"));
        assert!(!has("node.js", "node"));
        assert!(has("We like node.", "node"));
        assert!(has("ASP .NET core", ".NET"));
    }

    #[test]
    fn patterns_are_plain_text() {
        for needle in [".*", "(", "[a", "\\", "^$", "a{99999}"] {
            assert!(!has("anything at all", needle), "{needle}");
        }
        assert!(has("a .* b", ".*"));
        assert!(!has("anything", "   "));
    }

    #[test]
    fn spellings_of_the_same_thing_match() {
        assert!(has(
            "Front-End Developer",
            "frontend engineer".split(' ').next().unwrap()
        ));
        assert!(has("Front-End Developer", "engineer"));
        assert!(has("Frontend", "front-end"));
        assert!(has("United States", "USA"));
        assert!(!has("business", "us"));
    }

    #[test]
    fn words_inside_addresses_do_not_count() {
        assert!(!has("Apply at https://jobs.example.com/rust/apply", "rust"));
        assert!(!has("www.rust-jobs.example.com", "rust"));
    }

    #[test]
    fn a_query_loses_its_idle_words() {
        let query = Query::of("remote Rust engineer jobs, in Europe");
        assert_eq!(
            (query.words, query.remote),
            (vec!["rust".into(), "engineer".into(), "europe".into()], true)
        );
        assert!(Query::of("the job").words.is_empty());
    }

    proptest! {
        #[test]
        fn any_needle_in_any_text_is_survived(text in "\\PC{0,60}", needle in "\\PC{0,12}") {
            let _ = has(&text, &needle);
        }

        #[test]
        fn a_word_is_found_in_its_own_sentence(word in "[a-z]{4,10}") {
            let sentence = format!("We want {word} today");
            prop_assert!(has(&sentence, &word));
        }
    }
}
