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
pub const MAX_UNTRUSTED: usize = 16;
/// Maximum age of a recorded address.
const RECENT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Last time of each address, in milliseconds.
type RecordedProxies = BTreeMap<IpAddr, i64>;

/// Records that an untrusted address forwarded a request.
///
/// # Errors
/// Storage errors only.
pub fn record_untrusted(tx: &mut Tx<'_>, address: IpAddr) -> Result<()> {
    let now = tx.now();
    let mut recorded = recent(tx, now)?;
    recorded.insert(address, now.unix_ms());
    while recorded.len() > MAX_UNTRUSTED {
        let oldest = recorded
            .iter()
            .min_by_key(|(_, recorded_at)| **recorded_at)
            .map(|(address, _)| *address);
        let Some(oldest) = oldest else { break };
        recorded.remove(&oldest);
    }
    store(tx, &recorded)
}

/// Removes the addresses that `is_trusted` accepts, because the operator has configured them
/// meanwhile.
///
/// # Errors
/// Storage errors only.
pub fn remove_trusted(tx: &mut Tx<'_>, is_trusted: impl Fn(IpAddr) -> bool) -> Result<()> {
    let now = tx.now();
    let before = recent(tx, now)?;
    let after: RecordedProxies = before
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
    let recorded = recent(conn, now)?.into_iter();
    Ok(recorded
        .map(|(address, recorded_at)| (address, Timestamp::from_unix_ms(recorded_at)))
        .collect())
}

fn recent(conn: &mut Conn, now: Timestamp) -> Result<RecordedProxies> {
    let text = secrets::find(conn, UNTRUSTED)?.unwrap_or_default();
    let mut recorded: RecordedProxies = serde_json::from_str(&text).unwrap_or_default();
    let oldest = now.before(RECENT).unix_ms();
    recorded.retain(|_, recorded_at| *recorded_at >= oldest);
    Ok(recorded)
}

fn store(tx: &mut Tx<'_>, recorded: &RecordedProxies) -> Result<()> {
    let text = serde_json::to_string(recorded).map_err(Error::internal)?;
    Ok(secrets::replace(tx, UNTRUSTED, &text)?)
}
