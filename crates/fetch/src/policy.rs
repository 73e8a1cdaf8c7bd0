//! URL policy, checked before any name lookup.

use std::net::{IpAddr, SocketAddr};

use freshcontext_contract::url::{Host, Url};
use freshcontext_contract::{ErrorCode, SourceError};

use crate::classify::classify_with;
use crate::deny::Deny;

/// The class of addresses that the operator denies.
const OPERATOR: &str = "operator";

/// Suffixes of local network names (RFC 6761, 6762, 8375, ICANN's `internal`), and suffixes that routers and
/// companies use internally.
const LOCAL_ENDINGS: [&str; 10] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "home.arpa",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
];

/// Configuration of the URL policy.
#[derive(Debug, Clone, Default)]
pub struct PolicyConfig {
    /// Whether NAT64 addresses are checked by the IPv4 address that they contain.
    pub allow_nat64: bool,
    /// The operator's additional deny list.
    pub deny: Deny,
    /// Addresses of the server's own listeners.
    pub own_addresses: Vec<SocketAddr>,
}

impl PolicyConfig {
    /// Checks an address. The error is the class of the address.
    pub(crate) fn check(&self, address: IpAddr) -> Result<(), &'static str> {
        // A listener of the server may be bound to a public address. Its port is ignored, because a proxy in front of
        // the server may lead back from another port.
        if self.own_addresses.iter().any(|own| own.ip() == address) && !address.is_loopback() {
            return Err("own_listener");
        }
        classify_with(address, self.allow_nat64).map_err(crate::classify::AddressClass::as_str)?;
        if self.deny.holds(address) {
            return Err(OPERATOR);
        }
        Ok(())
    }
}

/// Checks a URL before any name lookup: scheme, user name, port, literal addresses, local names. Errors are
/// [`ErrorCode::BlockedAddress`] with the class as detail.
pub fn check_url(url: &Url, config: &PolicyConfig) -> Result<(), SourceError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(blocked("scheme", "only http and https addresses are fetched"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(blocked(
            "userinfo",
            "addresses with a user name in them are not fetched",
        ));
    }
    if !matches!(url.port_or_known_default(), Some(80 | 443)) {
        return Err(blocked("port", "only the ports 80 and 443 are fetched"));
    }
    match url.host() {
        Some(Host::Ipv4(address)) => literal(IpAddr::V4(address), config),
        Some(Host::Ipv6(address)) => literal(IpAddr::V6(address), config),
        Some(Host::Domain(name)) => {
            if is_local_name(name) {
                return Err(blocked("local_name", "names of local networks are not fetched"));
            }
            if config.deny.names(name) {
                return Err(blocked_class(OPERATOR));
            }
            Ok(())
        }
        None => Err(blocked("host", "the address names no host")),
    }
}

/// Returns whether a name belongs to a local network. A single label does, because resolvers complete it by search
/// rules.
pub(crate) fn is_local_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let ends = |ending: &str| {
        name.len() >= ending.len()
            && name
                .get(name.len() - ending.len()..)
                .is_some_and(|tail| tail.eq_ignore_ascii_case(ending))
            && (name.len() == ending.len()
                || name.as_bytes().get(name.len() - ending.len() - 1) == Some(&b'.'))
    };
    !name.contains('.') || LOCAL_ENDINGS.iter().any(|ending| ends(ending))
}

/// Returns whether a name fits the length limits of DNS (RFC 1035).
pub(crate) fn fits_dns(name: &str) -> bool {
    const NAME_LENGTH: usize = 253;
    const LABEL_LENGTH: usize = 63;
    let bare = name.strip_suffix('.').unwrap_or(name);
    bare.len() <= NAME_LENGTH
        && bare
            .split('.')
            .all(|label| !label.is_empty() && label.len() <= LABEL_LENGTH)
}

fn literal(address: IpAddr, config: &PolicyConfig) -> Result<(), SourceError> {
    config.check(address).map_err(blocked_class)
}

/// Creates the error for an address of this class. The error never contains the address, because the internal
/// addresses of a name must not be disclosed.
pub(crate) fn blocked_class(class: &'static str) -> SourceError {
    if class == OPERATOR {
        // The content of the list and the addresses of a name are visible to the operator only.
        return SourceError::new(
            ErrorCode::BlockedAddress,
            "the operator of this server does not allow this address",
        )
        .detail(class)
        .hint("use another source for it");
    }
    blocked(class, &format!("this address is not a public one ({class})"))
}

fn blocked(detail: &'static str, why: &str) -> SourceError {
    SourceError::new(ErrorCode::BlockedAddress, why)
        .detail(detail)
        .hint("give the address of a public web page")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Result<(), String> {
        verdict_with(text, &PolicyConfig::default())
    }

    /// Returns the error detail, or `parse` if the text is not a URL.
    fn verdict_with(text: &str, config: &PolicyConfig) -> Result<(), String> {
        let url = Url::parse(text).map_err(|_| "parse".to_owned())?;
        check_url(&url, config).map_err(|error| {
            assert_eq!(error.code, ErrorCode::BlockedAddress);
            assert_eq!(error.attempts, 0);
            error.detail.unwrap().into_owned()
        })
    }

    fn denied(expected: &str, urls: &[&str]) {
        for url in urls {
            assert_eq!(verdict(url), Err(expected.to_owned()), "{url}");
        }
    }

    #[test]
    fn c13_numbers_in_disguise_are_folded_then_denied() {
        denied(
            "loopback",
            &[
                "http://2130706433/",
                "http://0x7f000001/",
                "http://0177.0.0.1/",
                "http://127.1/",
                "http://127.0.1/",
                "http://0x7f.1/",
                "http://017700000001/",
            ],
        );
        denied(
            "parse",
            &["http://4294967297/", "http://256.1.1.1/", "http://1.2.3.4.5/"],
        );
    }

    #[test]
    fn c14_local_names_are_denied_before_dns() {
        denied("loopback", &["http://127.0.0.1./"]);
        denied(
            "local_name",
            &[
                "http://localhost./",
                "http://LOCALHOST/",
                "http://foo.localhost/",
                "http://ip6-localhost/",
                "http://printer.local/",
                "http://metadata.google.internal/",
                "http://nas.home.arpa/",
                "http://intranet/",
                "http://a.internal./",
            ],
        );
        assert_eq!(verdict("http://notlocal.example.org/"), Ok(()));
        assert_eq!(verdict("http://mylocal.org/"), Ok(()));
        assert_eq!(verdict("http://local.org/"), Ok(()));
        assert_eq!(verdict("http://xlocalhost.org./"), Ok(()));
    }

    #[test]
    fn c15_letters_in_disguise_are_normalised_first() {
        denied(
            "loopback",
            &[
                "http://①②⑦.⓪.⓪.①/",
                "http://１２７.０.０.１/",
                "http://127。0。0。1/",
                "http://127．0．0．1/",
                "http://127.0.0.\u{ad}1/",
            ],
        );
        denied(
            "local_name",
            &[
                "http://ｌｏｃａｌｈｏｓｔ/",
                "http://local\u{ad}host/",
                "http://foo。local/",
            ],
        );
    }

    #[test]
    fn c16_authority_tricks() {
        denied(
            "userinfo",
            &[
                "http://good.test@127.0.0.1/",
                "http://127.0.0.1:80@good.test/",
                "http://u:p@example.org/",
            ],
        );
        // The fragment begins before the at sign, so the host is good.test.
        let url = Url::parse("http://good.test#@127.0.0.1/").unwrap();
        assert_eq!(url.host_str(), Some("good.test"));
        denied(
            "loopback",
            &[
                "http:\\\\127.0.0.1\\@good.test/",
                "http://127.0\t.0.\n1/",
                "http:127.0.0.1/",
            ],
        );
    }

    #[test]
    fn c17_schemes() {
        denied(
            "scheme",
            &[
                "file:///etc/passwd",
                "ftp://example.org/",
                "gopher://example.org/",
                "data:text/html,x",
            ],
        );
        denied(
            "scheme",
            &[
                "javascript:alert(1)",
                "jar:http://example.org!/",
                "ws://example.org/",
            ],
        );
        denied("parse", &["", "//example.org/", "example.org"]);
        assert_eq!(verdict("HTTP://example.org/"), Ok(()));
    }

    #[test]
    fn c18_ports() {
        for port in ["0", "1", "22", "25", "6379", "8080", "11211"] {
            denied("port", &[&format!("http://example.org:{port}/")]);
        }
        denied(
            "parse",
            &[
                "http://example.org:65536/",
                "http://example.org:-1/",
                "http://example.org:80a/",
            ],
        );
        for fine in [
            "http://example.org:/",
            "http://example.org:80/",
            "https://example.org:80/",
            "http://example.org:443/",
        ] {
            assert_eq!(verdict(fine), Ok(()), "{fine}");
        }
    }

    #[test]
    fn c27_our_own_listener_is_no_target() {
        let config = PolicyConfig {
            own_addresses: vec!["8.8.4.4:443".parse().unwrap()],
            ..PolicyConfig::default()
        };
        assert_eq!(
            verdict_with("https://8.8.4.4/", &config),
            Err("own_listener".into())
        );
        assert_eq!(verdict_with("https://8.8.8.8/", &config), Ok(()));
        let local = PolicyConfig {
            own_addresses: vec!["[::1]:8787".parse().unwrap()],
            ..PolicyConfig::default()
        };
        assert_eq!(verdict_with("http://[::1]:8787/", &local), Err("port".into()));
        assert_eq!(verdict_with("http://[::1]/", &local), Err("loopback".into()));
    }

    #[test]
    fn what_the_operator_denies_is_no_target_either() {
        let config = PolicyConfig {
            deny: Deny::parse(&["8.8.0.0/16", "example.org", "*.corp.example"]).unwrap(),
            ..PolicyConfig::default()
        };
        for url in [
            "https://8.8.4.4/",
            "https://0x08080808/",
            "https://EXAMPLE.org./",
            "https://ｅxample.org/",
            "https://a.corp.example/",
        ] {
            assert_eq!(verdict_with(url, &config), Err("operator".into()), "{url}");
        }
        assert_eq!(verdict_with("https://8.9.4.4/", &config), Ok(()));
        assert_eq!(verdict_with("https://www.example.org/", &config), Ok(()));
        assert_eq!(config.check("8.8.1.1".parse().unwrap()), Err("operator"));
        assert_eq!(config.check("10.0.0.1".parse().unwrap()), Err("private"));
    }

    #[test]
    fn c30_addresses_inside_the_query_are_only_text() {
        assert_eq!(verdict("https://example.org/?next=http://127.0.0.1/"), Ok(()));
    }

    #[test]
    fn c32_brackets_and_zones() {
        denied(
            "parse",
            &[
                "http://[fe80::1%25lo]/",
                "http://[[::1]]/",
                "http://[::1/",
                "http://::1/",
            ],
        );
        denied("link_local", &["http://[fe80::1]/"]);
    }

    #[test]
    fn c33_the_text_says_the_class_and_no_address() {
        let error =
            check_url(&Url::parse("http://10.1.2.3/").unwrap(), &PolicyConfig::default()).unwrap_err();
        assert!(error.message.contains("private"));
        assert!(!error.message.contains("10.1"));
    }
}
