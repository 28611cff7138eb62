//! Statuses: creation, display, deletion, and interactions such as favourites and reblogs.

mod context;
mod delete;
mod draft;
mod due;
mod edit;
mod favourite;
mod mute;
mod of_account;
mod pin;
mod post;
mod publish;
mod quotes;
mod reblog;
mod rebloggers;
mod saved;
mod schedule;
mod show;
mod source;
mod subscribers;

pub use context::{Thread, context};
pub(crate) use delete::remove;
pub use delete::{RemoveStatus, delete, remove_step};
pub use draft::{Draft, Prepared, prepare};
pub use due::{PublishScheduled, enqueue_again, publish_scheduled, without_job};
pub use edit::{Edit, PreparedEdit, edit, history, prepare_edit};
pub use favourite::{bookmark, favourite, unbookmark, unfavourite};
pub use mute::{mute, unmute};
pub use of_account::{ProfileRequest, of_account};
pub use pin::{pin, unpin};
pub use post::{Post, Posted, post};
pub use publish::apply;
pub use quotes::{NotifyQuoters, notify_quoters, quotes, revoke_quote, set_quote_policy};
pub use reblog::{NewReblog, prepare_reblog, reblog, unreblog};
pub use rebloggers::{NotifyRebloggers, notify_rebloggers};
pub use saved::{bookmarks, favourites};
pub use schedule::{Change, change_scheduled, find_scheduled, scheduled, unschedule};
pub use show::{favourited_by, find, find_many, reblogged_by};
pub use source::SourceParams;
pub use subscribers::{NOTIFY_BATCH, NotifySubscribers, notify_subscribers};

use siskin_entities::Status;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, Tx, relationships,
    statuses::{self as rows, Author, Target},
};

use crate::{Error, Result};

const NOT_ALLOWED: &str = "This action is not allowed";

/// Returns a status for an interaction, and prevents its deletion until the end of the transaction.
/// Checks that it is visible to `viewer`, and that `viewer` does not block its author.
pub(crate) fn take_target(tx: &mut Tx<'_>, id: StatusId, viewer: AccountId) -> Result<Target> {
    let target = rows::find_target(tx, id, Some(viewer))?.ok_or(Error::NotFound)?;
    if !rows::lock_against_deletion(tx, target.id)? {
        return Err(Error::NotFound);
    }
    require_no_block(tx, viewer, &target)?;
    Ok(target)
}

/// Checks that the viewer blocks neither the author nor the author's server.
fn require_no_block(conn: &mut Conn, viewer: AccountId, target: &Target) -> Result<()> {
    if relationships::blocks_account(conn, viewer, target.account)? {
        return Err(Error::forbidden(NOT_ALLOWED));
    }
    Ok(())
}

/// Returns the local author. Refuses accounts that moved, because they should post from their new
/// account.
fn author(conn: &mut Conn, account: AccountId) -> Result<Author> {
    let author = rows::find_author(conn, account)?.ok_or(Error::NotFound)?;
    if author.moved {
        return Err(Error::forbidden("You moved to another account"));
    }
    Ok(author)
}

/// Loads one status as `viewer` sees it.
fn load_one(conn: &mut Conn, id: StatusId, viewer: AccountId) -> Result<Status> {
    rows::load(conn, &[id], Some(viewer))?.pop().ok_or(Error::NotFound)
}
