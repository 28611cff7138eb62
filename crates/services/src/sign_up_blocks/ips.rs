//! Blocks of networks. `no_access` is enforced before any route (`app::App::has_no_access`), the
//! other two at sign-up.

use std::{net::IpAddr, time::Duration};

use siskin_entities::{
    Actor, AuditAction, AuditTarget, IpBlock, IpBlockSeverity, Network, Page, PageRequest,
    TargetKind, Timestamp,
};
use siskin_ids::IpBlockId;
use siskin_persistence::{
    Conn, Error as Storage, Tx,
    sign_up_blocks::ips::{self as rows, NewIpBlock},
};
use siskin_policy::limits::MAX_IP_BLOCK_COMMENT_CHARS;
use siskin_text::TextLimit;

use super::lifetime;
use crate::{Error, Result, audit};

/// Values of a new or changed block. `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct IpBlockChanges {
    network: Option<Network>,
    severity: Option<IpBlockSeverity>,
    comment: Option<String>,
    /// Time from now on during which the block has an effect. `Some(None)` stands for no end.
    lifetime: Option<Option<Duration>>,
}

/// Values of a new or changed block, as typed. `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct IpBlockParams {
    pub ip: Option<String>,
    pub severity: Option<String>,
    pub comment: Option<String>,
    /// Lifetime in seconds. `Some(None)` stands for no end.
    pub expires_in: Option<Option<i64>>,
}

impl IpBlockChanges {
    /// Checks the values.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn new(params: IpBlockParams) -> Result<Self> {
        let IpBlockParams { ip, severity, comment, expires_in } = params;
        let comment = comment.map(|comment| comment.trim().to_owned());
        let limit = TextLimit::of(MAX_IP_BLOCK_COMMENT_CHARS);
        if comment.as_ref().is_some_and(|comment| !limit.fits_code_points(comment)) {
            let most = MAX_IP_BLOCK_COMMENT_CHARS;
            let reason = format!("Comment is too long (maximum is {most} characters)");
            return Err(Error::validation(reason));
        }
        let lifetime = expires_in.map(|seconds| seconds.map(lifetime).transpose()).transpose()?;
        Ok(Self {
            network: ip.as_deref().map(network).transpose()?,
            severity: severity.as_deref().map(severity_of).transpose()?,
            comment,
            lifetime,
        })
    }
}

fn network(typed: &str) -> Result<Network> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(blank_ip());
    }
    let invalid = "IP must be an address or a network such as 10.0.0.0/8";
    typed.parse().map_err(|_| Error::validation(invalid))
}

fn blank_ip() -> Error {
    Error::validation("IP can't be blank")
}

fn severity_of(typed: &str) -> Result<IpBlockSeverity> {
    typed.trim().parse().map_err(|_| Error::validation("Severity is not included in the list"))
}

/// Blocks a network. `client` is the address of the caller, if it is known.
///
/// # Errors
/// [`Error::Invalid`] if the network or the severity is missing, if the network is blocked already,
/// and if the caller would lose access.
pub fn create(
    tx: &mut Tx<'_>,
    actor: Actor,
    changes: &IpBlockChanges,
    client: Option<IpAddr>,
) -> Result<IpBlock> {
    let network = changes.network.ok_or_else(blank_ip)?;
    let severity = changes.severity.ok_or_else(|| Error::validation("Severity can't be blank"))?;
    require_access(network, severity, client)?;
    let now = tx.now();
    let new = NewIpBlock {
        network,
        severity,
        comment: changes.comment.as_deref().unwrap_or_default(),
        expires_at: changes.lifetime.flatten().map(|lifetime| now.after(lifetime)),
    };
    let Some(block) = rows::insert(tx, &new)? else { return Err(already_blocked()) };
    audit::record(tx, actor, AuditAction::Create, &target(&block))?;
    Ok(block)
}

/// Changes a block. `client` is the address of the caller, if it is known.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] if another block has the network, and if the caller
/// would lose access.
pub fn update(
    tx: &mut Tx<'_>,
    actor: Actor,
    id: IpBlockId,
    changes: &IpBlockChanges,
    client: Option<IpAddr>,
) -> Result<IpBlock> {
    let before = rows::lock(tx, id)?.ok_or(Error::NotFound)?;
    let lifetime = changes.lifetime;
    let expires_at = lifetime.map(|lifetime| lifetime.map(|lifetime| tx.now().after(lifetime)));
    let block = IpBlock {
        network: changes.network.unwrap_or(before.network),
        severity: changes.severity.unwrap_or(before.severity),
        comment: changes.comment.clone().unwrap_or_else(|| before.comment.clone()),
        expires_at: expires_at.unwrap_or(before.expires_at),
        ..before
    };
    require_access(block.network, block.severity, client)?;
    if block == before {
        return Ok(block);
    }
    match rows::update(tx, &block) {
        Err(Storage::Duplicate) => return Err(already_blocked()),
        other => other?,
    }
    audit::record(tx, actor, AuditAction::Update, &target(&block))?;
    Ok(block)
}

/// Checks that a caller does not take away their own access.
fn require_access(
    network: Network,
    severity: IpBlockSeverity,
    client: Option<IpAddr>,
) -> Result<()> {
    let is_own = client.is_some_and(|client| network.contains(client));
    if severity == IpBlockSeverity::NoAccess && is_own {
        return Err(Error::validation("IP must not include your own address"));
    }
    Ok(())
}

fn already_blocked() -> Error {
    Error::validation("IP is already blocked")
}

/// Returns a block.
///
/// # Errors
/// [`Error::NotFound`].
pub fn find(conn: &mut Conn, id: IpBlockId) -> Result<IpBlock> {
    rows::find(conn, id)?.ok_or(Error::NotFound)
}

/// Returns the block of a network, as typed. A block of a larger network is another one.
///
/// # Errors
/// [`Error::Invalid`] if it is no network; [`Error::NotFound`] if it is not blocked.
pub fn of_network(conn: &mut Conn, typed: &str) -> Result<IpBlock> {
    rows::of_networks(conn, [network(typed)?])?.pop().ok_or(Error::NotFound)
}

/// Returns a page of the blocks, newest first. Includes expired ones.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn, request: PageRequest) -> Result<Page<IpBlock>> {
    Ok(rows::list(conn, request)?)
}

/// Deletes a block.
///
/// # Errors
/// [`Error::NotFound`].
pub fn delete(tx: &mut Tx<'_>, actor: Actor, id: IpBlockId) -> Result<()> {
    let block = find(tx, id)?;
    // Of two simultaneous deletions, only one writes an entry.
    if !rows::delete(tx, id)? {
        return Err(Error::NotFound);
    }
    audit::record(tx, actor, AuditAction::Delete, &target(&block))
}

fn target(block: &IpBlock) -> AuditTarget {
    audit::target(TargetKind::IpBlock, block.id.get(), block.network.to_string())
}

/// Returns the severity of the most severe active block of an address.
///
/// # Errors
/// Storage errors only.
pub(crate) fn severity_for(
    conn: &mut Conn,
    address: IpAddr,
    now: Timestamp,
) -> Result<Option<IpBlockSeverity>> {
    let blocks = rows::of_networks(conn, Network::containing(address))?;
    let active = blocks.iter().filter(|block| block.is_active(now));
    Ok(active.map(|block| block.severity).max())
}

/// Returns all networks without access, with the times at which they get it again.
///
/// # Errors
/// Storage errors only.
pub fn without_access(conn: &mut Conn) -> Result<Vec<(Network, Option<Timestamp>)>> {
    Ok(rows::without_access(conn)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(ip: &str, severity: &str) -> IpBlockParams {
        IpBlockParams {
            ip: Some(ip.to_owned()),
            severity: Some(severity.to_owned()),
            ..IpBlockParams::default()
        }
    }

    fn refusal(params: IpBlockParams) -> String {
        IpBlockChanges::new(params).unwrap_err().to_string()
    }

    #[test]
    fn each_value_is_checked() {
        let changes = IpBlockChanges::new(params(" 192.0.2.7/24 ", "no_access")).unwrap();
        assert_eq!(changes.network.unwrap().to_string(), "192.0.2.0/24");
        assert_eq!(changes.severity, Some(IpBlockSeverity::NoAccess));
        for (ip, reason) in [("", "IP can't be blank"), ("x", "IP must be an address")] {
            assert!(refusal(params(ip, "no_access")).contains(reason), "{ip}");
        }
        for severity in ["", "block", "NO_ACCESS"] {
            assert!(refusal(params("::1", severity)).contains("Severity is not included"));
        }
        let long = IpBlockParams {
            comment: Some("x".repeat(MAX_IP_BLOCK_COMMENT_CHARS + 1)),
            ..IpBlockParams::default()
        };
        assert!(refusal(long).contains("Comment is too long"));
    }

    #[test]
    fn callers_keep_their_own_access() {
        let network: Network = "192.0.2.0/24".parse().unwrap();
        let client = |text: &str| Some(text.parse().unwrap());
        let check = |severity, client| require_access(network, severity, client).is_ok();
        assert!(!check(IpBlockSeverity::NoAccess, client("192.0.2.9")));
        assert!(!check(IpBlockSeverity::NoAccess, client("::ffff:192.0.2.9")));
        assert!(check(IpBlockSeverity::NoAccess, client("192.0.3.9")));
        assert!(check(IpBlockSeverity::NoAccess, None));
        assert!(check(IpBlockSeverity::SignUpBlock, client("192.0.2.9")));
    }
}
