//! The picture of the instance: staff upload one, and each client shows it.

use siskin_entities::{
    Actor, AuditAction, AuditTarget, InstancePicture, PictureVersion, TargetKind,
};
use siskin_persistence::{Conn, Tx, instance_picture as rows};

use crate::{Result, audit, media};

/// Returns the picture. Returns `None` if there is none.
///
/// # Errors
/// Storage errors only.
pub fn find(conn: &mut Conn) -> Result<Option<InstancePicture>> {
    Ok(rows::find(conn)?)
}

/// Replaces the picture by one with these files. The former files are deleted later.
///
/// # Errors
/// Storage errors only.
pub fn set(tx: &mut Tx<'_>, actor: Actor, versions: &[PictureVersion]) -> Result<()> {
    let former = rows::replace(tx, versions)?;
    let action = if former.is_empty() { AuditAction::Create } else { AuditAction::Update };
    media::discard_files(tx, former)?;
    record(tx, actor, action)
}

/// Removes the picture, if there is one. Clients then show that of the program.
///
/// # Errors
/// Storage errors only.
pub fn remove(tx: &mut Tx<'_>, actor: Actor) -> Result<()> {
    let former = rows::replace(tx, &[])?;
    if former.is_empty() {
        return Ok(());
    }
    media::discard_files(tx, former)?;
    record(tx, actor, AuditAction::Delete)
}

fn record(tx: &mut Tx<'_>, actor: Actor, action: AuditAction) -> Result<()> {
    let target =
        AuditTarget { kind: TargetKind::InstancePicture, id: None, name: "picture".to_owned() };
    audit::record(tx, actor, action, &target)
}
