//! Maps peer addresses to clients.

use std::net::IpAddr;

use ipnet::IpNet;

use super::rate::Client;
use freshcontext_config::HttpSettings;

/// Rules for peer addresses.
#[derive(Debug)]
pub(crate) struct Peers {
    /// Whether programs on this machine count as one client.
    loopback: bool,
    proxies: Vec<IpNet>,
}

impl Peers {
    pub(crate) fn new(settings: &HttpSettings) -> Self {
        Self {
            loopback: settings.limit_loopback,
            proxies: settings.proxies.clone(),
        }
    }

    /// Returns the client of a peer's requests and connections. `None` if the peer stands for many callers:
    /// the operator's proxies, and programs on this machine unless configured otherwise.
    pub(crate) fn client(&self, peer: IpAddr) -> Option<Client> {
        let peer = peer.to_canonical();
        let for_many = if peer.is_loopback() {
            !self.loopback
        } else {
            self.proxies.iter().any(|proxy| proxy.contains(&peer))
        };
        (!for_many).then(|| Client::of(peer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_and_proxies_speak_for_many() {
        let proxies = ["172.30.0.0/24", "2001:db8:7::/64"].map(|proxy| proxy.parse().unwrap());
        let settings = |limit_loopback| HttpSettings {
            limit_loopback,
            proxies: proxies.to_vec(),
            ..HttpSettings::default()
        };
        for (peer, counts, with_loopback) in [
            ("127.0.0.1", false, true),
            ("127.8.9.1", false, true),
            ("::1", false, true),
            ("::ffff:127.0.0.1", false, true),
            ("10.0.0.1", true, true),
            ("2001:db8::1", true, true),
            ("172.30.0.9", false, false),
            ("::ffff:172.30.0.9", false, false),
            ("172.30.1.9", true, true),
            ("2001:db8:7::9", false, false),
        ] {
            let address: IpAddr = peer.parse().unwrap();
            assert_eq!(
                Peers::new(&settings(false)).client(address).is_some(),
                counts,
                "{peer}"
            );
            assert_eq!(
                Peers::new(&settings(true)).client(address).is_some(),
                with_loopback,
                "{peer}"
            );
        }
    }
}
