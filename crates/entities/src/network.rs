//! Networks of IP addresses.

use std::{
    error::Error,
    fmt,
    net::{IpAddr, Ipv6Addr},
    str::FromStr,
};

/// Number of bits of an IPv4 address.
const V4_BITS: u8 = 32;
/// Number of bits of an IPv6 address.
const V6_BITS: u8 = 128;
/// Number of bits before the IPv4 address in an IPv6 address that stands for it.
const MAPPED_BITS: u8 = V6_BITS - V4_BITS;

/// All addresses with the same first bits. Each network has one form: the other bits are 0, and an
/// IPv4 network is never written as an IPv6 network.
///
/// ```
/// use siskin_entities::Network;
///
/// let network: Network = "192.0.2.7/24".parse().unwrap();
/// assert_eq!(network.to_string(), "192.0.2.0/24");
/// assert!(network.contains("192.0.2.99".parse().unwrap()));
/// assert!(network.contains("::ffff:192.0.2.99".parse().unwrap()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

/// Error: the text is neither an address nor a network such as `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidNetwork;

impl fmt::Display for InvalidNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be an address or a network such as 10.0.0.0/8")
    }
}

impl Error for InvalidNetwork {}

impl Network {
    /// Returns the network of an address with this number of bits. A number above the length of an
    /// address counts as that length.
    #[must_use]
    pub fn of(address: IpAddr, bits: u8) -> Self {
        match address {
            IpAddr::V4(address) => {
                let bits = bits.min(V4_BITS);
                let mask = u32::MAX.checked_shl(u32::from(V4_BITS - bits)).unwrap_or(0);
                Self { address: IpAddr::V4((address.to_bits() & mask).into()), bits }
            }
            IpAddr::V6(address) => match (address.to_ipv4_mapped(), bits) {
                (Some(mapped), MAPPED_BITS..) => Self::of(mapped.into(), bits - MAPPED_BITS),
                _ => Self::of_v6(address, bits.min(V6_BITS)),
            },
        }
    }

    fn of_v6(address: Ipv6Addr, bits: u8) -> Self {
        let mask = u128::MAX.checked_shl(u32::from(V6_BITS - bits)).unwrap_or(0);
        Self { address: IpAddr::V6((address.to_bits() & mask).into()), bits }
    }

    /// Returns the network that contains only this address.
    #[must_use]
    pub fn only(address: IpAddr) -> Self {
        Self::of(address, V6_BITS)
    }

    /// Returns all networks that contain an address, the smallest first.
    pub fn containing(address: IpAddr) -> impl Iterator<Item = Self> {
        let Self { address, bits } = Self::only(address);
        (0..=bits).rev().map(move |bits| Self::of(address, bits))
    }

    /// Returns `true` if the address belongs to the network.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.address.is_ipv4() && Self::of(address, self.bits) == self
    }

    /// Returns the first address.
    #[must_use]
    pub const fn address(self) -> IpAddr {
        self.address
    }

    /// Returns the number of bits that all addresses share.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.bits
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    /// Parses an address, or an address and a number of bits. The bits after them may have any
    /// value.
    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) if is_number(bits) => {
                (address, Some(bits.parse().map_err(|_| InvalidNetwork)?))
            }
            Some(_) => return Err(InvalidNetwork),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| InvalidNetwork)?;
        let longest = if address.is_ipv4() { V4_BITS } else { V6_BITS };
        let bits: u8 = bits.unwrap_or(longest);
        if bits <= longest { Ok(Self::of(address, bits)) } else { Err(InvalidNetwork) }
    }
}

/// Returns `true` for a number without a sign.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Network {
    /// Writes the first address and the number of bits, which [`FromStr`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Option<String> {
        text.parse::<Network>().ok().map(|network| network.to_string())
    }

    #[test]
    fn each_network_has_one_form() {
        for (typed, stored) in [
            ("192.0.2.1", "192.0.2.1/32"),
            ("192.0.2.255/24", "192.0.2.0/24"),
            ("255.255.255.255/0", "0.0.0.0/0"),
            ("2001:DB8::1", "2001:db8::1/128"),
            ("2001:db8:ffff::/36", "2001:db8:f000::/36"),
            ("ffff::/0", "::/0"),
            ("::ffff:192.0.2.1", "192.0.2.1/32"),
            ("::ffff:c000:201/120", "192.0.2.0/24"),
            ("::ffff:192.0.2.1/96", "0.0.0.0/0"),
            ("::ffff:192.0.2.1/95", "::fffe:0:0/95"),
        ] {
            assert_eq!(parsed(typed).as_deref(), Some(stored), "{typed}");
        }
    }

    #[test]
    fn texts_that_are_no_network_are_refused() {
        for wrong in [
            "",
            "x",
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/",
            "10.0.0.0/-1",
            "10.0.0.0/+8",
            "10.0.0",
            "10.0.0.0/8/8",
            "/8",
            " 10.0.0.1",
            "fe80::1%eth0",
            "10.0.0.0/999",
            "010.0.0.1",
        ] {
            assert_eq!(parsed(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn addresses_of_one_kind_are_not_in_networks_of_the_other() {
        let network = |text: &str| text.parse::<Network>().unwrap();
        assert!(!network("::/0").contains("192.0.2.1".parse().unwrap()));
        assert!(!network("::/0").contains("::ffff:192.0.2.1".parse().unwrap()));
        assert!(!network("0.0.0.0/0").contains("2001:db8::1".parse().unwrap()));
        assert!(network("0.0.0.0/0").contains("::ffff:192.0.2.1".parse().unwrap()));
    }

    fn addresses() -> impl Strategy<Value = IpAddr> {
        prop_oneof![
            any::<u32>().prop_map(|bits| IpAddr::V4(bits.into())),
            any::<u128>().prop_map(|bits| IpAddr::V6(bits.into()))
        ]
    }

    proptest! {
        #[test]
        fn a_network_is_read_as_it_is_written(address in addresses(), bits in 0..=128_u8) {
            let network = Network::of(address, bits);
            prop_assert_eq!(network.to_string().parse(), Ok(network));
            prop_assert!(network.contains(address));
            prop_assert!(network.contains(network.address()));
        }

        #[test]
        fn the_networks_of_an_address_are_those_that_contain_it(
            address in addresses(), other in addresses(), bits in 0..=128_u8
        ) {
            let network = Network::of(other, bits);
            let is_listed = Network::containing(address).any(|one| one == network);
            prop_assert_eq!(is_listed, network.contains(address));
        }
    }
}
