//! Polls: definitions, votes, and announcements of the end.
//!
//! A poll belongs to one status and is deleted with it. The visibility of a poll is that of its
//! status. `siskin_entities::polls` decides who may vote. This module decides neither.
//!
//! An edit of a status works as follows. [`of_status`] loads the poll. `Definition::resets` says
//! whether the edit changes the options. If so, the edit calls [`replace`], otherwise
//! [`update_settings`]; [`remove`] deletes the poll. The use case `siskin_services::polls::revise`
//! does this, and enqueues the job for the new end.

mod announce;
mod define;
mod load;
mod votes;

pub use announce::{close, record_announcements, voters};
pub use define::{insert, lock, remove, replace, update_settings};
pub use load::{find, of_status};
pub use votes::vote;

pub(crate) use load::load;
pub(crate) use votes::{remove_voters, remove_votes};
