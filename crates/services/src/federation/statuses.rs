//! Documents of statuses, and of the activities that published them.

use std::iter::once;

use siskin_entities::{Status, StatusBody, Timestamp, Urls};
use siskin_ids::StatusId;
use siskin_persistence::{Conn, SnapshotVersion, statuses as rows};
use siskin_text::username_key;

use super::{
    document::{DocumentCache, Found, Parts, PollParts, StatusParts, cached, remains},
    notes::{NamedIds, Texts, write_activity, write_note},
    owners::Sought,
};
use crate::{Error, Result};

/// Number of replies among which those of the author are looked for. So the document of a popular
/// status costs no more than others.
const SEARCHED_REPLIES: i64 = 40;
/// Maximum number of the author's replies that a document shows.
const OWN_REPLIES: usize = 5;

/// Returns the document of a status by the local account with this name.
///
/// # Errors
/// [`Error::NotFound`] if there is no such status, if it is a reblog, or if it is hidden from
/// anonymous viewers.
pub fn find(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    id: StatusId,
    now: Timestamp,
    cache: &dyn DocumentCache,
) -> Result<Found> {
    match seek(conn, urls, username, id)? {
        Sought::Remains(found) => Ok(found),
        // Only the activity has a document.
        Sought::Here((status, _)) if status.reblog.is_some() => Err(Error::NotFound),
        Sought::Here(shown) => document(conn, urls, &shown, now, cache, Form::Status),
    }
}

/// Returns the document of the activity by which the local account with this name published or
/// reblogged a status. `id` is that of the status or reblog.
///
/// # Errors
/// [`Error::NotFound`] if there is no such status, or if it is hidden from anonymous viewers.
pub fn activity(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    id: StatusId,
    now: Timestamp,
    cache: &dyn DocumentCache,
) -> Result<Found> {
    match seek(conn, urls, username, id)? {
        Sought::Remains(found) => Ok(found),
        Sought::Here(shown) => document(conn, urls, &shown, now, cache, Form::Activity),
    }
}

/// Status with the version of its snapshot.
type Shown = (Status, SnapshotVersion);

/// Returns a status or reblog by the local account with this name, as anonymous viewers see it, or
/// what remains of it.
///
/// # Errors
/// [`Error::NotFound`] if there is none, or if it is hidden.
pub(super) fn seek(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    id: StatusId,
) -> Result<Sought<Shown>> {
    let found = rows::find_versioned(conn, id, None)?;
    match found.filter(|(status, _)| is_by(&status.body, username)) {
        Some(found) => Ok(Sought::Here(found)),
        None => {
            let (id, owner) = (urls.status_uri(username, id), urls.account_uri(username));
            remains(conn, &id, &owner).map(Sought::Remains)
        }
    }
}

fn is_by(body: &StatusBody, username: &str) -> bool {
    body.is_local && username_key(&body.username) == username_key(username)
}

/// Form in which a status is written.
#[derive(Clone, Copy)]
enum Form {
    Status,
    Activity,
}

impl Form {
    fn parts(self, parts: StatusParts) -> Parts {
        match self {
            Self::Status => Parts::Status(parts),
            Self::Activity => Parts::Activity(parts),
        }
    }

    fn write(self, texts: &Texts<'_>) -> Result<Vec<u8>> {
        match self {
            Self::Status => write_note(texts),
            Self::Activity => write_activity(texts),
        }
    }
}

fn document(
    conn: &mut Conn,
    urls: &Urls,
    (status, version): &Shown,
    now: Timestamp,
    cache: &dyn DocumentCache,
    form: Form,
) -> Result<Found> {
    let own_replies = own_replies(conn, &status.body)?;
    let parts = form.parts(parts(&status.body, *version, own_replies.clone(), now));
    let document = cached(cache, parts, || {
        let named = NamedIds::load(conn, urls, once(&status.body))?;
        form.write(&Texts::of(status, &named, urls, &own_replies, now))
    })?;
    Ok(Found::Document(document))
}

/// Returns the first replies of the author to an own status: other servers show such threads whole.
fn own_replies(conn: &mut Conn, body: &StatusBody) -> Result<Vec<StatusId>> {
    // The counter includes all replies that anonymous viewers may see.
    if body.counts.replies == 0 {
        return Ok(Vec::new());
    }
    let replies = rows::replies(conn, body.id, StatusId::new(0), SEARCHED_REPLIES)?.into_iter();
    let own = replies.filter(|it| it.account == body.account.id && it.visibility.is_open());
    Ok(own.take(OWN_REPLIES).map(|reply| reply.id).collect())
}

/// Returns all that the document of a status depends on.
fn parts(
    body: &StatusBody,
    version: SnapshotVersion,
    own_replies: Vec<StatusId>,
    now: Timestamp,
) -> StatusParts {
    StatusParts {
        id: body.id,
        version,
        is_sensitive: body.is_sensitive(),
        parent: body.in_reply_to_id,
        quoted: body.quoted().map(|quoted| quoted.id),
        quote_policy: body.quote_approval.policy,
        favourites: body.counts.favourites,
        reblogs: body.counts.reblogs,
        own_replies,
        poll: body.poll.as_ref().map(|poll| PollParts {
            votes: poll.options.iter().map(|option| option.votes).collect(),
            voters: poll.voters,
            is_over: poll.is_over(now),
        }),
    }
}
