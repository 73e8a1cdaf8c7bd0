//! Pages of awards, lists of recipients, refusals.

use std::collections::HashSet;

use crate::input::URL;
use freshcontext_contract::{LEGAL_FORMS, SourceError, quoted};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::text;
use serde::Deserialize;
use serde_json::Value;

use crate::award::Award;

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Deserialize)]
struct Answer {
    results: Lenient<Award>,
    page_metadata: Option<Meta>,
    messages: Option<Vec<String>>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Deserialize)]
struct Meta {
    #[serde(rename = "hasNext")]
    more: Option<bool>,
}

/// One page of awards.
#[derive(Debug)]
pub struct Page {
    /// Awards that could be read.
    pub awards: Vec<Award>,
    /// Entries that could not.
    pub unreadable: usize,
    /// Whether there is a next page.
    pub more: bool,
    /// What the server says about the query, without the line that it always sends.
    pub messages: Vec<String>,
}

/// Reads a page of awards.
pub fn page(body: &str) -> Result<Page, SourceError> {
    let answer: Answer = json::parse(body, "USAspending search")?;
    let messages = answer.messages.unwrap_or_default();
    // Every field may be missing from an award, but not all that name it.
    let results = answer
        .results
        .filter_map(|award| award.is_named().then_some(award))
        .or_none_readable("USAspending search: no row is an award")?;
    Ok(Page {
        awards: results.items,
        unreadable: results.unreadable,
        more: answer.page_metadata.and_then(|meta| meta.more).unwrap_or(false),
        messages: messages
            .into_iter()
            .map(|message| text::said(&message, 240))
            .filter(|message| !message.is_empty() && !message.contains("earliest date of 2007-10-01"))
            .collect(),
    })
}

/// A recipient of awards.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Recipient {
    /// Its name.
    pub name: String,
    /// Its unique entity id.
    pub uei: Option<String>,
    /// What this record is of: `P` for a parent with all of its subsidiaries, `C` for a subsidiary, `R` for neither.
    #[serde(rename = "recipient_level")]
    pub level: Option<String>,
}

/// The ids of recipients that a list has, but not as subsidiaries: each is a company of its own.
pub fn independent(recipients: &[Recipient]) -> HashSet<String> {
    let of_level = |known: fn(&str) -> bool| {
        let records = recipients
            .iter()
            .filter(move |recipient| recipient.level.as_deref().is_some_and(known));
        records.filter_map(|recipient| recipient.uei.as_deref().map(plain_uei))
    };
    let subsidiaries: HashSet<String> = of_level(|level| level == "C").collect();
    let own = of_level(|level| matches!(level, "P" | "R"));
    own.filter(|uei| !uei.is_empty() && !subsidiaries.contains(uei))
        .collect()
}

/// A unique entity id as it is compared.
pub fn plain_uei(uei: &str) -> String {
    uei.trim().to_ascii_uppercase()
}

/// Reads a list of recipients.
pub fn recipients(body: &str) -> Result<Vec<Recipient>, SourceError> {
    #[derive(Deserialize)]
    struct List {
        results: Lenient<Recipient>,
    }
    let list: List = json::parse(body, "USAspending recipients")?;
    Ok(list.results.items)
}

/// The unique entity ids of a recipient's parents.
pub fn parents(body: &str) -> Result<Vec<String>, SourceError> {
    #[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
    #[derive(Deserialize)]
    struct Profile {
        parent_uei: Option<String>,
        parents: Option<Vec<Parent>>,
    }
    #[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
    #[derive(Deserialize)]
    struct Parent {
        parent_uei: Option<String>,
    }
    let profile: Profile = json::parse(body, "USAspending recipient")?;
    let listed = profile.parents.unwrap_or_default();
    let all = listed.into_iter().filter_map(|parent| parent.parent_uei);
    Ok(all.chain(profile.parent_uei).collect())
}

/// Whether a name has all words of another one, legal form aside.
pub fn has_words(name: &str, words: &str) -> bool {
    let name = plain_words(name);
    plain_words(words).iter().all(|word| name.contains(word))
}

/// What the words name among the recipients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// Recipients of exactly this name, legal form aside, and others whose name begins with it.
    Exact(Vec<Recipient>, Vec<Recipient>),
    /// Recipients whose name begins with these words.
    Begins(Vec<Recipient>),
    /// None.
    No,
}

/// Compares words with the names of recipients.
pub fn matching(words: &str, recipients: Vec<Recipient>) -> Match {
    let query = plain_words(words);
    let (mut exact, mut begins): (Vec<Recipient>, Vec<Recipient>) = (Vec::new(), Vec::new());
    let mut seen: HashSet<(String, Option<String>)> = HashSet::new();
    for recipient in recipients {
        let name = plain_words(&recipient.name);
        let list = if name == query {
            &mut exact
        } else if name.starts_with(&query) {
            &mut begins
        } else {
            continue;
        };
        // Parent, child and merged records repeat one recipient.
        if seen.insert((recipient.name.clone(), recipient.uei.clone())) {
            list.push(recipient);
        }
    }
    match (exact.is_empty(), begins.is_empty()) {
        (false, _) => Match::Exact(exact, begins),
        (true, false) => Match::Begins(begins),
        (true, true) => Match::No,
    }
}

/// Whether two names are one, legal form aside.
pub fn same_name(one: &str, other: &str) -> bool {
    plain_words(one) == plain_words(other)
}

/// Ends of web addresses that are written with a dot in a company's name. EDGAR's register leaves the dot out of some.
const DOTTED: [&str; 5] = ["ai", "com", "io", "net", "org"];

/// Returns the other spelling of a name that ends like a web address: `AMAZON.COM` for `AMAZON COM`, and the reverse.
pub fn other_spelling(name: &str) -> Option<String> {
    let is_end = |text: &str| {
        let bare = text.trim_end_matches([',', '.']);
        DOTTED.iter().any(|end| bare.eq_ignore_ascii_case(end))
    };
    let words: Vec<&str> = name.split_whitespace().collect();
    let (at, apart) = words.iter().enumerate().find_map(|(at, word)| {
        if at > 0 && is_end(word) {
            return Some((at, true));
        }
        let (start, end) = word.trim_end_matches([',', '.']).rsplit_once('.')?;
        (!start.is_empty() && is_end(end)).then_some((at, false))
    })?;
    let (before, rest) = words.split_at_checked(at)?;
    if apart {
        return Some(format!("{}.{}", before.join(" "), rest.join(" ")));
    }
    let (word, after) = rest.split_first()?;
    let end = word.trim_end_matches([',', '.']).rfind('.')?;
    let (start, dotted) = word.split_at_checked(end)?;
    let split = [start, dotted.trim_start_matches('.')];
    Some([before, &split, after].concat().join(" "))
}

/// Whether two names are one, legal form included. A form has several spellings.
pub fn same_legal_name(one: &str, other: &str) -> bool {
    legal_words(one) == legal_words(other)
}

fn legal_words(name: &str) -> Vec<String> {
    let mut words = text::telling_words(name, |word| matches!(word, "the" | "of"));
    for word in &mut words {
        let short = match word.as_str() {
            "incorporated" => "inc",
            "corporation" => "corp",
            "company" => "co",
            "limited" => "ltd",
            _ => continue,
        };
        short.clone_into(word);
    }
    words
}

fn plain_words(name: &str) -> Vec<String> {
    text::telling_words(name, |word| {
        LEGAL_FORMS.contains(&word) || matches!(word, "the" | "of")
    })
}

/// Why a 400 or 422 came: the server's own words.
pub fn refusal(status: u16, body: &str, example: &'static str) -> SourceError {
    let value: Option<Value> = serde_json::from_str(body).ok();
    let said = value.as_ref().and_then(|value| {
        let detail = value
            .get("detail")
            .or_else(|| value.get("message"))
            .unwrap_or(value);
        match detail {
            Value::String(text) => Some(text.clone()),
            Value::Array(list) => {
                let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                Some(words.join("; "))
            }
            _ => None,
        }
    });
    let said = said.filter(|said| !said.trim().is_empty());
    let Some(said) = said else {
        return SourceError::malformed("USAspending refused the query and its reason could not be read")
            .status(status);
    };
    let said = text::said(&said, 180);
    if status == 422 {
        URL.like(example)
            .wrong(format!("was refused by USAspending: {}", quoted(&said)))
            .status(status)
    } else {
        SourceError::upstream(format!("USAspending refused the query: {}", quoted(&said))).status(status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    #[test]
    fn the_standing_message_is_no_remark_and_others_are() {
        let body = r#"{"results":[],"page_metadata":{"page":1,"hasNext":false,"last_record_unique_id":null,"last_record_sort_value":"None"},
            "messages":["For searches, ... an earliest date of 2007-10-01. ...","The following filters from the request were not used: ['x']"]}"#;
        let page = page(body).unwrap();
        assert!(page.awards.is_empty() && !page.more);
        assert_eq!(
            page.messages,
            ["The following filters from the request were not used: ['x']"]
        );
        for other in [r#"{"results":[{"a":1},{"b":2}]}"#, r#"{"results":[7,"x"]}"#] {
            assert_eq!(
                super::page(other).unwrap_err().code,
                ErrorCode::Malformed,
                "{other}"
            );
        }
        let mixed = super::page(r#"{"results":[{"a":1},{"Award ID":"A1"}]}"#).unwrap();
        assert_eq!((mixed.awards.len(), mixed.unreadable), (1, 1));
        assert!(super::page("{}").is_err());
        assert!(super::page("{\"results\":null}").is_err());
    }

    #[test]
    fn names_are_compared_without_their_legal_form() {
        let of = |names: &[&str]| {
            names
                .iter()
                .map(|name| Recipient {
                    name: (*name).to_owned(),
                    uei: None,
                    level: None,
                })
                .collect::<Vec<_>>()
        };
        let names = of(&[
            "PALANTIR USG INC",
            "PALANTIR TECHNOLOGIES INC.",
            "PALANTIR TECHNOLOGIES INC.",
        ]);
        assert_eq!(
            matching("Palantir", names.clone()),
            Match::Begins(of(&["PALANTIR USG INC", "PALANTIR TECHNOLOGIES INC."]))
        );
        let Match::Exact(found, _) = matching("palantir technologies", names) else {
            panic!("is exact")
        };
        assert_eq!(found.len(), 1);
        assert_eq!(matching("cyber", of(&["CYBERDYNE"])), Match::No);
        assert!(matches!(
            matching("Boeing", of(&["THE BOEING COMPANY"])),
            Match::Exact(..)
        ));
    }

    #[test]
    fn a_lost_dot_is_put_back() {
        for (one, other) in [
            ("AMAZON COM", "AMAZON.COM"),
            ("AMAZON COM INC", "AMAZON.COM INC"),
            ("1 800 EXAMPLE COM", "1 800 EXAMPLE.COM"),
            ("C3.ai, Inc.", "C3 ai, Inc."),
            ("C3.ai", "C3 ai"),
        ] {
            assert_eq!(other_spelling(one).as_deref(), Some(other), "{one}");
        }
        for name in ["COM", "Example Inc.", "St. Example", "Comet Example", ""] {
            assert_eq!(other_spelling(name), None, "{name}");
        }
    }

    #[test]
    fn a_legal_name_has_its_form() {
        assert!(same_legal_name("Block, Inc.", "BLOCK INC"));
        assert!(same_legal_name("TARGET CORP", "TARGET CORPORATION"));
        assert!(same_legal_name("The Example Company", "EXAMPLE CO"));
        assert!(!same_legal_name("Block, Inc.", "BLOCK"));
        assert!(!same_legal_name("Block, Inc.", "BLOCK LLC"));
    }

    #[test]
    fn a_recipient_that_is_listed_as_no_subsidiary_is_independent() {
        let of = |uei: &str, level: &str| Recipient {
            name: "PEAR".to_owned(),
            uei: Some(uei.to_owned()),
            level: Some(level.to_owned()),
        };
        let listed = [
            of("A", "P"),
            of("B", "C"),
            of("C", "P"),
            of("C", "C"),
            of("d ", "R"),
            of("", "P"),
        ];
        let mut found: Vec<String> = independent(&listed).into_iter().collect();
        found.sort();
        assert_eq!(found, ["A", "D"]);
    }

    #[test]
    fn refusals_keep_the_servers_words() {
        let error = refusal(
            422,
            r#"{"detail":"Field 'filters|keywords' value 'AI' is below min '3' items"}"#,
            "x",
        );
        assert_eq!(
            (error.code, error.http_status),
            (ErrorCode::InvalidInput, Some(422))
        );
        assert!(error.message.contains("below min"));
        let list = refusal(422, r#"{"detail":["first","second"]}"#, "x");
        assert!(list.message.contains("first; second"));
        assert_eq!(
            refusal(400, r#"{"detail":"Sort value"}"#, "x").code,
            ErrorCode::UpstreamError
        );
        assert_eq!(refusal(400, "<html>", "x").code, ErrorCode::Malformed);
    }
}
