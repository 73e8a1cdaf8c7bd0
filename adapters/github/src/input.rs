//! What was asked for: one repository, or a search for some.

use freshcontext_contract::{Argument, SourceError};
use freshcontext_parse::github::{self, NotOne, Repository};
use freshcontext_parse::link::{self, Given};
use freshcontext_parse::text;
use schemars::JsonSchema;
use serde::Deserialize;

/// The argument of `extract_github`.
pub const URL: Argument = Argument::new("url", r#"{"url": "https://github.com/rust-lang/rust"}"#);
/// The argument of `search_repos`.
pub const QUERY: Argument = Argument::new("query", r#"{"query": "vector database language:rust"}"#);

/// Arguments of `extract_github`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UrlInput {
    /// owner/name or its URL
    pub url: String,
}

/// Arguments of `search_repos`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct QueryInput {
    /// Words, qualifiers: vector database language:rust
    pub query: String,
}

/// The repository that was asked for.
pub fn repository(given: &str) -> Result<Repository, SourceError> {
    if given.trim().is_empty() {
        return Err(URL.wrong("is empty"));
    }
    github::repository(given).map_err(|why| {
        let error = URL.wrong(why.problem());
        match why {
            NotOne::BadName => error,
            _ => error.hint("to find repositories by topic, owner (`user:NAME`) or words, use search_repos"),
        }
    })
}

/// The search that was asked for: words with GitHub's qualifiers, a search address or a topic page.
pub fn query(given: &str) -> Result<String, SourceError> {
    let ours = |host: &str| matches!(host, "github.com" | "www.github.com" | "api.github.com");
    let url = match Given::of(QUERY, given, ours)? {
        Given::Words(words) => return Ok(words.to_owned()),
        Given::Address(url) if url.host_str().is_some_and(ours) => url,
        Given::Address(_) => return Err(QUERY.wrong("is an address outside GitHub; pass words")),
    };
    let path = url.path().trim_matches('/');
    if path == "search" || path == "search/repositories" {
        return link::parameter(&url, "q")
            .ok_or_else(|| QUERY.wrong("is a search address without words (`q=`)"));
    }
    let name_fits = |name: &str| text::is_name(name, 100, "-_.");
    if let Some(topic) = path.strip_prefix("topics/").filter(|topic| name_fits(topic)) {
        return Ok(format!("topic:{topic}"));
    }
    if let Some(org) = path
        .strip_prefix("orgs/")
        .and_then(|rest| rest.split('/').next())
        .filter(|org| name_fits(org))
    {
        return Ok(format!("org:{org}"));
    }
    match github::of_url(&url) {
        Err(NotOne::OwnerOnly) if name_fits(path) => Ok(format!("user:{path}")),
        Ok(repository) => Err(QUERY.wrong("is one repository, not a search").hint(format!(
            "read it with extract_github {{\"url\": \"{repository}\"}}"
        ))),
        _ => Err(QUERY.wrong("is a page of GitHub that this tool does not read")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_show_a_right_argument() {
        for given in [
            "",
            "https://github.com/topics/rust",
            "https://github.com/orgs/a",
            "https://github.com/octocat",
            "rust",
            "https://gitlab.com/a/b",
        ] {
            let error = repository(given).unwrap_err();
            assert_eq!(error.code.as_str(), "invalid_input", "{given}");
            assert!(error.message.contains("github.com/rust-lang/rust"), "{given}");
        }
        assert!(
            repository("https://github.com/topics/rust")
                .unwrap_err()
                .hint
                .unwrap()
                .contains("search_repos")
        );
    }

    #[test]
    fn words_and_addresses_become_a_search() {
        for (given, sent) in [
            ("c++ \"game engine\" stars:>100", "c++ \"game engine\" stars:>100"),
            ("https://github.com/search?q=a+b%23&type=repositories", "a b#"),
            ("github.com/topics/machine-learning", "topic:machine-learning"),
            ("https://github.com/orgs/rust-lang/repositories", "org:rust-lang"),
            ("https://github.com/octocat", "user:octocat"),
        ] {
            assert_eq!(query(given).unwrap(), sent, "{given}");
        }
        for given in [
            "",
            "  ",
            "https://example.com/?q=a",
            "https://github.com/search",
            "https://github.com/rust-lang/rust",
            "https://github.com/explore",
        ] {
            assert_eq!(
                query(given).unwrap_err().field.as_deref(),
                Some("query"),
                "{given}"
            );
        }
    }
}
