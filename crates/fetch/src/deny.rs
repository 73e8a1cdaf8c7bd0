//! The operator's own deny list, in addition to the built-in one.

use std::net::IpAddr;

use freshcontext_contract::url::Host;
use ipnet::IpNet;

use crate::config_error::ConfigError;

/// Networks and names that the operator denies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deny {
    networks: Vec<IpNet>,
    names: Vec<String>,
    /// Suffixes with their leading dot: `.example.com`.
    suffixes: Vec<String>,
}

impl Deny {
    /// Parses entries: an address (`192.0.2.1`, `2001:db8::1`), a network (`192.0.2.0/24`), a host name
    /// (`example.com`), or all names below one (`*.example.com`, which excludes `example.com` itself). The error
    /// names the entry.
    pub fn parse<T: AsRef<str>>(entries: &[T]) -> Result<Self, ConfigError> {
        let mut deny = Self::default();
        for entry in entries {
            deny.add(entry.as_ref().trim())?;
        }
        Ok(deny)
    }

    fn add(&mut self, entry: &str) -> Result<(), ConfigError> {
        let wrong = || {
            ConfigError(format!(
                "`{entry}` is none of: an address (192.0.2.1), a network (192.0.2.0/24), a host's name (example.com), all \
                 names below one (*.example.com)"
            ))
        };
        if entry.contains('/') {
            let network: IpNet = entry.parse().map_err(|_| wrong())?;
            self.networks.push(network.trunc());
            return Ok(());
        }
        let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Ok(address) = bare.unwrap_or(entry).parse::<IpAddr>() {
            self.networks.push(IpNet::from(address));
            return Ok(());
        }
        let (name, below) = match entry.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (entry, false),
        };
        // Parsed like the host of a URL, so that both are compared in the same form.
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        let right = !name.is_empty() && !name.starts_with('.') && name.chars().all(plain);
        match Host::parse(name) {
            Ok(Host::Domain(name)) if right => {
                let name = name.trim_end_matches('.');
                if below {
                    self.suffixes.push(format!(".{name}"));
                } else {
                    self.names.push(name.to_owned());
                }
                Ok(())
            }
            Ok(Host::Ipv4(address)) if right && !below => {
                self.networks.push(IpNet::from(IpAddr::V4(address)));
                Ok(())
            }
            _ => Err(wrong()),
        }
    }

    /// Returns whether a name is denied. `name` is the host of a URL: in lower case, with punycode.
    pub(crate) fn names(&self, name: &str) -> bool {
        let name = name.trim_end_matches('.');
        self.names.iter().any(|denied| denied == name)
            || self.suffixes.iter().any(|suffix| name.ends_with(suffix.as_str()))
    }

    /// Returns whether an address is denied, including an IPv4 address inside an IPv6 address.
    pub(crate) fn holds(&self, address: IpAddr) -> bool {
        if self.networks.is_empty() {
            return false;
        }
        let within = match address {
            IpAddr::V6(address) => {
                let [.., a, b, c, d] = address.octets();
                let embeds = matches!(
                    address.segments(),
                    [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..]
                );
                embeds.then(|| IpAddr::from([a, b, c, d]))
            }
            IpAddr::V4(_) => None,
        };
        self.networks.iter().any(|network| {
            network.contains(&address) || within.is_some_and(|within| network.contains(&within))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deny(entries: &[&str]) -> Deny {
        Deny::parse(entries).unwrap()
    }

    #[test]
    fn names_addresses_and_networks_are_held_by_what_they_are() {
        let list = deny(&[
            "Example.COM.",
            "*.corp.example",
            "b\u{fc}cher.example",
            "198.35.26.0/23",
            "8.8.8.8",
            "[2606:4700::1111]",
            "2a00::/16",
            "0x08080404",
        ]);
        for name in [
            "example.com",
            "example.com.",
            "a.corp.example",
            "a.b.corp.example",
            "xn--bcher-kva.example",
        ] {
            assert!(list.names(name), "{name}");
        }
        for name in [
            "www.example.com",
            "corp.example",
            "xcorp.example",
            "example.com.org",
        ] {
            assert!(!list.names(name), "{name}");
        }
        for address in [
            "198.35.26.1",
            "198.35.27.255",
            "8.8.8.8",
            "8.8.4.4",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(list.holds(address.parse().unwrap()), "{address}");
        }
        for address in ["198.35.28.1", "8.8.8.9", "2606:4700::1112", "2a01::1"] {
            assert!(!list.holds(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn an_entry_that_is_nothing_of_the_kind_is_named() {
        for bad in [
            "",
            "*",
            "*.",
            ".example.com",
            "a.*.com",
            "http://example.com",
            "example.com:80",
            "192.0.2.0/33",
            "2001:db8::/129",
            "192.0.2.0/",
            "*.192.0.2.1",
            "a b",
            "user@example.com",
        ] {
            let error = Deny::parse(&["example.org", bad]).unwrap_err().to_string();
            assert!(
                error.contains(&format!("`{bad}`")) && error.contains("192.0.2.0/24"),
                "{error}"
            );
        }
    }
}
