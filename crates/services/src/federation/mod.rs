//! Federation: documents by which other servers find and read local accounts and their statuses.
//!
//! A document shows what anonymous viewers see. What they may not see is [`NotFound`], like what
//! never existed. The caller asks only if [federation is on](siskin_policy::federation::Mode).
//!
//! [`NotFound`]: crate::Error::NotFound

pub mod actors;
pub mod base;
pub mod collections;
mod document;
pub mod instance;
pub mod keys;
mod names;
mod notes;
mod owners;
pub mod statuses;

pub use document::{Answer, Document, DocumentCache, Found, Key, NoCache, Version};
