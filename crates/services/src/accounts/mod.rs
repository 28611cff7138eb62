//! Accounts: creation, display and changes.

mod create;
pub mod directory;
pub mod email;
pub mod leave;
pub mod links;
pub mod migration;
mod names;
mod owners;
pub mod profile;
pub mod retired;
mod show;
pub mod sign_up;
mod standing;
pub mod unconfirmed;

pub use create::{
    Created, NewAccount, Origin, Prepared, RemoteAccount, apply, create_remote, prepare,
};
pub use names::email_key;
pub(crate) use show::showing_network;
pub use show::{
    follows, identity_proofs, local, lookup, named, own, reachable, several, standings,
};
pub use standing::{NewPassword, change_password, decide, delete_some, set_password, set_role};

pub use siskin_persistence::{accounts::Decision, relationships::Direction, users::Standing};
