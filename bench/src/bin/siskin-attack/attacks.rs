//! Attacks. Each runs for the given time and returns a summary of the server's reaction.

mod apps;
mod bodies;
mod connections;
mod films;
mod pages;
mod requests;
mod sockets;
mod texts;

use std::{fmt, time::Duration};

use anyhow::Result;
use futures_util::future::LocalBoxFuture;

use super::server::Server;

/// Named attack on a server.
pub struct Attack {
    pub name: &'static str,
    pub run: for<'s> fn(&'s Server, Duration) -> LocalBoxFuture<'s, Result<String>>,
}

impl fmt::Debug for Attack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attack").field("name", &self.name).finish_non_exhaustive()
    }
}

macro_rules! attacks {
    ($($name:literal: $run:path,)+) => {
        /// All attacks.
        pub const ATTACKS: &[Attack] = &[
            $(Attack { name: $name, run: |server, time| Box::pin($run(server, time)) },)+
        ];
    };
}

attacks! {
    "texts": texts::few_characters_of_many_bytes,
    "frames": sockets::frames_without_end,
    "commands": sockets::commands_without_end,
    "bodies": bodies::unfinished,
    "own-bodies": bodies::unfinished_with_token,
    "readers": bodies::unread_responses,
    "listeners": bodies::unread_streams,
    "connections": connections::idle,
    "slow-heads": connections::slow_heads,
    "pages": pages::hard_to_parse,
    "films": films::hard_to_decode,
    "drip": pages::drip,
    "spellings": requests::path_spellings,
    "apps": apps::registered_without_end,
    "ids": requests::lists_of_ids,
}
