#![no_main]
use std::net::IpAddr;

use freshcontext_contract::url::{Host, Url};
use freshcontext_contract::{Descriptor, Method};
use freshcontext_fetch::fuzzing::follow;
use std::sync::LazyLock;

/// A source that stays on its own host, and a source that reads arbitrary web pages.
static SOURCES: LazyLock<[&'static Descriptor; 2]> = LazyLock::new(|| {
    let adapters = freshcontext_sources::adapters();
    let of = |tool| adapters.iter().find(|adapter| adapter.descriptor().tool == tool).expect("a registered tool").descriptor();
    [of("extract_arxiv"), of("extract_changelog")]
});

// A `Location` header value. Whatever its content, the server follows only a public https address without a user
// name, and a source with its own hosts never leaves them.
freshcontext_fuzz::target!(|data| {
    let location = String::from_utf8_lossy(data);
    let asked = Url::parse("https://export.arxiv.org/api/query?a=1#b").expect("an address");
    for source in *SOURCES {
        for (method, status) in [(Method::Get, 302), (Method::PostQuery, 302), (Method::PostQuery, 307)] {
            let Some(next) = follow(source, method, &asked, status, &location) else { continue };
            assert!(method == Method::Get || status == 307, "{next}");
            assert_eq!((next.scheme(), next.username(), next.password(), next.fragment()), ("https", "", None, None), "{next}");
            assert!(matches!(next.port_or_known_default(), Some(80 | 443)), "{next}");
            assert!(source.hosts.allows(next.host_str().unwrap_or_default()), "{next}");
            let literal = match next.host() {
                Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
                Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
                _ => None,
            };
            assert!(literal.is_none_or(|address| freshcontext_fetch::classify(address).is_ok()), "{next}");
        }
    }
});
