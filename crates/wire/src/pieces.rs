//! Fast rendering of statuses, accounts and notifications from cached pieces.
//!
//! The output is byte-identical to that of the serde structs. Most of a status's JSON is the same
//! for all viewers and changes rarely: the snapshot of the status and that of its author. Each is
//! rendered once and cached beside the snapshot ([`Rendered`]), so that both are
//! evicted together. Counters, the parent (which is hidden from some viewers), polls and the
//! viewer's interactions are rendered for each response.

use std::ops::Range;

use serde::Serialize;
use siskin_entities::{
    Account, AccountSnapshot, Conversation, Notification, Quote, Rendered, RenderedStatus, Status,
    StatusBody, Timestamp,
};

use crate::{
    account::{self, AccountCounts},
    budget::{Budget, Keep, MAX_LIST_BYTES, write_array},
    conversation,
    fields::{append_field, append_fields, write_json},
    notification, poll,
    quote::{self, Embedding},
    status::{self, StatusCounts, StatusParent, StatusViewer},
    urls::Urls,
};

/// Approximate number of bytes per status that are not cached: counters, interactions, field names.
const UNCACHED_BYTES: usize = 540;

/// Context of rendering. All snapshots of one store must be rendered with the same URLs.
#[derive(Debug, Clone, Copy)]
pub struct Pieces<'a> {
    /// URLs of this server.
    pub urls: &'a Urls,
    /// Time of the response.
    pub now: Timestamp,
}

impl Pieces<'_> {
    /// Returns the cached start of a status's JSON: an object that is not closed yet.
    fn status<'c>(&self, snapshot: &'c RenderedStatus) -> &'c [u8] {
        snapshot.get_or_render(|snapshot| unclosed(&status::render_snapshot(snapshot, self.urls)))
    }

    /// Returns the cached start of an account's JSON: an object that is not closed yet.
    fn author<'c>(&self, snapshot: &'c Rendered<AccountSnapshot>) -> &'c [u8] {
        snapshot.get_or_render(|snapshot| unclosed(&account::render_snapshot(snapshot, self.urls)))
    }
}

/// Appends the JSON of a status, byte-identical to that of [`status::render`].
pub fn write_status(out: &mut Vec<u8>, status: &Status, pieces: &Pieces<'_>) {
    write_body(out, &status.body, status.reblog.as_deref(), Embedding::Whole, pieces);
}

/// Appends the JSON array of as many statuses as the budget allows. Returns their range.
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

/// Appends the JSON of the thread of a status, byte-identical to that of
/// [`crate::context::render`]. If it is too large, the nearest ancestors are kept, in half of the
/// budget, and the first descendants.
pub fn write_context(
    out: &mut Vec<u8>,
    ancestors: &[Status],
    descendants: &[Status],
    pieces: &Pieces<'_>,
) {
    out.extend_from_slice(b"{\"ancestors\":");
    let above = Budget { bytes: MAX_LIST_BYTES / 2, keep: Keep::Last };
    // Keeping the end of an array needs a slower path, so first try to write the whole array.
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

/// Appends the JSON of an account, byte-identical to that of [`account::render`].
pub fn write_account(out: &mut Vec<u8>, account: &Account, pieces: &Pieces<'_>) {
    out.extend_from_slice(pieces.author(&account.snapshot));
    append_fields!(
        out,
        account::render_counts(account),
        AccountCounts { followers_count, following_count, statuses_count, last_status_at }
    );
    if let Some(moved) = account::moved(account) {
        out.extend_from_slice(b",\"moved\":");
        write_account(out, moved, pieces);
    }
    out.push(b'}');
}

/// Appends the JSON array of as many accounts as the budget allows. Returns their range.
pub fn write_accounts<A: AsRef<Account>>(
    out: &mut Vec<u8>,
    accounts: &[A],
    budget: Budget,
    pieces: &Pieces<'_>,
) -> Range<usize> {
    write_array(out, accounts, budget, |out, account| write_account(out, account.as_ref(), pieces))
}

/// Appends the JSON of a notification, byte-identical to that of [`notification::render`].
pub fn write_notification(out: &mut Vec<u8>, notification: &Notification, pieces: &Pieces<'_>) {
    write_json(out, &notification::render_event(notification));
    out.pop();
    out.extend_from_slice(b",\"account\":");
    write_account(out, &notification.account, pieces);
    if let Some(status) = &notification.status {
        out.extend_from_slice(b",\"status\":");
        write_status(out, status, pieces);
    }
    let warning = notification::render_warning(notification.record.as_ref(), pieces.urls);
    if let Some(warning) = warning {
        out.extend_from_slice(b",\"moderation_warning\":");
        write_json(out, &warning);
    }
    if let Some(report) = notification::render_report(notification.record.as_ref(), pieces.urls) {
        out.extend_from_slice(b",\"report\":");
        write_json(out, &report);
    }
    out.push(b'}');
}

/// Appends the JSON array of as many notifications as the budget allows. Returns their range.
pub fn write_notifications(
    out: &mut Vec<u8>,
    notifications: &[Notification],
    budget: Budget,
    pieces: &Pieces<'_>,
) -> Range<usize> {
    let room: usize = notifications
        .iter()
        .map(|one| {
            account_room(&one.account, pieces)
                + one.status.as_ref().map_or(0, |it| room(it, pieces))
        })
        .sum();
    out.reserve(room.min(budget.bytes));
    write_array(out, notifications, budget, |out, notification| {
        write_notification(out, notification, pieces);
    })
}

/// Appends the JSON of a conversation, byte-identical to that of [`conversation::render`].
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

/// Appends the JSON array of as many conversations as the budget allows. Returns their range.
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

/// Estimates the size of an account in bytes, so that the buffer of a page does not reallocate. It
/// includes room for the notification around it.
pub(crate) fn account_room(account: &Account, pieces: &Pieces<'_>) -> usize {
    pieces.author(&account.snapshot).len() + UNCACHED_BYTES
}

/// Estimates the size of a status in bytes, like [`account_room`].
pub(crate) fn room(status: &Status, pieces: &Pieces<'_>) -> usize {
    let of = |body: &StatusBody| {
        let cached =
            pieces.status(&body.snapshot).len() + pieces.author(&body.account.snapshot).len();
        cached + UNCACHED_BYTES
    };
    let quoted = status.displayed().quoted().map_or(0, of);
    of(&status.body) + status.reblog.as_deref().map_or(0, of) + quoted
}

fn write_body(
    out: &mut Vec<u8>,
    body: &StatusBody,
    reblog: Option<&StatusBody>,
    embedding: Embedding,
    pieces: &Pieces<'_>,
) {
    out.extend_from_slice(pieces.status(&body.snapshot));
    out.extend_from_slice(b",\"account\":");
    write_account(out, &body.account, pieces);
    let sensitive = body.is_sensitive();
    append_field!(out, sensitive);
    append_fields!(
        out,
        status::render_counts(body.counts),
        StatusCounts { replies_count, reblogs_count, favourites_count, quotes_count }
    );
    append_fields!(
        out,
        status::render_parent(body),
        StatusParent { in_reply_to_id, in_reply_to_account_id }
    );
    let poll = body.poll.as_ref().map(|poll| poll::render(poll, pieces.urls, pieces.now));
    append_field!(out, poll);
    out.extend_from_slice(b",\"reblog\":");
    match reblog {
        Some(inner) => write_body(out, inner, None, Embedding::Whole, pieces),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"quote\":");
    match &body.quote {
        Some(quote) => write_quote(out, quote, embedding, pieces),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"quote_approval\":");
    out.extend_from_slice(quote::approval_json(body.quote_approval));
    if let Some(viewer) = &body.viewer {
        write_viewer(out, status::render_viewer(viewer));
    }
    out.push(b'}');
}

/// Appends the JSON of a quote, byte-identical to that of [`quote::render`].
fn write_quote(out: &mut Vec<u8>, quote: &Quote, embedding: Embedding, pieces: &Pieces<'_>) {
    out.extend_from_slice(b"{\"state\":\"");
    out.extend_from_slice(quote.state.as_str().as_bytes());
    out.push(b'"');
    match embedding {
        Embedding::Whole => {
            out.extend_from_slice(b",\"quoted_status\":");
            match &quote.status {
                Some(quoted) => write_body(out, quoted, None, Embedding::IdOnly, pieces),
                None => out.extend_from_slice(b"null"),
            }
        }
        Embedding::IdOnly => {
            let quoted_status_id = quote.status.as_ref().map(|quoted| quoted.id);
            append_field!(out, quoted_status_id);
        }
    }
    out.push(b'}');
}

/// Adds the viewer's interactions to a status that is not closed yet.
fn write_viewer(out: &mut Vec<u8>, viewer: StatusViewer) {
    let StatusViewer { favourited, reblogged, muted, bookmarked, pinned, filtered } = viewer;
    append_field!(out, favourited);
    append_field!(out, reblogged);
    append_field!(out, muted);
    append_field!(out, bookmarked);
    if pinned.is_some() {
        append_field!(out, pinned);
    }
    append_field!(out, filtered);
}

/// Returns the JSON object of `fields` without its closing brace.
fn unclosed(fields: &impl Serialize) -> Vec<u8> {
    let mut out = Vec::new();
    write_json(&mut out, fields);
    out.pop();
    out
}
