//! Tests of the program as an operator uses it. Each runs it on a fresh database of either engine.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accounts;
mod address;
mod announcements;
mod archive;
mod bucket;
mod domains;
mod emojis;
mod external_login;
mod federation;
mod files;
mod filling;
mod mail;
mod moderated;
mod opening;
mod operation;
mod options;
mod permissions;
mod pictures;
mod program;
mod roles;
mod serve;
mod settings;
mod sign_up_blocks;
mod soak;
mod socket;
mod streams;
mod texts;
mod trends;
mod upkeep;
mod version;
mod watching;
