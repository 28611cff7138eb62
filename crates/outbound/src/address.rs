//! Classification of IP addresses: which ones belong to the public internet.
//!
//! The source is the registries of special-purpose addresses (RFC 6890 and its successors). An
//! address that embeds another one is rejected, because the embedded one can be anything. The
//! prefix of NAT64 is the only exception, because a machine without IPv4 reaches all of IPv4
//! through it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Well-known prefix of NAT64 (RFC 6052): the last 32 bits are the IPv4 address.
const NAT64: (u128, u32) = (0x0064_ff9b << 96, 96);

/// IPv4 networks that are not reachable over the public internet, or that address many hosts.
const NOT_GLOBAL_V4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // carrier-grade NAT
    ([127, 0, 0, 0], 8),     // loopback
    ([169, 254, 0, 0], 16),  // link-local
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 88, 99, 0], 24),  // relays of 6to4
    ([192, 168, 0, 0], 16),  // private
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, and broadcast
];

/// Range of IPv6 that is allocated for the public internet. Loopback, mapped IPv4, unique-local,
/// link-local, site-local and multicast addresses are outside.
const GLOBAL_V6: (u128, u32) = (0x2000 << 112, 3);

/// Special-purpose networks inside of this range.
const NOT_GLOBAL_V6: &[(u128, u32)] = &[
    (0x2001 << 112, 23),     // protocol assignments: Teredo, benchmarks, ORCHID
    (0x2001_0db8 << 96, 32), // documentation
    (0x2002 << 112, 16),     // 6to4, which wraps an IPv4 address
    (0x3fff << 112, 20),     // documentation
];

/// Returns `true` if a server on the public internet can have this address.
#[must_use]
pub fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_global_v4(address),
        IpAddr::V6(address) => is_global_v6(address),
    }
}

fn is_global_v4(address: Ipv4Addr) -> bool {
    let bits = u128::from(address.to_bits());
    let inside = |(network, length): &([u8; 4], u32)| {
        shares(bits, u128::from(u32::from_be_bytes(*network)), 32 - length)
    };
    !NOT_GLOBAL_V4.iter().any(inside)
}

fn is_global_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let inside = |(network, length): (u128, u32)| shares(bits, network, 128 - length);
    if inside(NAT64) {
        let [.., a, b, c, d] = address.octets();
        return is_global_v4(Ipv4Addr::new(a, b, c, d));
    }
    inside(GLOBAL_V6) && !NOT_GLOBAL_V6.iter().copied().any(inside)
}

/// Returns `true` if two addresses are equal except for the last `rest` bits.
const fn shares(address: u128, network: u128, rest: u32) -> bool {
    (address ^ network) >> rest == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn global(text: &str) -> bool {
        is_global(text.parse().unwrap())
    }

    #[test]
    fn global_addresses_are_accepted() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.215.14",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.1",
            "192.0.1.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860:4860::8888",
            "2001:200::1",
            "64:ff9b::808:808",
        ] {
            assert!(global(address), "{address}");
        }
    }

    #[test]
    fn special_purpose_addresses_are_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:8.8.8.8",
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b:1::808:808",
            "100::1",
            "2001::1",
            "2001:0:808:808::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!global(address), "{address}");
        }
    }
}
