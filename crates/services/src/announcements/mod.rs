//! Announcements of the operator: what users see of them, their reactions, and the publication.

mod publish;
mod react;
mod shown;

pub use publish::{
    Changes, EndAnnouncement, NewAnnouncement, PublishAnnouncement, delete_step, edit, end_due,
    find, list_all, prepare, prepare_changes, publish, publish_due, publish_now, unpublish,
};
pub use react::{react, unreact};
pub use shown::{list, of_ids};

use siskin_entities::Announcement;
use siskin_ids::{AccountId, AnnouncementId};
use siskin_persistence::{Tx, announcements as rows};
use siskin_policy::announcements::is_shown;

use crate::{Error, Result};

/// Marks an announcement as read by an account. Does nothing if it already is.
///
/// # Errors
/// [`Error::NotFound`] if there is no published announcement with this id.
pub fn dismiss(tx: &mut Tx<'_>, account: AccountId, id: AnnouncementId) -> Result<()> {
    lock_shown(tx, id)?;
    Ok(rows::dismiss(tx, id, account)?)
}

/// Locks an announcement that users see.
fn lock_shown(tx: &mut Tx<'_>, id: AnnouncementId) -> Result<Announcement> {
    let found = rows::lock(tx, id)?.filter(|found| is_shown(found, tx.now()));
    found.ok_or(Error::NotFound)
}
