//! Polls: what is asked, who voted for what, and who was told of the end.
//!
//! A poll belongs to one status and goes with it. Whether somebody may see it is asked of the
//! status, and whether they may vote, of `siskin_entities::polls`; neither is decided here.
//!
//! What an edit of a status needs: [`of_status`] reads the poll, `Definition::resets` says whether
//! what it becomes is another question, and then it is either [`replace`] or [`keep`]; [`remove`]
//! takes the poll away. The use case that does it, with the job for the new end, is
//! `siskin_services::polls::revise`.

mod announce;
mod define;
mod load;
mod votes;

pub use announce::{announced_now, close, voters};
pub use define::{insert, keep, lock, remove, replace};
pub use load::{find, of_status};
pub use votes::vote;

pub(crate) use load::load;
pub(crate) use votes::remove_votes;
