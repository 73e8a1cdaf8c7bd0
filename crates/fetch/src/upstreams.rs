//! The actual destination of a request: its host, or the base that the operator configured in its place.

use freshcontext_contract::url::Url;

use crate::config::Upstream;

#[derive(Debug)]
pub(crate) struct Upstreams(Vec<Upstream>);

impl Upstreams {
    pub(crate) fn new(list: Vec<Upstream>) -> Self {
        Self(list)
    }

    fn of(&self, url: &Url) -> Option<&Upstream> {
        self.named(url)
            .or_else(|| self.0.iter().find(|upstream| upstream.host.is_none()))
    }

    /// Returns the entry for the URL's own host.
    fn named(&self, url: &Url) -> Option<&Upstream> {
        let host = url.host_str()?.trim_end_matches('.');
        self.0
            .iter()
            .find(|upstream| upstream.host.as_deref() == Some(host))
    }

    /// Returns the address at the operator's base for a URL, with the same path and query.
    pub(crate) fn lead(&self, url: &Url) -> Option<Url> {
        Some(at_base(self.of(url)?, url))
    }

    /// Like [`lead`](Self::lead), without the entry for every host.
    pub(crate) fn lead_named(&self, url: &Url) -> Option<Url> {
        Some(at_base(self.named(url)?, url))
    }

    /// Translates a redirect target on the operator's base back to the original host.
    pub(crate) fn lead_back(&self, asked: &Url, target: Url) -> Url {
        let Some(upstream) = self.of(asked) else {
            return target;
        };
        if target.origin() != upstream.base.origin() {
            return target;
        }
        let base_path = upstream.base.path().trim_end_matches('/');
        let path = target
            .path()
            .strip_prefix(base_path)
            .unwrap_or(target.path())
            .to_owned();
        let mut back = asked.clone();
        back.set_path(&path);
        back.set_query(target.query());
        back.set_fragment(None);
        back
    }
}

fn at_base(upstream: &Upstream, url: &Url) -> Url {
    let mut led = upstream.base.clone();
    let path = format!("{}{}", led.path().trim_end_matches('/'), url.path());
    led.set_path(&path);
    led.set_query(url.query());
    led
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn upstreams(list: &str) -> Upstreams {
        Upstreams::new(Upstream::parse_list(list).unwrap())
    }

    #[test]
    fn a_named_host_wins_over_the_star() {
        let upstreams = upstreams("*=http://127.0.0.1:1/all,api.test.org=http://127.0.0.1:2");
        let led = |text: &str| upstreams.lead(&url(text)).unwrap().to_string();
        assert_eq!(
            led("https://api.test.org/v1/x%20y?q=a%26b&c="),
            "http://127.0.0.1:2/v1/x%20y?q=a%26b&c="
        );
        assert_eq!(led("https://other.org/"), "http://127.0.0.1:1/all/");
        assert_eq!(led("https://other.org/a/b?c"), "http://127.0.0.1:1/all/a/b?c");
    }

    #[test]
    fn without_an_entry_nothing_changes() {
        assert!(
            upstreams("a.org=http://127.0.0.1:1")
                .lead(&url("https://b.org/"))
                .is_none()
        );
    }

    #[test]
    fn the_entry_for_every_host_names_none() {
        let upstreams = upstreams("*=http://127.0.0.1:1,login.org=http://127.0.0.1:2/x");
        let led = |text: &str| upstreams.lead_named(&url(text)).map(String::from);
        assert_eq!(
            led("https://login.org/jwks").as_deref(),
            Some("http://127.0.0.1:2/x/jwks")
        );
        assert_eq!(led("https://other.org/jwks"), None);
    }

    #[test]
    fn redirects_to_the_base_are_led_back() {
        let upstreams = upstreams("*=http://127.0.0.1:1/all");
        let asked = url("https://site.org/a?x=1");
        let back = upstreams.lead_back(&asked, url("http://127.0.0.1:1/all/b?y=2"));
        assert_eq!(back.as_str(), "https://site.org/b?y=2");
        let other = upstreams.lead_back(&asked, url("https://elsewhere.org/b"));
        assert_eq!(other.as_str(), "https://elsewhere.org/b");
    }
}
