//! What the caller may pass as `url`.

use freshcontext_contract::{Argument, SourceError};
use freshcontext_parse::link::Given;
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments of `extract_scholar`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// Words, author:"name" or a Scholar URL
    pub url: String,
    /// false: ask Scholar alone
    #[serde(default)]
    #[schemars(extend("default" = true))]
    pub fallback: Option<bool>,
}

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new("url", r#"{"url": "graph neural networks"}"#);

/// The same of an address.
const ADDRESS: &str = r#"{"url": "https://scholar.google.com/scholar?q=graph+neural+networks"}"#;

/// A search, in Scholar's own parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The parameters of the address that mean something, in its order; never `hl`, `start` or `num`.
    pub parameters: Vec<(String, String)>,
    /// `start` of the address.
    pub start: Option<usize>,
    /// `num` of the address.
    pub num: Option<usize>,
    /// Whether the caller gave an address of Scholar, not mere words.
    pub is_address: bool,
}

/// The parameters that choose results. All others are left behind (session marks, interface).
const KNOWN: [&str; 16] = [
    "q",
    "as_q",
    "as_epq",
    "as_oq",
    "as_eq",
    "as_occt",
    "as_sauthors",
    "as_publication",
    "as_ylo",
    "as_yhi",
    "as_sdt",
    "as_vis",
    "scisbd",
    "cites",
    "cluster",
    "lr",
];

impl Search {
    /// A parameter's value, if it has one.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    }

    /// Whether it asks for the newest additions, whose snippets begin with an age.
    pub fn by_date(&self) -> bool {
        self.get("scisbd").is_some_and(|value| value != "0")
    }

    /// The words to search for elsewhere; `None` where it asks for something only Scholar knows (the
    /// papers that cite one, the versions of one).
    pub fn words(&self) -> Option<String> {
        if self.get("cites").is_some() || self.get("cluster").is_some() {
            return None;
        }
        let words: Vec<&str> = ["q", "as_q", "as_epq", "as_oq"]
            .into_iter()
            .filter_map(|name| self.get(name))
            .collect();
        let words = words.join(" ");
        (!words.is_empty()).then_some(words)
    }
}

/// Reads the argument.
pub fn recognise(given: &str) -> Result<Search, SourceError> {
    let url = match Given::of(URL, given, is_scholar)? {
        Given::Address(url) => url,
        Given::Words(words) => {
            return Ok(Search {
                parameters: vec![("q".to_owned(), words.to_owned())],
                ..Search::default()
            });
        }
    };
    if !url.host_str().is_some_and(is_scholar) {
        let problem = "must lead to scholar.google.com, or be a query";
        return Err(URL.like(ADDRESS).wrong(problem));
    }
    if url.path().trim_end_matches('/') != "/scholar" {
        let problem =
            "is a Scholar page of another kind (a profile, a case, settings); only result lists are read";
        return Err(URL.like(ADDRESS).wrong(problem));
    }
    let mut search = Search {
        is_address: true,
        ..Search::default()
    };
    for (name, value) in url.query_pairs() {
        let count = || value.trim().parse::<usize>().ok();
        match name.as_ref() {
            "start" => search.start = count().filter(|start| *start <= 1_000),
            "num" => search.num = count().filter(|num| (1..=20).contains(num)),
            known if KNOWN.contains(&known) && !value.trim().is_empty() => {
                search.parameters.push((name.into_owned(), value.into_owned()));
            }
            _ => {}
        }
    }
    let searches = [
        "q",
        "as_q",
        "as_epq",
        "as_oq",
        "as_sauthors",
        "as_publication",
        "cites",
        "cluster",
    ];
    if !searches.iter().any(|name| search.get(name).is_some()) {
        return Err(URL.wrong("asks for nothing (it has no `q`)"));
    }
    Ok(search)
}

/// `scholar.google.com` and its country hosts.
fn is_scholar(host: &str) -> bool {
    host.strip_prefix("scholar.google.").is_some_and(|country| {
        (2..=6).contains(&country.len())
            && country.split('.').count() <= 2
            && country
                .split('.')
                .all(|label| !label.is_empty() && label.bytes().all(|b| b.is_ascii_lowercase()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    fn q(given: &str) -> Option<String> {
        recognise(given).unwrap().get("q").map(str::to_owned)
    }

    #[test]
    fn addresses_and_words_are_searches() {
        assert_eq!(
            q("https://scholar.google.com/scholar?hl=de&q=caf%C3%A9+%22exact+words%22&btnG="),
            Some("café \"exact words\"".into())
        );
        assert_eq!(q("http://scholar.google.co.uk/scholar?q=x"), Some("x".into()));
        assert_eq!(q("scholar.google.de/scholar?q=x&oq=y"), Some("x".into()));
        assert_eq!(
            q("attention is all you need"),
            Some("attention is all you need".into())
        );
        assert_eq!(
            q("author:\"a turing\" computability: a survey"),
            Some("author:\"a turing\" computability: a survey".into())
        );
    }

    #[test]
    fn parameters_that_choose_results_are_kept_and_others_dropped() {
        let search = recognise("https://scholar.google.com/scholar?start=20&num=5&q=x&as_ylo=2020&hl=fr&as_sdt=0,5&scisbd=1&oi=x&ct=y").unwrap();
        let names: Vec<&str> = search.parameters.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["q", "as_ylo", "as_sdt", "scisbd"]);
        assert_eq!(
            (search.start, search.num, search.by_date()),
            (Some(20), Some(5), true)
        );
    }

    #[test]
    fn citing_papers_have_no_words_to_search_elsewhere() {
        assert_eq!(
            recognise("https://scholar.google.com/scholar?cites=123&q=x")
                .unwrap()
                .words(),
            None
        );
        assert_eq!(
            recognise("https://scholar.google.com/scholar?as_epq=deep+learning")
                .unwrap()
                .words()
                .as_deref(),
            Some("deep learning")
        );
    }

    #[test]
    fn other_pages_and_hosts_are_refused_with_a_right_one() {
        for given in [
            "https://scholar.google.com/citations?user=abc",
            "https://scholar.google.com/scholar_case?case=1",
            "https://scholar.google.com/scholar?hl=en",
            "https://scholar.google.com.evil.example.com/scholar?q=x",
            "https://example.com/scholar?q=x",
            "ftp://scholar.google.com/scholar?q=x",
            "",
        ] {
            let error = recognise(given).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{given}");
            assert!(error.message.contains("Example: {"), "{given}");
        }
    }
}
