//! Classification of IP addresses: only public addresses may be dialled, whatever their notation.
//!
//! The ranges are those of the IANA special-purpose registries
//! (<https://www.iana.org/assignments/iana-ipv4-special-registry>,
//! <https://www.iana.org/assignments/iana-ipv6-special-registry>), plus the metadata addresses that cloud providers
//! document.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Reason why an address may not be dialled.
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
    /// Carrier-grade NAT: shared by the customers of a carrier (RFC 6598).
    Cgnat,
    /// Valid on a single link only.
    LinkLocal,
    /// Cloud metadata services, which issue a machine's credentials.
    Metadata,
    /// `fc00::/7`.
    UniqueLocal,
    /// `fec0::/10`, the deprecated predecessor of unique local addresses.
    SiteLocal,
    /// Reserved for examples in documentation.
    Documentation,
    /// Reserved for benchmarks of network devices.
    Benchmark,
    /// Discard-only (RFC 6666).
    Discard,
    /// Reserved or unassigned.
    Reserved,
    /// Multicast groups.
    Multicast,
    /// Broadcast to every machine on a link.
    Broadcast,
    /// A public IPv4 address written as IPv6 (`::ffff:a.b.c.d`).
    V4Mapped,
    /// The deprecated form `::a.b.c.d`.
    V4Compatible,
    /// The stateless translation form `::ffff:0:a.b.c.d`.
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
    /// Returns the name of the class in error details.
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

/// Checks one address; NAT64 addresses are refused.
pub fn classify(address: IpAddr) -> Result<(), AddressClass> {
    classify_with(address, false)
}

/// Checks one address. With `allow_nat64`, an address of the well-known NAT64 prefix (RFC 6052) is checked by the
/// IPv4 address that it contains, for networks without IPv4.
pub fn classify_with(address: IpAddr, allow_nat64: bool) -> Result<(), AddressClass> {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => classify_v6(address, allow_nat64),
    }
}

/// IPv4 ranges with their prefix lengths. The first range that contains an address determines its class.
const V4: [(Ipv4Addr, u8, AddressClass); 24] = {
    use AddressClass as C;
    const fn v4(a: u8, b: u8, c: u8, d: u8) -> Ipv4Addr {
        Ipv4Addr::new(a, b, c, d)
    }
    [
        // Azure's wire server, Alibaba's metadata, the common metadata address, Amazon's for containers, Oracle's.
        (v4(168, 63, 129, 16), 32, C::Metadata),
        (v4(100, 100, 100, 200), 32, C::Metadata),
        (v4(169, 254, 169, 254), 32, C::Metadata),
        (v4(169, 254, 170, 2), 32, C::Metadata),
        (v4(192, 0, 0, 192), 32, C::Metadata),
        (v4(0, 0, 0, 0), 8, C::ThisNetwork),
        (v4(127, 0, 0, 0), 8, C::Loopback),
        (v4(10, 0, 0, 0), 8, C::Private),
        (v4(172, 16, 0, 0), 12, C::Private),
        (v4(192, 168, 0, 0), 16, C::Private),
        (v4(100, 64, 0, 0), 10, C::Cgnat),
        (v4(169, 254, 0, 0), 16, C::LinkLocal),
        (v4(192, 0, 2, 0), 24, C::Documentation),
        (v4(198, 51, 100, 0), 24, C::Documentation),
        (v4(203, 0, 113, 0), 24, C::Documentation),
        (v4(198, 18, 0, 0), 15, C::Benchmark),
        // Protocol assignments (DS-Lite, PCP and TURN anycast), AS112, AMT, and the 6to4 relays.
        (v4(192, 0, 0, 0), 24, C::Reserved),
        (v4(192, 31, 196, 0), 24, C::Reserved),
        (v4(192, 52, 193, 0), 24, C::Reserved),
        (v4(192, 88, 99, 0), 24, C::Reserved),
        (v4(192, 175, 48, 0), 24, C::Reserved),
        (v4(255, 255, 255, 255), 32, C::Broadcast),
        (v4(224, 0, 0, 0), 4, C::Multicast),
        (v4(240, 0, 0, 0), 4, C::Reserved),
    ]
};

/// IPv6 ranges with their prefix lengths. The first range that contains an address determines its class. An address
/// outside [`GLOBAL`] is always refused, listed or not.
const V6: [(Ipv6Addr, u8, AddressClass); 22] = {
    use AddressClass as C;
    const fn v6(a: u16, b: u16, c: u16, d: u16) -> Ipv6Addr {
        Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)
    }
    [
        (Ipv6Addr::UNSPECIFIED, 128, C::Unspecified),
        (Ipv6Addr::LOCALHOST, 128, C::Loopback),
        (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, C::V4Mapped),
        (Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0), 96, C::V4Translated),
        (Ipv6Addr::UNSPECIFIED, 96, C::V4Compatible),
        // The well-known prefix 64:ff9b::/96, and 64:ff9b:1::/48 for local translators (RFC 8215). The surrounding
        // ranges are reserved, and a translator may answer there.
        (v6(0x64, 0xff9b, 0, 0), 32, C::Nat64),
        // 100::/64 (RFC 6666) and the dummy prefix 100:0:0:1::/64 (RFC 9780).
        (v6(0x100, 0, 0, 0), 63, C::Discard),
        (v6(0x2001, 0, 0, 0), 32, C::Teredo),
        (v6(0x2001, 2, 0, 0), 48, C::Benchmark),
        // ORCHID (2001:10::/28), ORCHIDv2 (2001:20::/28), DRIP (2001:30::/28), AMT, AS112 and anycast.
        (v6(0x2001, 0, 0, 0), 23, C::Reserved),
        (v6(0x2001, 0xdb8, 0, 0), 32, C::Documentation),
        (v6(0x2002, 0, 0, 0), 16, C::SixToFour),
        // AS112.
        (v6(0x2620, 0x4f, 0x8000, 0), 48, C::Reserved),
        // The former 6bone, returned to IANA (RFC 3701).
        (v6(0x3ffe, 0, 0, 0), 16, C::Reserved),
        (v6(0x3fff, 0, 0, 0), 20, C::Documentation),
        // Segment routing (RFC 9602).
        (v6(0x5f00, 0, 0, 0), 16, C::Reserved),
        // Amazon's and Google's metadata.
        (v6(0xfd00, 0x0ec2, 0, 0), 32, C::Metadata),
        (v6(0xfd20, 0x00ce, 0, 0), 32, C::Metadata),
        (v6(0xfc00, 0, 0, 0), 7, C::UniqueLocal),
        (v6(0xfe80, 0, 0, 0), 10, C::LinkLocal),
        (v6(0xfec0, 0, 0, 0), 10, C::SiteLocal),
        (v6(0xff00, 0, 0, 0), 8, C::Multicast),
    ]
};

/// The only block that IANA has assigned to global unicast: 2000::/3.
const GLOBAL: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

fn classify_v4(address: Ipv4Addr) -> Result<(), AddressClass> {
    let holds = |(start, bits, _): &&(Ipv4Addr, u8, AddressClass)| {
        let differs = address.to_bits() ^ start.to_bits();
        differs.checked_shr(32 - u32::from(*bits)).unwrap_or(0) == 0
    };
    V4.iter().find(holds).map_or(Ok(()), |(_, _, class)| Err(*class))
}

fn classify_v6(address: Ipv6Addr, allow_nat64: bool) -> Result<(), AddressClass> {
    use AddressClass as C;
    let is_in = |start: &Ipv6Addr, bits: u8| {
        let differs = address.to_bits() ^ start.to_bits();
        differs.checked_shr(128 - u32::from(bits)).unwrap_or(0) == 0
    };
    let [.., a, b, c, d] = address.octets();
    let inner = || classify_v4(Ipv4Addr::new(a, b, c, d));
    let is_well_known_nat64 = matches!(address.segments(), [0x64, 0xff9b, 0, 0, 0, 0, ..]);
    // Interface identifier of ISATAP (RFC 5214): `0:5efe` or `200:5efe`, then an IPv4 address.
    let is_isatap = matches!(address.segments(), [_, _, _, _, 0 | 0x0200, 0x5efe, ..]);
    match V6.iter().find(|(start, bits, _)| is_in(start, *bits)) {
        Some((_, _, C::Nat64)) if allow_nat64 && is_well_known_nat64 => inner(),
        Some((_, _, C::V4Mapped)) => Err(inner().err().unwrap_or(C::V4Mapped)),
        Some((_, _, C::Reserved)) | None if is_isatap => Err(C::Isatap),
        Some((_, _, class)) => Err(*class),
        None if is_in(&GLOBAL.0, GLOBAL.1) => Ok(()),
        None => Err(C::Reserved),
    }
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
        all_are("discard", &["100:0:0:1::1"]);
        all_are(
            "reserved",
            &[
                "192.0.0.1",
                "192.88.99.1",
                "192.31.196.1",
                "192.52.193.1",
                "192.175.48.1",
                "5f00::1",
                "2001:1::1",
                "2001:10::1",
                "2001:20::1",
                "2001:30::1",
                "2001:1ff:ffff::1",
                "100:0:0:2::1",
                "2620:4f:8000::1",
                "3ffe::1",
                "1::1",
                "4000::1",
                "::1:0:0:0:1",
            ],
        );
        all_pass(&["2001:200::1", "2003::1", "2620:4f:8001::1"]);
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
        // All of 64:ff9b::/32 is refused, and the adjacent ranges too.
        all_are(
            "nat64",
            &[
                "64:ff9b:0:1::7f00:1",
                "64:ff9b:2::7f00:1",
                "64:ff9b:ffff:ffff:ffff:ffff:ffff:ffff",
                "64:ff9b::1:0:7f00:1",
            ],
        );
        all_are("reserved", &["64:ff9c::1", "64:ff9a::7f00:1", "64::1"]);
        let with = |text: &str| classify_with(text.parse().unwrap(), true);
        assert_eq!(with("64:ff9b::808:808"), Ok(()));
        assert_eq!(with("64:ff9b::7f00:1"), Err(AddressClass::Loopback));
        assert_eq!(with("64:ff9b::a00:1"), Err(AddressClass::Private));
        assert_eq!(with("64:ff9b:1::a00:1"), Err(AddressClass::Nat64));
        assert_eq!(with("64:ff9b:0:1::808:808"), Err(AddressClass::Nat64));
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
        /// A denied IPv4 address stays denied in every IPv6 wrapping.
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

        /// Every address outside 2000::/3 is refused.
        #[test]
        fn only_given_out_ranges_pass(bits: u128) {
            let v6 = Ipv6Addr::from(bits);
            let first = v6.segments()[0];
            if classify(IpAddr::V6(v6)).is_ok() {
                prop_assert!((0x2000..=0x3fff).contains(&first));
            }
        }

        /// An address that passes is global according to another classifier of the same registries, near the edges of
        /// every range.
        #[test]
        fn another_classifier_agrees(bits: u128, row in 0..V6.len(), v4: u32, row4 in 0..V4.len(), low in 0..4u32) {
            let (start, length, _) = V6[row];
            let edge = start.to_bits() | (bits & (u128::MAX.checked_shr(u32::from(length)).unwrap_or(0)));
            let below = start.to_bits().wrapping_sub(u128::from(low));
            for bits in [bits, edge, below] {
                let address = Ipv6Addr::from_bits(bits);
                if classify(IpAddr::V6(address)).is_ok() {
                    prop_assert!(ip_rfc::global_v6(&address), "{}", address);
                }
            }
            let (start, length, _) = V4[row4];
            let edge = start.to_bits() | (v4 & (u32::MAX.checked_shr(u32::from(length)).unwrap_or(0)));
            let below = start.to_bits().wrapping_sub(low);
            for bits in [v4, edge, below] {
                let address = Ipv4Addr::from_bits(bits);
                if classify(IpAddr::V4(address)).is_ok() {
                    prop_assert!(ip_rfc::global_v4(&address), "{}", address);
                }
            }
        }

        /// Compares the URL parser with the standard library's parser: both read the same address from the same text.
        #[test]
        fn another_parser_agrees(bits: u128, v4: u32, zeros in 0..8u32) {
            use freshcontext_contract::url::{Host, Url};
            let bits = bits & (u128::MAX.checked_shl(zeros * 16).unwrap_or(0) | 0xffff_ffff);
            let v6 = Ipv6Addr::from_bits(bits);
            let four = Ipv4Addr::from_bits(v4);
            for text in [v6.to_string(), format!("{:x}:{:x}::{four}", v6.segments()[0], v6.segments()[1])] {
                let url = Url::parse(&format!("http://[{text}]/")).unwrap();
                prop_assert_eq!(url.host(), Some(Host::Ipv6(text.parse().unwrap())));
            }
        }
    }
}
