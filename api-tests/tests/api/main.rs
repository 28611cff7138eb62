//! Black-box tests over HTTP. The modules mirror the tree of URLs. Each test starts its own server
//! on a fresh database, once for each engine.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod support;

mod accounts;
mod activity;
mod admin;
mod announcements;
mod apps;
mod around;
mod attachments;
mod auth;
mod bodies;
mod bookmarks;
mod connections;
mod conversations;
mod crawl;
mod custom_emojis;
mod directory;
mod discovery;
mod disputes;
mod domain_blocks;
mod emails;
mod encodings;
mod enumeration;
mod external_login;
mod favourites;
mod featured_tags;
mod federation;
mod filters;
mod follow_requests;
mod follows;
mod front;
mod health;
mod instance;
mod instance_domain_blocks;
mod instance_texts;
mod instance_texts_announced;
mod invites;
mod lists;
mod markers;
mod media;
mod moderation;
mod notifications;
mod nulls;
mod oauth;
mod pages;
mod password;
mod polls;
mod preferences;
mod profile;
mod public;
mod push;
mod reports;
mod restarts;
mod scheduled_statuses;
mod search;
mod second_factor;
mod security_page;
mod settings;
mod setup;
mod sign_up;
mod staff_pages;
mod statements;
mod statuses;
mod streaming;
mod suggestions;
mod tags;
mod timelines;
mod translation_languages;
mod trends;
mod unknown_paths;
mod wording;
