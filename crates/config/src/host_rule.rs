//! Which values of the Host header are answered.

use std::net::IpAddr;

use ipnet::IpNet;

/// An entry of `http.allowed_hosts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostRule {
    /// One name or address; without a port, any port.
    Exact(String, Option<u16>),
    /// Every name below a domain, and not the domain itself: `*.example.com`, at any port.
    Below(String),
    /// Every address of a network, at any port.
    Network(IpNet),
}

impl HostRule {
    /// Reads an entry.
    ///
    /// # Errors
    /// What the entry must be, for an entry that no Host could match.
    pub fn parse(entry: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "must hold names (`mcp.example.com`, `mcp.example.com:8443`), `*.example.com`, addresses or networks \
                 such as 10.0.0.0/8 (`{entry}` is none)"
            )
        };
        if let Some(domain) = entry.strip_prefix("*.") {
            let (domain, port) = authority(domain).ok_or_else(wrong)?;
            let is_name = port.is_none() && !domain.contains('*') && domain.parse::<IpAddr>().is_err();
            return is_name.then_some(Self::Below(domain)).ok_or_else(wrong);
        }
        if let Ok(network) = entry.parse::<IpNet>() {
            return Ok(Self::Network(network.trunc()));
        }
        let (host, port) = authority(entry).ok_or_else(wrong)?;
        if host.contains('*') {
            return Err(wrong());
        }
        Ok(Self::Exact(host, port))
    }

    /// Returns whether a host, in lower case and without brackets, is meant by this entry.
    pub fn admits(&self, host: &str, port: Option<u16>) -> bool {
        match self {
            Self::Exact(known, fixed) => known == host && (fixed.is_none() || *fixed == port),
            Self::Below(domain) => host
                .strip_suffix(domain.as_str())
                .and_then(|name| name.strip_suffix('.'))
                .is_some_and(|name| !name.is_empty() && !name.starts_with('.')),
            Self::Network(network) => host
                .parse::<IpAddr>()
                .is_ok_and(|address| network.contains(&address.to_canonical())),
        }
    }
}

impl std::fmt::Display for HostRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(host, None) => f.write_str(host),
            Self::Exact(host, Some(port)) if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Exact(host, Some(port)) => write!(f, "{host}:{port}"),
            Self::Below(domain) => write!(f, "*.{domain}"),
            Self::Network(network) => write!(f, "{network}"),
        }
    }
}

/// Parses host and port of an authority; the host in lower case without brackets. `None` for user names,
/// invalid ports and paths.
pub fn authority(text: &str) -> Option<(String, Option<u16>)> {
    let text = text.trim();
    if text.is_empty()
        || text.contains(['@', '/', '?', '#', '\\', ','])
        || text.chars().any(char::is_whitespace)
    {
        return None;
    }
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some((address.to_string(), None));
    }
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        (
            host.parse::<IpAddr>().ok()?.to_string(),
            if rest.is_empty() {
                None
            } else {
                Some(rest.strip_prefix(':')?)
            },
        )
    } else {
        match text.split_once(':') {
            Some((host, port)) => (host.to_ascii_lowercase(), Some(port)),
            None => (text.to_ascii_lowercase(), None),
        }
    };
    if host.is_empty() {
        return None;
    }
    let port = match port {
        None => None,
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(port.parse().ok().filter(|port| *port > 0)?)
        }
        Some(_) => return None,
    };
    Some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_admits_what_it_names_and_nothing_else() {
        for (entry, host, admitted) in [
            ("mcp.example.com", "mcp.example.com:9", true),
            ("mcp.example.com", "x.mcp.example.com", false),
            ("mcp.example.com:8443", "mcp.example.com:8443", true),
            ("mcp.example.com:8443", "mcp.example.com", false),
            ("*.Example.com", "a.example.com", true),
            ("*.example.com", "a.b.example.com:80", true),
            ("*.example.com", "example.com", false),
            ("*.example.com", ".example.com", false),
            ("*.example.com", "evilexample.com", false),
            ("*.example.com", "a.example.com.evil.test", false),
            ("10.0.0.0/8", "10.2.3.4:8787", true),
            ("10.0.0.7/8", "10.2.3.4", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "[::ffff:10.1.2.3]:80", true),
            ("10.0.0.0/8", "10.0.0.1.evil.test", false),
            ("2001:db8::/32", "[2001:db8::5]:80", true),
        ] {
            let rule = HostRule::parse(entry).unwrap();
            let (host, port) = authority(host).unwrap();
            assert_eq!(rule.admits(&host, port), admitted, "{entry} {host}");
            assert_eq!(HostRule::parse(&rule.to_string()), Ok(rule));
        }
    }

    #[test]
    fn an_entry_that_nothing_could_match_is_refused() {
        for entry in [
            "*",
            "*.",
            "*.*.example.com",
            "mcp.*.com",
            "*.10.0.0.1",
            "*.example.com:80",
            "10.0.0.0/40",
            "https://mcp.example.com",
            "a b",
            "",
            "host:0",
            "user@host",
        ] {
            let problem = HostRule::parse(entry).unwrap_err();
            assert!(problem.contains("*.example.com"), "{entry}: {problem}");
        }
    }
}
