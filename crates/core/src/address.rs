//! Addresses fit to be shown as a source.

use freshcontext_contract::tracking::{is_tracking, strip_query};
use freshcontext_redact::is_secret_name;
use url::Url;

use crate::sanitize::clean_line;

/// Takes tracking parameters, parameters that carry a secret, and user information out of an address.
pub fn strip_tracking(url: &mut Url) {
    // Both only fail for addresses that cannot have user information.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    strip_query(url, |name| is_tracking(name) || is_secret_name(name));
}

/// An absolute http(s) address without user information, tracking or secrets, as a clean line;
/// `None` for anything else (`javascript:`, `data:`, relative).
pub fn canonical(address: &str) -> Option<String> {
    let url = Url::parse(address.trim()).ok()?;
    canonical_url(url)
}

pub(crate) fn canonical_url(mut url: Url) -> Option<String> {
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return None;
    }
    strip_tracking(&mut url);
    Some(clean_line(url.as_str()).into_owned())
}

/// Whether this is an absolute http(s) address with a host and without user information.
pub fn is_absolute_http(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| !host.is_empty())
            && url.username().is_empty()
            && url.password().is_none()
    })
}

/// A key under which two addresses of the same page meet: host without `www.`, path without a
/// trailing slash, query without tracking; scheme and fragment do not count.
pub(crate) fn same_page_key(address: &str) -> Option<String> {
    let mut url = Url::parse(address).ok()?;
    strip_tracking(&mut url);
    let host = url.host_str()?.trim_start_matches("www.");
    let path = url.path().trim_end_matches('/');
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("{host}{path}{query}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracking_and_secrets_go_and_the_rest_stays_as_it_was() {
        for (given, wanted) in [
            (
                "https://x.example/a?utm_source=n&q=a%20b+c&UTM_medium=m",
                "https://x.example/a?q=a%20b+c",
            ),
            ("https://x.example/a?gclid=1", "https://x.example/a"),
            ("https://u:p@x.example/a?api_key=s&b", "https://x.example/a?b"),
            ("https://x.example/a?ref=b#part", "https://x.example/a?ref=b#part"),
            (
                "https://x.example/?q=[/FRESHCONTEXT]",
                "https://x.example/?q=(/FRESHCONTEXT)",
            ),
            (" http://X.example ", "http://x.example/"),
        ] {
            assert_eq!(canonical(given).as_deref(), Some(wanted), "{given}");
        }
        for refused in [
            "javascript:alert(1)",
            "data:text/html,x",
            "/a/b",
            "ftp://x.example/",
            "a query",
            "https://",
        ] {
            assert_eq!(canonical(refused), None, "{refused}");
        }
    }

    #[test]
    fn two_addresses_of_one_page_meet() {
        let key = same_page_key("https://www.x.example/a/?utm_source=n");
        assert_eq!(key, same_page_key("http://x.example/a#top"));
        assert_ne!(key, same_page_key("https://x.example/a?p=2"));
    }
}
