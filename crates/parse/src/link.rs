//! Links as they may be shown (absolute, http(s), without credentials and tracking), and the addresses
//! that requests and inputs are made of.

use freshcontext_contract::tracking::{is_tracking, strip_query};
use freshcontext_contract::{Argument, ErrorCode, KeyedUrl, Media, Request, SourceError};
use url::Url;

/// Resolves a link against its page; `None` unless the result is http(s) with a host.
pub fn absolute(base: &Url, href: &str) -> Option<Url> {
    let mut url = base.join(href.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return None;
    }
    // Links with credentials are either a mistake or a disguise.
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url)
}

/// As text, for an item's `url`; `None` unless it is an absolute http(s) address.
pub fn shown(href: &str) -> Option<String> {
    let url = Url::parse(href.trim()).ok()?;
    absolute(&url, url.as_str()).map(|url| without_tracking(url).to_string())
}

/// Removes tracking parameters; the others keep their order and their exact encoding.
pub fn without_tracking(mut url: Url) -> Url {
    strip_query(&mut url, is_tracking);
    url
}

/// An address built by an adapter: `base` with path segments, each encoded as one. A failure is a defect
/// of the adapter, whatever the caller passed.
pub fn built(base: &str, segments: &[&str]) -> Result<Url, SourceError> {
    let mut url = Url::parse(base).map_err(|error| {
        SourceError::new(ErrorCode::Internal, "a built-in address does not parse").caused_by(error)
    })?;
    if !segments.is_empty()
        && let Ok(mut path) = url.path_segments_mut()
    {
        path.pop_if_empty().extend(segments);
    }
    Ok(url)
}

/// Whether a host (lower case) is this domain or one below it.
pub fn is_within(host: &str, domain: &str) -> bool {
    let above = host.strip_suffix(domain);
    above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
}

/// What stands in an argument that takes an address or words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given<'g> {
    /// An http(s) address on any host.
    Address(Url),
    /// Anything else, trimmed.
    Words(&'g str),
}

impl<'g> Given<'g> {
    /// Distinguishes an address from words. An address begins with `http://` or `https://`, or with a host in `ours`
    /// (lower case) that is followed by nothing, `/`, `?` or `#`. Text with white space is words, unless it begins
    /// with the scheme and a host in `ours`.
    ///
    /// # Errors
    /// If it is empty, has another scheme, or is an address that does not parse.
    pub fn of(argument: Argument, given: &'g str, ours: impl Fn(&str) -> bool) -> Result<Self, SourceError> {
        let wrong = |problem| argument.wrong(problem);
        let given = given.trim();
        if given.is_empty() {
            return Err(wrong("is empty"));
        }
        let lower = given.to_ascii_lowercase();
        let spaced = given.contains(char::is_whitespace);
        let web = lower
            .strip_prefix("https://")
            .or_else(|| lower.strip_prefix("http://"));
        let host = web.unwrap_or(&lower).split(['/', '?', '#']).next();
        let ours = host.is_some_and(ours);
        let address = match web {
            Some(_) if ours || !spaced => given.to_owned(),
            None if ours && !spaced => format!("https://{given}"),
            None if !spaced && lower.contains("://") => {
                return Err(wrong("must be an http or https address"));
            }
            _ => return Ok(Self::Words(given)),
        };
        let url = Url::parse(&address).map_err(|_| wrong("is not a valid address"))?;
        Ok(Self::Address(url))
    }
}

/// An address with those pairs in its query that have a value; without one, it has no query.
///
/// # Errors
/// As [`built`].
pub fn queried<'q, V: Into<Option<&'q str>>>(
    base: &str,
    segments: &[&str],
    query: impl IntoIterator<Item = (&'q str, V)>,
) -> Result<Url, SourceError> {
    let mut url = built(base, segments)?;
    let given = |(name, value): (&'q str, V)| Some((name, value.into()?));
    let mut query = query.into_iter().filter_map(given).peekable();
    if query.peek().is_some() {
        url.query_pairs_mut().extend_pairs(query);
    }
    Ok(url)
}

/// The query of an address, in the order in which it is written.
#[derive(Debug, Clone, Default)]
pub struct Query(Vec<(&'static str, String)>);

impl Query {
    /// A query without pairs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pair.
    #[must_use]
    pub fn with(self, name: &'static str, value: impl ToString) -> Self {
        self.maybe(name, Some(value))
    }

    /// Adds a pair, if there is a value.
    #[must_use]
    pub fn maybe(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.0.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// An address with this query.
    ///
    /// # Errors
    /// As [`built`].
    pub fn at(&self, base: &str) -> Result<Url, SourceError> {
        queried(
            base,
            &[],
            self.0.iter().map(|(name, value)| (*name, value.as_str())),
        )
    }

    /// The same for a host whose key goes along.
    ///
    /// # Errors
    /// As [`KeyedUrl::new`].
    pub fn keyed(&self, base: &'static str) -> Result<KeyedUrl, SourceError> {
        let pairs = self.0.iter().map(|(name, value)| (*name, value.as_str()));
        Ok(KeyedUrl::new(base, &[])?.with(pairs))
    }
}

/// A request of the JSON at an address that we write ourselves.
///
/// # Errors
/// As [`built`].
pub fn json(base: &str, segments: &[&str]) -> Result<Request, SourceError> {
    Ok(Request::get(built(base, segments)?, Media::Json))
}

/// The segments of an address's path, without empty ones.
pub fn segments(url: &Url) -> Vec<&str> {
    url.path().split('/').filter(|part| !part.is_empty()).collect()
}

/// A query parameter of an address, trimmed; `None` if it is missing or blank.
pub fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_only_web_links() {
        let base = Url::parse("https://example.com/a/b").unwrap();
        assert_eq!(
            absolute(&base, "item?id=1").unwrap().as_str(),
            "https://example.com/a/item?id=1"
        );
        assert_eq!(
            absolute(&base, "//other.example/x").unwrap().as_str(),
            "https://other.example/x"
        );
        assert!(absolute(&base, "javascript:alert(1)").is_none());
        assert!(absolute(&base, "mailto:someone@example.com").is_none());
        assert_eq!(
            absolute(&base, "https://u:p@example.com/").unwrap().as_str(),
            "https://example.com/"
        );
    }

    #[test]
    fn tracking_goes_and_the_rest_stays_as_it_was() {
        let url = Url::parse("https://example.com/p?a=1%20b&utm_source=x&b=%2F&fbclid=y").unwrap();
        assert_eq!(
            without_tracking(url).as_str(),
            "https://example.com/p?a=1%20b&b=%2F"
        );
        let url = Url::parse("https://example.com/p?utm_source=x").unwrap();
        assert_eq!(without_tracking(url).as_str(), "https://example.com/p");
    }

    #[test]
    fn segments_are_encoded_and_the_base_stays() {
        let of = |base, segments: &[&str]| built(base, segments).unwrap().to_string();
        assert_eq!(
            of("https://example.com/a/", &["@b/c", "d"]),
            "https://example.com/a/@b%2Fc/d"
        );
        assert_eq!(of("https://example.com/a", &["b"]), "https://example.com/a/b");
        assert_eq!(of("https://example.com/a/", &[]), "https://example.com/a/");
        assert_eq!(built("no address", &[]).unwrap_err().code, ErrorCode::Internal);
    }

    #[test]
    fn an_address_is_told_from_words() {
        let url = Argument::new("url", "x");
        let ours = |host: &str| host == "example.com";
        for (given, address) in [
            ("https://other.example/a", Some("https://other.example/a")),
            ("HTTP://example.com/a b", Some("http://example.com/a%20b")),
            ("example.com", Some("https://example.com/")),
            ("Example.com/a?b=c", Some("https://example.com/a?b=c")),
            ("example.com?b=c", Some("https://example.com/?b=c")),
            ("example.com#x", Some("https://example.com/#x")),
            (" example.com ", Some("https://example.com/")),
            ("example.com and others", None),
            ("https://other.example is down", None),
            ("other.example/a", None),
            ("example.community", None),
            ("two words", None),
        ] {
            let read = Given::of(url, given, ours).unwrap();
            let words = Given::Words(given.trim());
            let wanted = address.map_or(words, |address| Given::Address(Url::parse(address).unwrap()));
            assert_eq!(read, wanted, "{given}");
        }
        for given in ["", "  ", "ftp://example.com/", "https://", "http://[1"] {
            let error = Given::of(url, given, ours).unwrap_err();
            assert_eq!(error.field.as_deref(), Some("url"), "{given}");
        }
    }

    #[test]
    fn a_domain_holds_itself_and_what_is_below_it() {
        for (host, within) in [
            ("example.com", true),
            ("a.b.example.com", true),
            ("badexample.com", false),
            ("example.com.other", false),
            ("", false),
        ] {
            assert_eq!(is_within(host, "example.com"), within, "{host}");
        }
    }

    #[test]
    fn no_pairs_make_no_query() {
        let of = |query: &[(&'static str, Option<&'static str>)]| {
            queried("https://example.com/", &["a"], query.iter().copied())
                .unwrap()
                .to_string()
        };
        assert_eq!(of(&[]), "https://example.com/a");
        assert_eq!(of(&[("q", None)]), "https://example.com/a");
        assert_eq!(
            of(&[("q", Some("a b&c")), ("r", None), ("s", Some(""))]),
            "https://example.com/a?q=a+b%26c&s="
        );
        let query = Query::new()
            .with("q", "a b")
            .maybe("page", None::<u32>)
            .maybe("n", Some(3));
        let shown = query.at("https://example.com/s").unwrap();
        assert_eq!(shown.as_str(), "https://example.com/s?q=a+b&n=3");
        assert_eq!(query.keyed("https://example.com/s").unwrap().as_url(), &shown);
        let plain = queried("https://example.com/", &[], [("q", "x")]).unwrap();
        assert_eq!(plain.as_str(), "https://example.com/?q=x");
    }

    #[test]
    fn a_blank_parameter_is_none() {
        let url = Url::parse("https://example.com/?q=+a%20b+&page=+&q=c").unwrap();
        assert_eq!(parameter(&url, "q").as_deref(), Some("a b"));
        assert_eq!(parameter(&url, "page"), None);
        assert_eq!(parameter(&url, "sort"), None);
    }
}
