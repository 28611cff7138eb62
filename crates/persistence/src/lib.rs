//! Persistence layer: the only crate that runs queries. Rows stay private; functions return the
//! domain views of `entities`.
//!
//! The same source serves two engines: [`Conn`] is a connection to either, and every function here
//! runs on both. Functions that only read take `&mut Conn`. Functions that write take `&mut Tx`,
//! which exists only inside a write transaction of a [`Store`]. Rules about permissions are in
//! `policy` and `services`. Only the visibility rule exists here a second time, as a query
//! fragment.

mod access;
pub mod account_keys;
pub mod accounts;
pub mod activity;
pub mod admin_accounts;
pub mod announcements;
pub mod applications;
pub mod archive;
pub mod audit;
pub mod cards;
mod chunks;
pub mod codes;
mod conn;
pub mod conversations;
pub mod counts;
mod diesel_internals;
pub mod doctor;
pub mod emails;
pub mod emojis;
mod equals_any;
mod error;
pub mod events;
pub mod exports;
pub mod external_identities;
pub mod feeds;
pub mod files;
pub mod filters;
pub mod first_steps;
mod fixed;
pub mod idempotency;
pub mod instance_domains;
pub mod instance_picture;
pub mod instance_texts;
pub mod invites;
pub mod jobs;
pub mod lists;
pub mod mailed_links;
pub mod markers;
pub mod measures;
pub mod media;
pub mod migrations;
pub mod notifications;
mod page;
pub mod peers;
pub mod pending_sign_ins;
pub mod polls;
mod prepared;
pub mod push;
pub mod relationships;
pub mod reports;
pub mod roles;
pub mod rules;
pub mod scheduled;
pub mod schema;
pub mod search;
pub mod second_factors;
pub mod secrets;
pub mod sessions;
pub mod settings;
pub mod sign_up_blocks;
mod snapshots;
pub mod space;
pub mod spent_budgets;
pub mod staff;
pub mod stale;
pub mod statuses;
mod store;
pub mod stored_jobs;
pub mod strikes;
pub mod tables;
pub mod tags;
pub mod timelines;
pub mod tokens;
pub mod tombstones;
pub mod translations;
pub mod trends;
mod tx;
mod unique;
mod usage;
pub mod users;
pub mod warning_presets;

pub use conn::{Conn, OnEngine};
pub use error::Error;
pub use snapshots::{PageGuess, Recent, SnapshotVersion, page_guess};
pub use store::{Clock, Counted, Engine, OnOpen, Role, Store, StoreOptions, system_time};
pub use tx::Tx;
pub use unique::sorted_unique;
pub use usage::{CacheCounters, CacheUsage, LaneUsage, PoolUsage, StoreUsage};

/// A map by ids. Hashes ids many times faster than the default; clients cannot choose them.
pub type IdMap<K, V> = rustc_hash::FxHashMap<K, V>;

/// Set of ids, or of other values that this server chooses. Like [`IdMap`].
pub type IdSet<K> = rustc_hash::FxHashSet<K>;

/// Result type of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
