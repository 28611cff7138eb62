//! Addresses from which users signed up and signed in.
//!
//! An address is stored as 32 hexadecimal digits of its IPv6 form, so that a network is a range of
//! texts on both engines.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
};

use diesel::{prelude::*, upsert::excluded};
use siskin_entities::{Network, Timestamp, UsedIp};
use siskin_ids::AccountId;

use crate::{
    Conn, Error, Result, Tx, conn::each, equals_any::IdExpression as _, prepared::prepared_here,
    schema::account_ips,
};

/// Number of bits before the IPv4 address in the IPv6 address that stands for it.
const MAPPED_BITS: u8 = 96;
/// Maximum number of addresses that are kept for each account.
const KEPT: i64 = 20;

/// Records that a user signed up or signed in from an address. Keeps the addresses that were used
/// last. Does nothing if `ip` is no address.
pub(crate) fn record(tx: &mut Tx<'_>, account: AccountId, ip: &str) -> Result<()> {
    let Ok(ip) = ip.parse::<IpAddr>() else { return Ok(()) };
    let row = (
        account_ips::account_id.eq(account),
        account_ips::ip.eq(key(ip)),
        account_ips::used_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => prepared_here!(
        diesel::insert_into(account_ips::table)
            .values(row)
            .on_conflict((account_ips::account_id, account_ips::ip))
            .do_update()
            .set(account_ips::used_at.eq(excluded(account_ips::used_at)))
    )
    .execute(conn))?;
    drop_surplus(tx, account)
}

fn drop_surplus(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let surplus: Vec<String> = account_ips::table
        .filter(account_ips::account_id.eq(account))
        .order((account_ips::used_at.desc(), account_ips::ip))
        .offset(KEPT)
        .limit(KEPT)
        .select(account_ips::ip)
        .load(&mut **tx)?;
    for ip in surplus {
        diesel::delete(account_ips::table.find((account, ip))).execute(&mut **tx)?;
    }
    Ok(())
}

/// Loads the addresses of these accounts, the last used one first.
pub(super) fn load(
    conn: &mut Conn,
    accounts: &[AccountId],
) -> Result<HashMap<AccountId, Vec<UsedIp>>> {
    let mut rows: Vec<(AccountId, String, i64)> = account_ips::table
        .filter(account_ips::account_id.equals_any(accounts))
        .select((account_ips::account_id, account_ips::ip, account_ips::used_at))
        .load(conn)?;
    rows.sort_unstable_by(|(_, ip, used), (_, other_ip, other)| {
        other.cmp(used).then_with(|| ip.cmp(other_ip))
    });
    let mut found: HashMap<AccountId, Vec<UsedIp>> = HashMap::new();
    for (account, ip, used_at) in rows {
        let used = UsedIp { ip: from_key(&ip)?, used_at: Timestamp::from_unix_ms(used_at) };
        found.entry(account).or_default().push(used);
    }
    Ok(found)
}

/// Returns the stored forms of the first and the last address of a network.
pub(super) fn range(network: Network) -> (String, String) {
    let address = network.address();
    let bits = if address.is_ipv4() { MAPPED_BITS + network.bits() } else { network.bits() };
    let last = mapped(address).to_bits() | u128::MAX.checked_shr(bits.into()).unwrap_or(0);
    (key(address), format!("{last:032x}"))
}

/// Returns the stored form of an address.
fn key(ip: IpAddr) -> String {
    format!("{:032x}", mapped(ip).to_bits())
}

/// Returns the address as an IPv6 address.
const fn mapped(ip: IpAddr) -> Ipv6Addr {
    match ip {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    }
}

fn from_key(key: &str) -> Result<IpAddr> {
    let bits = u128::from_str_radix(key, 16).map_err(|_| Error::Damaged("account_ips.ip"))?;
    Ok(IpAddr::V6(Ipv6Addr::from_bits(bits)).to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_was_written() {
        for text in ["192.0.2.1", "0.0.0.0", "2001:db8::1", "::", "::1"] {
            let ip: IpAddr = text.parse().unwrap();
            assert_eq!(from_key(&key(ip)).unwrap(), ip, "{text}");
            assert_eq!(key(ip).len(), 32);
        }
        assert_eq!(key("::ffff:192.0.2.1".parse().unwrap()), key("192.0.2.1".parse().unwrap()));
        assert!(from_key("x").is_err());
    }

    #[test]
    fn a_network_is_a_range_of_texts() {
        for (network, first, last) in [
            ("192.0.2.0/24", "192.0.2.0", "192.0.2.255"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.7"),
            ("0.0.0.0/0", "0.0.0.0", "255.255.255.255"),
            ("2001:db8::/33", "2001:db8::", "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff"),
            ("::1/128", "::1", "::1"),
        ] {
            let ends = |text: &str| key(text.parse().unwrap());
            assert_eq!(range(network.parse().unwrap()), (ends(first), ends(last)), "{network}");
        }
    }
}
