//! Accounts: making them, showing them, changing them.

mod create;
mod names;
pub mod profile;
mod show;

pub use create::{
    Created, NewAccount, Origin, Prepared, RemoteAccount, apply, create_remote, prepare,
};
pub use names::email_key;
pub use show::{follows, lookup, own, reachable};
