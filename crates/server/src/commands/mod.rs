//! The commands, one module for each: its arguments, a call of a use case, and its output.

pub mod accounts;
pub mod announcements;
pub mod apps;
pub mod audit;
pub mod backup;
pub mod demo;
pub mod doctor;
pub mod domains;
pub mod emojis;
pub mod federation;
pub mod mail;
pub mod media;
pub mod migrate;
pub mod release_name;
pub mod restore;
pub mod roles;
pub mod rules;
pub mod seed;
pub mod serve;
pub mod settings;
pub mod sign_up_blocks;
pub mod texts;
pub mod tokens;
pub mod trends;
