//! Link previews: which link of a status gets one, when its page is fetched, and how the result is
//! stored.
//!
//! The preview belongs to the first link in the text to a page of another server. Other attachments
//! and the visibility of the status do not matter, because a request for the page reveals only its
//! own address. All statuses with the same link share one preview. A page is fetched at most once
//! in two weeks. After a failed request it is not fetched again within the hour.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{CardKind, PreviewCard, Settings};
use siskin_ids::{AccountId, PreviewCardId, StatusId, first_id_at};
use siskin_persistence::{
    Conn, Tx,
    cards::{self as rows, StoredCard},
    events::DomainEvent,
};
use siskin_policy::limits::MAX_CARD_URL_BYTES;
use siskin_text::{self as text, Token};
use url::Url;

use crate::{
    Instance, Result,
    jobs::{self, Job, TakesTurns},
    media::discard_files,
};

/// How long a fetched preview counts as fresh.
const FRESH_FOR: Duration = Duration::from_secs(14 * 24 * 3600);
/// How long a page is not fetched again after a failed request.
const RETRY_AFTER: Duration = Duration::from_secs(3600);
/// How long only one job per page is enqueued. After that, the next status with the link enqueues a
/// job in the turn of its own author. The first job may still wait behind many jobs of another
/// account.
const LEASE: Duration = Duration::from_secs(60);
/// How long a preview is kept after the last status with its link is gone.
const UNUSED_TTL: Duration = Duration::from_secs(24 * 3600);
/// Statuses of the last hour may still be visible on a client's screen.
const ON_SCREEN: Duration = Duration::from_secs(3600);
/// Number of statuses or previews that are changed in one transaction.
const BATCH_SIZE: i64 = 200;

/// Job that fetches a page to which a status links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchPage {
    pub card: PreviewCardId,
}

impl Job for FetchPage {
    const KIND: &'static str = "cards.look_at_page";
}

impl TakesTurns for FetchPage {
    const PACE: Duration = Duration::from_secs(10);
}

/// Job that raises the versions of statuses with a changed preview, so that their cached snapshots
/// become stale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaiseStatuses {
    pub card: PreviewCardId,
    /// Last status that is done.
    pub after: StatusId,
}

impl Job for RaiseStatuses {
    const KIND: &'static str = "cards.raise_statuses";
}

/// Job that deletes previews that no status shows any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepCards {}

impl Job for SweepCards {
    const KIND: &'static str = "cards.sweep";
}

/// Links a status to the preview of the first suitable link in its text, if there is one. A known
/// preview is shown at once. Otherwise a job fetches the page.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    instance: &Instance,
    (author, status): (AccountId, StatusId),
    text: &[Token],
) -> Result<()> {
    preview_link(instance, text).map_or(Ok(()), |address| link(tx, author, status, &address))
}

/// Updates the preview after an edit, which may have changed the link. If link previews are turned
/// off, the status keeps its preview only while the link stays the same.
pub(crate) fn replace(
    tx: &mut Tx<'_>,
    instance: &Instance,
    settings: &Settings,
    (author, status): (AccountId, StatusId),
    text: &[Token],
) -> Result<()> {
    let (before, after) = (rows::address_of(tx, status)?, preview_link(instance, text));
    if before == after {
        return Ok(());
    }
    rows::unlink(tx, status)?;
    after
        .filter(|_| settings.link_previews)
        .map_or(Ok(()), |address| link(tx, author, status, &address))
}

fn link(tx: &mut Tx<'_>, author: AccountId, status: StatusId, address: &str) -> Result<()> {
    if let Some(card) = rows::link(tx, status, address, LEASE)? {
        jobs::enqueue_in_turn(tx, &FetchPage { card }, author, Some(address))?;
    }
    Ok(())
}

/// Returns the first link to a page of another server. Removes its fragment, which is never sent to
/// servers.
fn preview_link(instance: &Instance, text: &[Token]) -> Option<String> {
    text::links(text).into_iter().find_map(|link| {
        let mut url = Url::parse(link).ok()?;
        url.set_fragment(None);
        let fits = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.as_str().len() <= MAX_CARD_URL_BYTES
            && !is_here(instance, &url);
        fits.then(|| url.into())
    })
}

/// Returns `true` if an address belongs to this server, with either scheme.
fn is_here(instance: &Instance, url: &Url) -> bool {
    let authority = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    };
    let base = Url::parse(instance.urls.base()).ok();
    let requested = authority(url);
    requested == instance.urls.domain() || base.is_some_and(|base| authority(&base) == requested)
}

/// Returns the page that a job must fetch. Returns `None` if no status links to it any more.
///
/// # Errors
/// Storage errors only.
pub fn page(conn: &mut Conn, job: &FetchPage) -> Result<Option<StoredCard>> {
    Ok(rows::find_linked(conn, job.card)?)
}

/// Fetched preview, with the address from which its stored picture was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub card: PreviewCard,
    pub image_source: Option<String>,
}

/// Stores a fetched preview, which is then shown below every status with the link.
///
/// # Errors
/// Storage errors only.
pub fn found(tx: &mut Tx<'_>, instance: &Instance, job: &FetchPage, found: &Found) -> Result<()> {
    let Some(before) = rows::take(tx, job.card)? else {
        return discard_files(tx, found.card.image.iter().map(|image| image.file.clone()));
    };
    let card = without_own_frame(instance, found.card.clone());
    rows::store(tx, job.card, &card, found.image_source.as_deref())?;
    let next = tx.now().after(FRESH_FOR);
    rows::schedule_fetch(tx, job.card, next)?;
    let file = |card: &PreviewCard| card.image.as_ref().map(|image| image.file.clone());
    let now = file(&card);
    let replaced = before.card.as_ref().and_then(file).filter(|file| now.as_ref() != Some(file));
    discard_files(tx, replaced)?;
    if before.card.as_ref() == Some(&card) {
        return Ok(());
    }
    raise(tx, job.card, None)
}

/// Turns an embedded page of this server into a plain link. In a frame it would have the same
/// rights as the viewer has here.
fn without_own_frame(instance: &Instance, card: PreviewCard) -> PreviewCard {
    let is_own = Url::parse(&card.embed_url).is_ok_and(|url| is_here(instance, &url));
    if card.kind == CardKind::Video && is_own {
        return PreviewCard { kind: CardKind::Link, embed_url: String::new(), ..card };
    }
    card
}

/// Postpones the next request for a page that returned no preview. The previous preview is still
/// shown.
///
/// # Errors
/// Storage errors only.
pub fn postpone_fetch(tx: &mut Tx<'_>, job: &FetchPage) -> Result<()> {
    let next = tx.now().after(RETRY_AFTER);
    Ok(rows::schedule_fetch(tx, job.card, next)?)
}

/// Runs one step of [`RaiseStatuses`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn raise_statuses(tx: &mut Tx<'_>, job: &RaiseStatuses) -> Result<()> {
    raise(tx, job.card, Some(job.after))
}

/// Raises the version of the next statuses that show a preview. Writes an event about those that
/// may be on a screen.
fn raise(tx: &mut Tx<'_>, card: PreviewCardId, after: Option<StatusId>) -> Result<()> {
    let raised = rows::raise_statuses(tx, card, after, BATCH_SIZE)?;
    let young = StatusId::new(first_id_at(tx.now().before(ON_SCREEN).unix_ms()));
    for status in raised.iter().filter(|status| **status >= young) {
        DomainEvent::StatusEdited(*status).write(tx)?;
    }
    match raised.last() {
        Some(after) if i64::try_from(raised.len()) == Ok(BATCH_SIZE) => {
            jobs::enqueue(tx, &RaiseStatuses { card, after: *after })?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Enqueues a [`SweepCards`] job if there are unused previews.
///
/// # Errors
/// Storage errors only.
pub fn enqueue_sweep(tx: &mut Tx<'_>) -> Result<()> {
    let before = tx.now().before(UNUSED_TTL);
    if rows::any_unused(tx, before)? {
        jobs::enqueue(tx, &SweepCards {})?;
    }
    Ok(())
}

/// Runs one step of [`SweepCards`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn sweep(tx: &mut Tx<'_>, _: &SweepCards) -> Result<()> {
    let before = tx.now().before(UNUSED_TTL);
    let files = rows::sweep(tx, before, BATCH_SIZE)?;
    discard_files(tx, files)?;
    enqueue_sweep(tx)
}
