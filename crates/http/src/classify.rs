//! Which addresses may be dialled: public ones, by what they are and not by how they are written.
//!
//! Ranges are those of the IANA special-purpose registries (<https://www.iana.org/assignments/iana-ipv4-special-registry>,
//! <https://www.iana.org/assignments/iana-ipv6-special-registry>), plus the metadata addresses that
//! cloud providers document.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address may not be dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressClass {
    /// This machine.
    Loopback,
    /// `0.0.0.0/8`.
    ThisNetwork,
    /// `::`.
    Unspecified,
    /// RFC 1918.
    Private,
    /// Shared by a carrier's customers (RFC 6598).
    Cgnat,
    /// Of one link only.
    LinkLocal,
    /// Where clouds hand out their machines' credentials.
    Metadata,
    /// `fc00::/7`.
    UniqueLocal,
    /// `fec0::/10`, the deprecated predecessor.
    SiteLocal,
    /// For examples in texts.
    Documentation,
    /// For benchmarks of network devices.
    Benchmark,
    /// Discards what it is sent (RFC 6666).
    Discard,
    /// Set aside or never given out.
    Reserved,
    /// Groups of machines.
    Multicast,
    /// Every machine of a link.
    Broadcast,
    /// A public IPv4 address written as IPv6 (`::ffff:a.b.c.d`).
    V4Mapped,
    /// The deprecated form `::a.b.c.d`.
    V4Compatible,
    /// The translators' form `::ffff:0:a.b.c.d`.
    V4Translated,
    /// An IPv4 address behind a NAT64 gateway.
    Nat64,
    /// An IPv4 address behind 6to4.
    SixToFour,
    /// An IPv4 address behind Teredo.
    Teredo,
    /// An IPv4 address behind ISATAP.
    Isatap,
}

impl AddressClass {
    /// The class as it appears in errors.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Loopback => "loopback",
            Self::ThisNetwork => "this_network",
            Self::Unspecified => "unspecified",
            Self::Private => "private",
            Self::Cgnat => "cgnat",
            Self::LinkLocal => "link_local",
            Self::Metadata => "metadata",
            Self::UniqueLocal => "unique_local",
            Self::SiteLocal => "site_local",
            Self::Documentation => "documentation",
            Self::Benchmark => "benchmark",
            Self::Discard => "discard",
            Self::Reserved => "reserved",
            Self::Multicast => "multicast",
            Self::Broadcast => "broadcast",
            Self::V4Mapped => "v4_mapped",
            Self::V4Compatible => "v4_compatible",
            Self::V4Translated => "v4_translated",
            Self::Nat64 => "nat64",
            Self::SixToFour => "6to4",
            Self::Teredo => "teredo",
            Self::Isatap => "isatap",
        }
    }
}

impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Judges one address; NAT64 addresses are refused.
pub fn classify(address: IpAddr) -> Result<(), AddressClass> {
    classify_with(address, false)
}

/// Judges one address. With `allow_nat64`, an address of the well-known NAT64 prefix (RFC 6052) is
/// judged by the IPv4 address inside, for networks that have no IPv4 of their own.
pub fn classify_with(address: IpAddr, allow_nat64: bool) -> Result<(), AddressClass> {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => classify_v6(address, allow_nat64),
    }
}

fn classify_v4(address: Ipv4Addr) -> Result<(), AddressClass> {
    use AddressClass as C;
    let class = match address.octets() {
        // Azure's wire server, Alibaba's metadata, the common one, Amazon's for containers, Oracle's.
        [168, 63, 129, 16]
        | [100, 100, 100, 200]
        | [169, 254, 169, 254]
        | [169, 254, 170, 2]
        | [192, 0, 0, 192] => C::Metadata,
        [0, ..] => C::ThisNetwork,
        [127, ..] => C::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => C::Private,
        [100, 64..=127, ..] => C::Cgnat,
        [169, 254, ..] => C::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => C::Documentation,
        [198, 18..=19, ..] => C::Benchmark,
        [224..=239, ..] => C::Multicast,
        [255, 255, 255, 255] => C::Broadcast,
        [192, 0, 0, _] | [192, 88, 99, _] | [240..=255, ..] => C::Reserved,
        _ => return Ok(()),
    };
    Err(class)
}

fn classify_v6(address: Ipv6Addr, allow_nat64: bool) -> Result<(), AddressClass> {
    use AddressClass as C;
    let inner = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    let class = match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => C::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => C::Loopback,
        [0, 0, 0, 0, 0, 0xffff, high, low] => classify_v4(inner(high, low)).err().unwrap_or(C::V4Mapped),
        [0, 0, 0, 0, 0xffff, 0, ..] => C::V4Translated,
        [0, 0, 0, 0, 0, 0, ..] => C::V4Compatible,
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] if allow_nat64 => return classify_v4(inner(high, low)),
        // RFC 8215: each network's own translators live here, so what is behind is unknown.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] | [0x64, 0xff9b, 1, ..] => C::Nat64,
        [0x100, 0, 0, 0 | 1, ..] => C::Discard,
        [0x2001, 0, ..] => C::Teredo,
        [0x2001, 2, 0, ..] => C::Benchmark,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0x0fff, ..] => C::Documentation,
        [0x2001, 0..=0x01ff, ..] => C::Reserved,
        [0x2002, ..] => C::SixToFour,
        [0xfd00, 0x0ec2, ..] | [0xfd20, 0x00ce, ..] => C::Metadata,
        [0xfc00..=0xfdff, ..] => C::UniqueLocal,
        [0xfe80..=0xfebf, ..] => C::LinkLocal,
        [0xfec0..=0xfeff, ..] => C::SiteLocal,
        [0xff00..=0xffff, ..] => C::Multicast,
        // The interface part of ISATAP (RFC 5214): `0:5efe` or `200:5efe`, then an IPv4 address.
        [_, _, _, _, 0 | 0x0200, 0x5efe, ..] => C::Isatap,
        [0x64 | 0x2000..=0x3fff, ..] => return Ok(()),
        // Only 2000::/3 has been given out as global unicast.
        _ => C::Reserved,
    };
    Err(class)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn class(text: &str) -> Option<&'static str> {
        classify(text.parse().unwrap()).err().map(AddressClass::as_str)
    }

    fn all_are(expected: &str, addresses: &[&str]) {
        for address in addresses {
            assert_eq!(class(address), Some(expected), "{address}");
        }
    }

    fn all_pass(addresses: &[&str]) {
        for address in addresses {
            assert_eq!(class(address), None, "{address}");
        }
    }

    #[test]
    fn c01_loopback() {
        all_are("loopback", &["127.0.0.1", "127.0.1.1", "127.255.255.255", "::1"]);
    }

    #[test]
    fn c02_this_network_and_unspecified() {
        all_are("this_network", &["0.0.0.0", "0.1.2.3"]);
        all_are("unspecified", &["::"]);
    }

    #[test]
    fn c03_private_and_its_edges() {
        all_are(
            "private",
            &["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1"],
        );
        all_pass(&[
            "172.15.255.255",
            "172.32.0.1",
            "9.255.255.255",
            "11.0.0.0",
            "192.167.255.255",
            "192.169.0.1",
        ]);
    }

    #[test]
    fn c04_carrier_grade_nat_and_its_edges() {
        all_are("cgnat", &["100.64.0.1", "100.127.255.254"]);
        all_pass(&["100.63.255.254", "100.128.0.1"]);
    }

    #[test]
    fn c05_link_local_and_metadata() {
        all_are("link_local", &["169.254.0.1", "fe80::1", "fe81::1", "febf::1"]);
        all_are(
            "metadata",
            &[
                "169.254.169.254",
                "fd00:ec2::254",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192",
            ],
        );
    }

    #[test]
    fn c06_unique_and_site_local_by_range() {
        all_are("unique_local", &["fc00::1", "fc12::1", "fd00::1", "fdff:ffff::1"]);
        all_are("site_local", &["fec0::1", "feff::1"]);
    }

    #[test]
    fn c07_reserved_documentation_benchmark_discard() {
        all_are(
            "documentation",
            &[
                "192.0.2.1",
                "198.51.100.1",
                "203.0.113.1",
                "2001:db8::1",
                "3fff::1",
                "3fff:fff::1",
            ],
        );
        all_are("benchmark", &["198.18.0.1", "198.19.255.255", "2001:2::1"]);
        all_are("discard", &["100::1"]);
        all_are("reserved", &["192.0.0.1", "192.88.99.1", "5f00::1", "2001:20::1"]);
    }

    #[test]
    fn c08_multicast_reserved_broadcast() {
        all_are("multicast", &["224.0.0.1", "239.255.255.250", "ff02::1"]);
        all_are("reserved", &["240.0.0.1", "255.255.255.254"]);
        all_are("broadcast", &["255.255.255.255"]);
    }

    #[test]
    fn c09_ipv4_inside_ipv6() {
        all_are("loopback", &["::ffff:127.0.0.1", "::ffff:7f00:1"]);
        all_are("private", &["0:0:0:0:0:ffff:10.0.0.1"]);
        all_are("v4_compatible", &["::127.0.0.1", "::8.8.8.8"]);
        all_are("v4_translated", &["::ffff:0:10.0.0.1"]);
        all_are("v4_mapped", &["::ffff:8.8.8.8"]);
    }

    #[test]
    fn c10_nat64_with_and_without_leave() {
        all_are(
            "nat64",
            &["64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1"],
        );
        all_pass(&["64:ff9c::1"]);
        let with = |text: &str| classify_with(text.parse().unwrap(), true);
        assert_eq!(with("64:ff9b::808:808"), Ok(()));
        assert_eq!(with("64:ff9b::7f00:1"), Err(AddressClass::Loopback));
        assert_eq!(with("64:ff9b::a00:1"), Err(AddressClass::Private));
        assert_eq!(with("64:ff9b:1::a00:1"), Err(AddressClass::Nat64));
    }

    #[test]
    fn c11_tunnels() {
        all_are("6to4", &["2002:7f00:1::", "2002:808:808::1"]);
        all_are("teredo", &["2001:0:4136:e378:8000:63bf:3fff:fdd2"]);
        all_are(
            "isatap",
            &["2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:10.0.0.1"],
        );
        assert_eq!(class("::5efe:10.0.0.1"), Some("isatap"));
        assert_eq!(class("fe80::5efe:10.0.0.1"), Some("link_local"));
    }

    #[test]
    fn c12_public_addresses_pass() {
        all_pass(&[
            "8.8.8.8",
            "1.1.1.1",
            "2606:4700:4700::1111",
            "2001:4860:4860::8888",
            "2a00:1450::1",
        ]);
    }

    proptest! {
        /// However an IPv4 address is wrapped, a denied one stays denied.
        #[test]
        fn wrapping_never_frees_a_denied_address(bits: u32) {
            let v4 = Ipv4Addr::from(bits);
            prop_assert!(classify(IpAddr::V6(v4.to_ipv6_mapped())).is_err());
            if let Err(class) = classify(IpAddr::V4(v4)) {
                let [a, b, c, d] = v4.octets();
                let word = |x: u8, y: u8| u16::from_be_bytes([x, y]);
                let nat64 = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, word(a, b), word(c, d));
                prop_assert_eq!(classify_with(IpAddr::V6(nat64), true), Err(class));
                let six = Ipv6Addr::new(0x2002, word(a, b), word(c, d), 0, 0, 0, 0, 1);
                prop_assert!(classify_with(IpAddr::V6(six), true).is_err());
            }
        }

        /// Outside 2000::/3 and 64::/16 nothing passes.
        #[test]
        fn only_given_out_ranges_pass(bits: u128) {
            let v6 = Ipv6Addr::from(bits);
            let first = v6.segments()[0];
            if classify(IpAddr::V6(v6)).is_ok() {
                prop_assert!(first == 0x64 || (0x2000..=0x3fff).contains(&first));
            }
        }
    }
}
