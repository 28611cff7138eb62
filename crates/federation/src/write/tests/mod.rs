//! Tests of what is written: exact documents, documents that are read back, signatures, sizes.

mod round_trips;
mod shapes;
mod signing;
mod sizes;
mod strategies;

use siskin_entities::Timestamp;

use super::*;
use crate::{
    address::{Handle, Schemes, Uri},
    audience::PUBLIC,
    keys::samples,
    read::{ActorKind, Reader},
};

/// 2026-11-27T08:00:00Z.
const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);
const ALICE: &str = "https://town.example/users/a";
const FOLLOWERS: &str = "https://town.example/users/a/followers";
const STATUS: &str = "https://town.example/users/a/statuses/1";
const BOB: &str = "https://far.example/users/b";
const READER: Reader = Reader::new(Schemes::Https);

fn uri(text: &str) -> Uri {
    Uri::parse(text, Schemes::Https).unwrap()
}

/// Keeps a value for the rest of the tests, so that borrowed values are easy to build.
fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn leak_all<T>(values: Vec<T>) -> &'static [T] {
    Box::leak(values.into_boxed_slice())
}

/// Returns an activity of Alice to everyone and to her followers.
fn to_everyone(action: Action<'static>) -> Activity<'static> {
    Activity {
        id: "https://town.example/activities/1",
        actor: ALICE,
        published: Some(NOW),
        to: &[PUBLIC],
        cc: &[FOLLOWERS],
        action,
    }
}

/// Returns an activity of Alice that addresses no one.
fn silent(action: Action<'static>) -> Activity<'static> {
    Activity { published: None, to: &[], cc: &[], ..to_everyone(action) }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}
