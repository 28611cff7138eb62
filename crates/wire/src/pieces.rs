//! Statuses, accounts and notifications written from pieces, the same bytes as the serde structs.
//!
//! Most of a status's JSON is the same for every reader and changes seldom: what its core holds, and
//! what its author's core holds. Each is written once and stays with the core that it was made of
//! ([`siskin_entities::Rendered`]), so that it lasts as long as that is kept, and no longer. Counters,
//! what a status answers (which not every reader may know), polls and the reader's own marks are
//! written anew for each answer.

use std::ops::Range;

use serde::Serialize;
use siskin_entities::{
    Account, AccountCore, Conversation, Notification, Status, StatusBody, StatusCore, Timestamp,
};

use crate::{
    account,
    budget::{Budget, Keep, MAX_LIST_BYTES, write_array},
    conversation, notification, poll,
    status::{self, StatusPoll},
    urls::Urls,
};

/// Bytes of counters, marks and names of fields beside what is kept of a status and its author.
const WRITTEN_ANEW: usize = 400;

/// What answers are written with. All that write what one store holds have the same addresses.
#[derive(Debug, Clone, Copy)]
pub struct Pieces<'a> {
    pub urls: &'a Urls,
    /// The time of the answer.
    pub now: Timestamp,
}

impl Pieces<'_> {
    /// The beginning of a status's JSON: an object that is not closed yet.
    fn status<'c>(&self, core: &'c StatusCore) -> &'c [u8] {
        core.rendered.get_or_make(|| unclosed(&status::render_core(core, self.urls)))
    }

    /// The beginning of an account's JSON: an object that is not closed yet.
    fn author<'c>(&self, core: &'c AccountCore) -> &'c [u8] {
        core.rendered.get_or_make(|| unclosed(&account::render_core(core, self.urls)))
    }
}

/// Appends the JSON of a status, as [`status::render`] would have it.
pub fn write_status(out: &mut Vec<u8>, status: &Status, pieces: &Pieces<'_>) {
    write_body(out, &status.body, status.reblog.as_deref(), pieces);
}

/// Appends the JSON array of as many statuses as the budget has room for; returns which.
pub fn write_statuses(
    out: &mut Vec<u8>,
    statuses: &[Status],
    budget: Budget,
    pieces: &Pieces<'_>,
) -> Range<usize> {
    let room: usize = statuses.iter().map(|status| room(status, pieces)).sum();
    out.reserve(room.min(budget.bytes));
    write_array(out, statuses, budget, |out, status| write_status(out, status, pieces))
}

/// Appends the JSON of the thread around a status, as [`crate::context::render`] would have it.
/// If it is too large, the nearest ancestors stay, in half of the budget, and the first
/// descendants.
pub fn write_context(
    out: &mut Vec<u8>,
    ancestors: &[Status],
    descendants: &[Status],
    pieces: &Pieces<'_>,
) {
    out.extend_from_slice(b"{\"ancestors\":");
    let above = Budget { bytes: MAX_LIST_BYTES / 2, keep: Keep::Last };
    // An array that is kept to its end is written in parts, which few need to be.
    let written = out.len();
    let whole = Budget { keep: Keep::First, ..above };
    if write_statuses(out, ancestors, whole, pieces).len() < ancestors.len() {
        out.truncate(written);
        write_statuses(out, ancestors, above, pieces);
    }
    out.extend_from_slice(b",\"descendants\":");
    let left = MAX_LIST_BYTES.saturating_sub(out.len());
    write_statuses(out, descendants, Budget { bytes: left, keep: Keep::First }, pieces);
    out.push(b'}');
}

/// Appends the JSON of an account, as [`account::render`] would have it.
pub fn write_account(out: &mut Vec<u8>, account: &Account, pieces: &Pieces<'_>) {
    out.extend_from_slice(pieces.author(&account.core));
    append_fields(out, &account::render_counts(account));
    if let Some(moved) = account::moved(account) {
        out.extend_from_slice(b",\"moved\":");
        write_account(out, moved, pieces);
    }
    out.push(b'}');
}

/// Appends the JSON array of as many accounts as the budget has room for; returns which.
pub fn write_accounts<A: AsRef<Account>>(
    out: &mut Vec<u8>,
    accounts: &[A],
    budget: Budget,
    pieces: &Pieces<'_>,
) -> Range<usize> {
    write_array(out, accounts, budget, |out, account| write_account(out, account.as_ref(), pieces))
}

/// Appends the JSON of a notification, as [`notification::render`] would have it.
pub fn write_notification(out: &mut Vec<u8>, notification: &Notification, pieces: &Pieces<'_>) {
    out.extend_from_slice(&unclosed(&notification::render_event(notification)));
    out.extend_from_slice(b",\"account\":");
    write_account(out, &notification.account, pieces);
    if let Some(status) = &notification.status {
        out.extend_from_slice(b",\"status\":");
        write_status(out, status, pieces);
    }
    out.push(b'}');
}

/// Appends the JSON array of as many notifications as the budget has room for; returns which.
pub fn write_notifications(
    out: &mut Vec<u8>,
    notifications: &[Notification],
    budget: Budget,
    pieces: &Pieces<'_>,
) -> Range<usize> {
    write_array(out, notifications, budget, |out, notification| {
        write_notification(out, notification, pieces);
    })
}

/// Appends the JSON of a conversation, as [`conversation::render`] would have it.
pub fn write_conversation(out: &mut Vec<u8>, conversation: &Conversation, pieces: &Pieces<'_>) {
    out.extend_from_slice(&unclosed(&conversation::render_state(conversation)));
    out.extend_from_slice(b",\"accounts\":");
    let half = Budget { bytes: MAX_LIST_BYTES / 2, keep: Keep::First };
    write_accounts(out, &conversation.accounts, half, pieces);
    out.extend_from_slice(b",\"last_status\":");
    match &conversation.last_status {
        Some(status) => write_status(out, status, pieces),
        None => out.extend_from_slice(b"null"),
    }
    out.push(b'}');
}

/// Appends the JSON array of as many conversations as the budget has room for; returns which.
pub fn write_conversations(
    out: &mut Vec<u8>,
    conversations: &[Conversation],
    budget: Budget,
    pieces: &Pieces<'_>,
) -> Range<usize> {
    write_array(out, conversations, budget, |out, conversation| {
        write_conversation(out, conversation, pieces);
    })
}

/// About how many bytes a status takes, so that a page is not moved about while it grows.
fn room(status: &Status, pieces: &Pieces<'_>) -> usize {
    let of = |body: &StatusBody| {
        let kept = pieces.status(&body.core).len() + pieces.author(&body.account.core).len();
        kept + WRITTEN_ANEW
    };
    of(&status.body) + status.reblog.as_deref().map_or(0, of)
}

fn write_body(
    out: &mut Vec<u8>,
    body: &StatusBody,
    reblog: Option<&StatusBody>,
    pieces: &Pieces<'_>,
) {
    out.extend_from_slice(pieces.status(&body.core));
    out.extend_from_slice(b",\"account\":");
    write_account(out, &body.account, pieces);
    append_fields(out, &status::render_counts(body.counts));
    append_fields(out, &status::render_parent(body));
    let poll = body.poll.as_ref().map(|poll| poll::render(poll, pieces.urls, pieces.now));
    append_fields(out, &StatusPoll { poll });
    out.extend_from_slice(b",\"reblog\":");
    match reblog {
        Some(inner) => write_body(out, inner, None, pieces),
        None => out.extend_from_slice(b"null"),
    }
    if let Some(viewer) = &body.viewer {
        append_fields(out, &status::render_viewer(viewer));
    }
    out.push(b'}');
}

/// The JSON object of `fields` without its closing brace.
fn unclosed(fields: &impl Serialize) -> Vec<u8> {
    let mut out = Vec::new();
    write_object(&mut out, fields);
    out.pop();
    out
}

/// Goes on with an object that is not closed yet: `fields` (at least one) after those it has.
fn append_fields(out: &mut Vec<u8>, fields: &impl Serialize) {
    let start = out.len();
    write_object(out, fields);
    out[start] = b',';
    out.pop();
}

fn write_object(out: &mut Vec<u8>, fields: &impl Serialize) {
    serde_json::to_writer(out, fields)
        .expect("structs with named fields are JSON objects, and memory takes every write");
}
