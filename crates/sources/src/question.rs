//! Query of each source within a composite, and when it cannot be formed.

use crate::composite::PartCall;

/// A section under construction.
#[derive(Debug)]
pub struct Part(PartCall);

impl Part {
    /// Names the composite's argument that its question is from.
    pub fn from(mut self, argument: &'static str) -> Self {
        self.0.from = Some(argument);
        self
    }

    /// The call.
    pub fn call(self) -> PartCall {
        self.0
    }
}

const YC: (&str, &str) = ("extract_yc", "Y Combinator companies");
const REPOS: (&str, &str) = ("search_repos", "GitHub repositories");
const NEWS: (&str, &str) = ("extract_hackernews", "Hacker News");
const REDDIT: (&str, &str) = ("extract_reddit", "Reddit");
const HUNT: (&str, &str) = ("extract_producthunt", "Product Hunt");
const PACKAGES: (&str, &str) = ("package_trends", "Packages");
const JOBS: (&str, &str) = ("search_jobs", "Jobs");
const CONTRACTS: (&str, &str) = ("extract_govcontracts", "US federal contracts");
const CHANGELOG: (&str, &str) = ("extract_changelog", "Changelog");
const QUOTES: (&str, &str) = ("extract_finance", "Quotes");
const FILINGS: (&str, &str) = ("extract_sec_filings", "SEC filings");
const GDELT: (&str, &str) = ("extract_gdelt", "World news");

fn ask((tool, label): (&'static str, &str), argument: &str, value: &str) -> Part {
    Part(PartCall::ask(tool, label, argument, value))
}

/// A search for words, which may mean anything.
fn ask_words(source: (&'static str, &str), argument: &str, words: &str) -> Part {
    let mut part = ask(source, argument, words);
    part.0.words = Some(words.to_owned());
    part
}

fn skip((tool, label): (&'static str, &str), reason: &str) -> Part {
    Part(PartCall::skip(tool, label, reason))
}

/// Companies of a field.
pub fn yc(words: &str) -> Part {
    ask_words(YC, "url", words)
}

/// Repositories by words or qualifiers.
pub fn repos(query: &str) -> Part {
    if query.starts_with("repo:") {
        return ask(REPOS, "query", query);
    }
    ask_words(REPOS, "query", query)
}

/// No repositories, with the reason.
pub fn skip_repos(reason: &str) -> Part {
    skip(REPOS, reason)
}

/// Stories about words. A number would be read as a story's id.
pub fn hackernews(words: &str) -> Part {
    if words.bytes().all(|b| b.is_ascii_digit()) {
        return skip(
            NEWS,
            "Hacker News reads a number alone as a story's id; add words to search for",
        );
    }
    ask_words(NEWS, "url", words)
}

/// No stories, with the reason.
pub fn skip_hackernews(reason: &str) -> Part {
    skip(NEWS, reason)
}

/// Posts about words.
pub fn reddit(words: &str) -> Part {
    ask_words(REDDIT, "url", words)
}

/// No posts, with the reason.
pub fn skip_reddit(reason: &str) -> Part {
    skip(REDDIT, reason)
}

/// Launches in a field.
pub fn producthunt(words: &str) -> Part {
    ask_words(HUNT, "url", words)
}

/// Job adverts for a skill or field.
pub fn jobs(words: &str) -> Part {
    ask_words(JOBS, "query", words)
}

/// Packages, if the words can be package names.
pub fn packages(words: &str) -> Part {
    let name = |name: &str| {
        let bare = name.trim_start_matches('@');
        !bare.is_empty()
            && bare.starts_with(|c: char| c.is_ascii_alphanumeric())
            && bare
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_./:".contains(&b))
    };
    let names: Vec<&str> = words.split(',').map(str::trim).collect();
    if names.iter().all(|text| name(text)) {
        ask(PACKAGES, "packages", &names.join(","))
    } else {
        skip(PACKAGES, "package names are needed, such as tokio or npm:react")
    }
}

/// Contract awards.
pub fn govcontracts(query: &str) -> Part {
    ask(CONTRACTS, "url", query)
}

/// Awards to a company by its legal name, and never to others whose awards mention that name.
pub fn contracts_of(company: &str) -> Part {
    ask(CONTRACTS, "url", &format!("recipient:{company}"))
}

/// No awards, with the reason.
pub fn skip_govcontracts(reason: &str) -> Part {
    skip(CONTRACTS, reason)
}

/// Filings of the company of this number.
pub fn filings_of(cik: u64) -> Part {
    ask(FILINGS, "url", &format!("CIK {cik}"))
}

/// No filings, with the reason.
pub fn skip_filings(reason: &str) -> Part {
    skip(FILINGS, reason)
}

/// Releases, if the caller named a target. A company's name is not looked up as a package.
pub fn changelog(target: Option<&str>, argument: &str) -> Part {
    match target {
        Some(target) => ask(CHANGELOG, "url", target),
        None if argument == "github_query" => skip(
            CHANGELOG,
            "a repository is needed for releases; give github_query as owner/repo",
        ),
        None => skip(CHANGELOG, "a repository is needed for releases; give github_url"),
    }
}

/// Prices of tickers.
pub fn finance(tickers: &str) -> Part {
    ask(QUOTES, "url", tickers)
}

/// No prices, with the reason.
pub fn skip_finance(reason: &str) -> Part {
    skip(QUOTES, reason)
}

/// Filings of a company. A US ticker identifies it exactly; a foreign ticker is unknown to the SEC.
pub fn sec_filings(company: &str, ticker: Option<&str>) -> Part {
    let listed = |ticker: &&str| {
        let symbol = ticker.trim_start_matches('$');
        let (root, class) = symbol.split_once(['.', '-']).unwrap_or((symbol, ""));
        (1..=5).contains(&root.len())
            && root.bytes().all(|b| b.is_ascii_alphabetic())
            && class.len() <= 1
            && class.bytes().all(|b| b.is_ascii_alphabetic())
    };
    match ticker.filter(listed) {
        Some(ticker) => ask(FILINGS, "url", &format!("${}", ticker.trim_start_matches('$'))),
        None => ask(FILINGS, "url", company),
    }
}

/// News about a name; several words form one name.
pub fn gdelt(name: &str) -> Part {
    let bare = name.replace('"', " ");
    let words: Vec<&str> = bare.split_whitespace().collect();
    match words.as_slice() {
        [_, _, ..] => ask(GDELT, "url", &format!("\"{}\"", words.join(" "))),
        _ => ask(GDELT, "url", name),
    }
}

/// Whether a text is a NAICS code or an award id.
pub fn is_code(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit()) || text.starts_with("CONT_AWD_") || text.starts_with("CONT_IDV_")
}

/// Whether a text names one repository: `owner/name`, or an address on GitHub with both.
pub fn is_repository(text: &str) -> bool {
    repository(text).is_some()
}

/// Turns a repository into a search for exactly that repository; other words stay unchanged.
pub fn as_repository(text: &str) -> String {
    repository(text).map_or_else(|| text.to_owned(), |name| format!("repo:{name}"))
}

fn repository(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let path = [
        "https://github.com/",
        "http://github.com/",
        "https://www.github.com/",
        "github.com/",
    ]
    .iter()
    .find_map(|prefix| {
        lower
            .starts_with(prefix)
            .then(|| text.get(prefix.len()..))
            .flatten()
    })
    .unwrap_or(text);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut parts = path.split('/');
    let (owner, name) = (parts.next()?, parts.next()?.trim_end_matches(".git"));
    // More than two parts are a page of a repository only in a URL.
    if path.len() == text.len() && parts.next().is_some() {
        return None;
    }
    let legal = |part: &str| {
        !part.is_empty()
            && part.len() <= 100
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    (legal(owner) && legal(name)).then(|| format!("{owner}/{name}"))
}

/// Words without meaning for a search; a search that requires every word would find nothing with them.
const EMPTY: [&str; 44] = [
    "a", "an", "the", "and", "or", "of", "for", "to", "in", "on", "at", "by", "with", "without", "from",
    "that", "which", "who", "this", "these", "those", "is", "are", "be", "my", "our", "your", "their", "its",
    "it", "app", "tool", "platform", "service", "using", "based", "help", "helps", "people", "users", "want",
    "build", "i", "we",
];

/// Returns the significant words of an idea written as a sentence; a short idea is unchanged.
pub fn core_words(idea: &str) -> String {
    let words: Vec<&str> = idea.split_whitespace().collect();
    if words.len() <= 4 || idea.contains('"') {
        return words.join(" ");
    }
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let telling: Vec<&str> = words
        .iter()
        .map(|word| word.trim_matches([',', '.', ';', ':', '!', '?', '(', ')']))
        .filter(|word| !word.is_empty() && !EMPTY.contains(&bare(word).as_str()))
        .collect();
    if telling.is_empty() {
        words.join(" ")
    } else {
        telling.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_distinguished_from_words() {
        assert_eq!(
            as_repository("cloudflare/workers-sdk"),
            "repo:cloudflare/workers-sdk"
        );
        assert_eq!(
            as_repository("https://github.com/rust-lang/rust.git"),
            "repo:rust-lang/rust"
        );
        assert_eq!(
            as_repository("https://github.com/rust-lang/rust/releases?page=2"),
            "repo:rust-lang/rust"
        );
        assert_eq!(as_repository("edge workers"), "edge workers");
        assert!(!is_repository("https://github.com/rust-lang"));
        assert!(!is_repository("a/b/c"));
        assert!(!is_repository("tcp / ip"));
    }

    #[test]
    fn short_ideas_stay_as_they_are() {
        assert_eq!(
            core_words("open source feature flags"),
            "open source feature flags"
        );
        assert_eq!(
            core_words("a platform to help people"),
            "a platform to help people"
        );
        assert_eq!(
            core_words("an app that matches dog walkers, with owners"),
            "matches dog walkers owners"
        );
    }

    #[test]
    fn packages_need_names_of_packages() {
        let asked = |words: &str| packages(words).call().skipped.is_none();
        assert!(asked("tokio") && asked("npm:react, pypi:flask") && asked("@types/node"));
        assert!(!asked("vector database") && !asked("Palantir") && !asked("what?"));
    }

    #[test]
    fn a_number_is_no_search_on_hacker_news() {
        assert!(hackernews("8863").call().skipped.is_some());
        assert!(hackernews("web 3").call().skipped.is_none());
    }
}
