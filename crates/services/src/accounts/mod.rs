//! Accounts: creation, display and changes.

mod create;
pub mod directory;
pub mod email;
pub mod links;
pub(crate) mod listed;
pub mod migration;
mod moderation;
mod names;
pub(crate) mod owners;
pub mod profile;
pub mod removal;
pub mod retired;
mod show;
pub mod sign_up;
pub mod unconfirmed;

pub use create::{
    Created, NewAccount, Origin, Prepared, RemoteAccount, apply, create_remote, prepare,
};
pub(crate) use moderation::change;
pub use moderation::{NewPassword, change_password, decide, delete_some, set_password, set_role};
pub use names::email_key;
pub(crate) use names::{listed as listed_names, suggested as suggested_name};
pub use show::{
    find_many, follows, identity_proofs, load_records, local, lookup, named, own, reachable,
};
pub(crate) use show::{shows_in_list_of, with_visible_network};

pub use siskin_persistence::{accounts::Decision, relationships::Direction, users::UserRecord};
