//! Addresses that forward requests but are not trusted proxies: most likely a proxy that the
//! operator forgot to configure. The server records them for the operator.

use std::{collections::BTreeMap, net::IpAddr, time::Duration};

use siskin_entities::Timestamp;
use siskin_persistence::{Conn, Tx, secrets};

use crate::{Error, Result};

/// Key under which the addresses are stored.
const UNTRUSTED: &str = "untrusted_proxies";
/// Maximum number of recorded addresses. There must be a limit, because every client can send the
/// header.
pub const MOST_UNTRUSTED: usize = 16;
/// Maximum age of a recorded address.
const RECENT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Last time of each address, in milliseconds.
type Noted = BTreeMap<IpAddr, i64>;

/// Records that an untrusted address forwarded a request.
///
/// # Errors
/// Storage errors only.
pub fn note_untrusted(tx: &mut Tx<'_>, address: IpAddr) -> Result<()> {
    let now = tx.now();
    let mut noted = recent(tx, now)?;
    noted.insert(address, now.unix_ms());
    while noted.len() > MOST_UNTRUSTED {
        let oldest = noted.iter().min_by_key(|(_, seen)| **seen).map(|(address, _)| *address);
        let Some(oldest) = oldest else { break };
        noted.remove(&oldest);
    }
    store(tx, &noted)
}

/// Removes the addresses that `is_trusted` accepts, because the operator has configured them
/// meanwhile.
///
/// # Errors
/// Storage errors only.
pub fn forget_trusted(tx: &mut Tx<'_>, is_trusted: impl Fn(IpAddr) -> bool) -> Result<()> {
    let now = tx.now();
    let before = recent(tx, now)?;
    let after: Noted = before
        .iter()
        .filter(|(address, _)| !is_trusted(**address))
        .map(|(a, t)| (*a, *t))
        .collect();
    if after == before { Ok(()) } else { store(tx, &after) }
}

/// Returns the addresses of the last week with the times at which each was recorded last.
///
/// # Errors
/// Storage errors only.
pub fn untrusted(conn: &mut Conn, now: Timestamp) -> Result<Vec<(IpAddr, Timestamp)>> {
    let noted = recent(conn, now)?.into_iter();
    Ok(noted.map(|(address, seen)| (address, Timestamp::from_unix_ms(seen))).collect())
}

fn recent(conn: &mut Conn, now: Timestamp) -> Result<Noted> {
    let text = secrets::find(conn, UNTRUSTED)?.unwrap_or_default();
    let mut noted: Noted = serde_json::from_str(&text).unwrap_or_default();
    let oldest = now.before(RECENT).unix_ms();
    noted.retain(|_, seen| *seen >= oldest);
    Ok(noted)
}

fn store(tx: &mut Tx<'_>, noted: &Noted) -> Result<()> {
    let text = serde_json::to_string(noted).map_err(Error::internal)?;
    Ok(secrets::replace(tx, UNTRUSTED, &text)?)
}
