//! The rules that know a secret by its form: those of gitleaks, which are kept as data, and a few of our own in the same
//! form. Words that each rule needs are looked for first, all at once; a rule is compiled when its word is first seen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::names::WORDS;
use crate::span::Span;

/// Data of others, byte for byte: see `rules/README.md`.
const GITLEAKS: &str = include_str!("rules/gitleaks.toml");
/// What it lacks, and what of it is left out.
const OWN: &str = include_str!("rules/own.toml");
/// How gitleaks writes "here the value ends". A bracket, a comma or an ampersand ends it, too.
const END_THERE: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;
const END_HERE: &str = r"(?:[^A-Za-z0-9_-]|$)";
/// Most memory of one compiled rule, and of what it builds while it searches, in bytes.
const COMPILED_BYTES: usize = 4 << 20;
const SEARCH_BYTES: usize = 256 << 10;

#[derive(Debug, Deserialize)]
struct File {
    allowlist: Option<List>,
    #[serde(default)]
    rules: Vec<Written>,
    #[serde(default)]
    left_out: Vec<LeftOut>,
}

#[derive(Debug, Deserialize)]
struct LeftOut {
    id: String,
}

#[derive(Debug, Deserialize)]
struct Written {
    id: String,
    /// Rules without one are about names of files.
    regex: Option<String>,
    #[serde(default)]
    entropy: f64,
    #[serde(default, rename = "secretGroup")]
    secret_group: usize,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    allowlists: Vec<List>,
}

/// What is no secret although a rule finds it.
#[derive(Debug, Deserialize)]
struct List {
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    stopwords: Vec<String>,
    #[serde(default, rename = "regexTarget")]
    target: String,
    /// Where all conditions must hold, one on paths never does: a text has none.
    #[serde(default)]
    condition: String,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(skip)]
    compiled: OnceLock<Vec<Regex>>,
}

impl List {
    fn allows(&self, secret: &[u8], whole: &[u8]) -> bool {
        if self.condition.eq_ignore_ascii_case("and") && !self.paths.is_empty() {
            return false;
        }
        let target = if self.target.is_empty() { secret } else { whole };
        let regexes = self
            .compiled
            .get_or_init(|| self.regexes.iter().filter_map(|regex| compiled(regex)).collect());
        if regexes.iter().any(|regex| regex.is_match(target)) {
            return true;
        }
        let lower = secret.to_ascii_lowercase();
        self.stopwords
            .iter()
            .any(|word| memchr::memmem::find(&lower, word.to_ascii_lowercase().as_bytes()).is_some())
    }
}

#[derive(Debug)]
struct Rule {
    written: Written,
    /// One of gitleaks', to which its list of harmless values applies.
    theirs: bool,
    compiled: OnceLock<Option<Regex>>,
}

/// All rules, and the words that they need.
#[derive(Debug)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    allowed: Option<List>,
    words: AhoCorasick,
    /// For each word, the rules that need it; `None` for a word that names a secret.
    needing: Vec<Vec<Option<usize>>>,
    ids: BTreeSet<String>,
}

static RULES: LazyLock<Option<Rules>> = LazyLock::new(Rules::read);

/// What stands in a text, by the words of the rules.
#[derive(Debug, Default)]
pub(super) struct Words {
    rules: BTreeSet<usize>,
    /// Whether a name of a secret may be there.
    pub(super) names: bool,
}

impl Rules {
    /// `None` where they cannot be read. A test sees to it that they can.
    pub(super) fn all() -> Option<&'static Self> {
        RULES.as_ref()
    }

    fn read() -> Option<Self> {
        let theirs: File = toml::from_str(GITLEAKS).ok()?;
        let own: File = toml::from_str(OWN).ok()?;
        let left_out: BTreeSet<String> = own.left_out.into_iter().map(|rule| rule.id).collect();
        let theirs_kept = theirs
            .rules
            .into_iter()
            .filter(|rule| !left_out.contains(&rule.id));
        let rules: Vec<Rule> = own
            .rules
            .into_iter()
            .map(|rule| (rule, false))
            .chain(theirs_kept.map(|rule| (rule, true)))
            .filter(|(rule, _)| rule.regex.is_some() && !rule.keywords.is_empty())
            .map(|(written, theirs)| Rule {
                written,
                theirs,
                compiled: OnceLock::new(),
            })
            .collect();
        let mut words: BTreeMap<String, Vec<Option<usize>>> = BTreeMap::new();
        for (at, rule) in rules.iter().enumerate() {
            for word in &rule.written.keywords {
                words.entry(word.to_ascii_lowercase()).or_default().push(Some(at));
            }
        }
        for word in WORDS {
            words.entry((*word).to_owned()).or_default().push(None);
        }
        let ids = rules.iter().map(|rule| rule.written.id.clone()).collect();
        let (texts, needing): (Vec<String>, Vec<_>) = words.into_iter().unzip();
        Some(Self {
            words: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(texts)
                .ok()?,
            rules,
            allowed: theirs.allowlist,
            needing,
            ids,
        })
    }

    /// Whether marks may bear this name.
    pub(super) fn names(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Which words are in a text.
    pub(super) fn words_in(&self, text: &str) -> Words {
        let mut seen = vec![false; self.needing.len()];
        let mut missing = seen.len();
        let mut words = Words::default();
        for found in self.words.find_overlapping_iter(text) {
            let Some(seen) = seen.get_mut(found.pattern().as_usize()).filter(|seen| !**seen) else {
                continue;
            };
            *seen = true;
            missing -= 1;
            for rule in self.needing.get(found.pattern().as_usize()).into_iter().flatten() {
                match rule {
                    Some(rule) => {
                        words.rules.insert(*rule);
                    }
                    None => words.names = true,
                }
            }
            if missing == 0 {
                break;
            }
        }
        words
    }

    /// What the rules find in a text that holds these words.
    pub(super) fn find(&'static self, text: &str, words: &Words, out: &mut Vec<Span>) {
        let bytes = text.as_bytes();
        for rule in words.rules.iter().filter_map(|at| self.rules.get(*at)) {
            let written = &rule.written;
            let source = written.regex.as_deref().unwrap_or_default();
            let Some(regex) = rule.compiled.get_or_init(|| compiled(source)) else {
                continue;
            };
            for groups in regex.captures_iter(bytes) {
                let Some(whole) = groups.get(0) else { continue };
                let secret = match written.secret_group {
                    0 => groups
                        .iter()
                        .skip(1)
                        .flatten()
                        .find(|group| !group.is_empty())
                        .unwrap_or(whole),
                    group => groups.get(group).unwrap_or(whole),
                };
                let found = secret.as_bytes();
                if written.entropy > 0.0 && entropy(found) <= written.entropy {
                    continue;
                }
                let mut lists = written
                    .allowlists
                    .iter()
                    .chain(self.allowed.iter().filter(|_| rule.theirs));
                if lists.any(|list| list.allows(found, whole.as_bytes())) {
                    continue;
                }
                out.push(Span {
                    start: secret.start(),
                    end: end_of_token(bytes, secret.start(), secret.end()),
                    name: &written.id,
                });
            }
        }
    }

    /// The rules that do not compile.
    #[cfg(test)]
    pub(super) fn broken(&self) -> Vec<&str> {
        let of_rules = self.rules.iter().map(|rule| {
            let written = &rule.written;
            let mut all = written
                .regex
                .iter()
                .chain(written.allowlists.iter().flat_map(|list| &list.regexes));
            (written.id.as_str(), all.all(|regex| compiled(regex).is_some()))
        });
        of_rules.filter(|(_, right)| !right).map(|(id, _)| id).collect()
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.rules.len()
    }
}

/// A secret is longer than a rule demands: what follows without a break belongs to it.
fn end_of_token(text: &[u8], start: usize, end: usize) -> usize {
    let of_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if end <= start || !text.get(end - 1).is_some_and(of_token) {
        return end;
    }
    let more = text.get(end..).unwrap_or_default();
    end + more.iter().take_while(|byte| of_token(byte)).count()
}

/// A regular expression of Go's syntax. Its classes are ASCII there, and a brace that repeats nothing stands for itself.
fn compiled(source: &str) -> Option<Regex> {
    let mut out = String::with_capacity(source.len() + 16);
    let source = source.replace(END_THERE, END_HERE);
    let mut rest = source.as_str();
    while let Some(at) = rest.find(['{', '\\']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let taken = if from.starts_with('\\') {
            from.chars().take(2).map(char::len_utf8).sum()
        } else {
            if !repeats(from) {
                out.push('\\');
            }
            1
        };
        let (these, after) = from.split_at(taken);
        out.push_str(these);
        rest = after;
    }
    out.push_str(rest);
    RegexBuilder::new(&out)
        .unicode(false)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(SEARCH_BYTES)
        .build()
        .ok()
}

/// Whether a brace begins a number of repetitions.
fn repeats(from: &str) -> bool {
    let Some((inside, _)) = from.trim_start_matches('{').split_once('}') else {
        return false;
    };
    from.starts_with('{')
        && !from.starts_with("{{")
        && inside.starts_with(|c: char| c.is_ascii_digit())
        && inside.chars().all(|c| c.is_ascii_digit() || c == ',')
}

/// Shannon's entropy in bits for each byte.
pub(super) fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let all = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / all;
            -share * share.log2()
        })
        .sum()
}
