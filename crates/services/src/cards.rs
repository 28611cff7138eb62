//! Link previews: which link of a status has one, when its page is looked at, and what becomes of
//! what it says.
//!
//! The first link of a text that leads to a page of another server has the preview, whatever else is
//! attached and whoever may read the status: asking the page tells nothing but its own address. What
//! is known of a page is shared by all statuses that link to it; it is asked once in two weeks at
//! most, and one that did not answer not again within the hour.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{CardKind, PreviewCard, Settings};
use siskin_ids::{AccountId, PreviewCardId, StatusId};
use siskin_persistence::{
    Conn, Tx,
    cards::{self as rows, Known},
};
use siskin_policy::limits::MAX_CARD_URL_BYTES;
use siskin_text::{self as text, Token};
use url::Url;

use crate::{
    Instance, Result,
    jobs::{self, Job, TakesTurns},
    media::discard_files,
};

/// For so long what a page said is taken for what it says.
const FRESH: Duration = Duration::from_secs(14 * 24 * 3600);
/// For so long one that said nothing is not asked again.
const SPARED: Duration = Duration::from_secs(3600);
/// For so long no other job is left for a page. After that the next status with the link leaves one that
/// takes the turn of its own author: the first one may wait behind many of somebody else.
const LEASE: Duration = Duration::from_secs(60);
/// For so long a preview that nothing shows any more waits for somebody who wants it again.
const UNUSED_STAY: Duration = Duration::from_secs(24 * 3600);
/// Statuses, or previews, that are changed in one transaction.
const AT_ONCE: i64 = 200;

/// Look at a page that a status links to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookAtPage {
    pub card: PreviewCardId,
}

impl Job for LookAtPage {
    const KIND: &'static str = "cards.look_at_page";
}

impl TakesTurns for LookAtPage {
    const PACE: Duration = Duration::from_secs(10);
}

/// The work of letting caches know which statuses look different now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaiseStatuses {
    pub card: PreviewCardId,
    /// The last one that is done.
    pub after: StatusId,
}

impl Job for RaiseStatuses {
    const KIND: &'static str = "cards.raise_statuses";
}

/// The work of removing previews that nothing shows any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepCards {}

impl Job for SweepCards {
    const KIND: &'static str = "cards.sweep";
}

/// Gives a status the preview of what its text links to, if it links to anything. A page that is
/// known is shown at once; one that is not is left to a job.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    instance: &Instance,
    (author, status): (AccountId, StatusId),
    text: &[Token],
) -> Result<()> {
    wanted(instance, text).map_or(Ok(()), |address| link(tx, author, status, &address))
}

/// The same after an edit, which may have changed the link. Where no pages are looked at any more,
/// only what is linked to still keeps its preview.
pub(crate) fn replace(
    tx: &mut Tx<'_>,
    instance: &Instance,
    settings: &Settings,
    (author, status): (AccountId, StatusId),
    text: &[Token],
) -> Result<()> {
    let (before, after) = (rows::address_of(tx, status)?, wanted(instance, text));
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
        jobs::enqueue_in_turn(tx, &LookAtPage { card }, author, Some(address))?;
    }
    Ok(())
}

/// The first address of a page of another server, without its fragment, which servers are not told.
fn wanted(instance: &Instance, text: &[Token]) -> Option<String> {
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

/// Whether an address is one of this server, by either scheme.
fn is_here(instance: &Instance, url: &Url) -> bool {
    let authority = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    };
    let base = Url::parse(instance.urls.base()).ok();
    let asked = authority(url);
    asked == instance.urls.domain() || base.is_some_and(|base| authority(&base) == asked)
}

/// The page that a job is to look at; None where no status links to it any more.
///
/// # Errors
/// Storage errors only.
pub fn page(conn: &mut Conn, job: &LookAtPage) -> Result<Option<Known>> {
    Ok(rows::find_linked(conn, job.card)?)
}

/// What a page says, and where the picture was fetched that is stored with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub card: PreviewCard,
    pub image_source: Option<String>,
}

/// Shows what a page says from now on, below every status that links to it.
///
/// # Errors
/// Storage errors only.
pub fn found(tx: &mut Tx<'_>, instance: &Instance, job: &LookAtPage, found: &Found) -> Result<()> {
    let Some(before) = rows::take(tx, job.card)? else {
        return discard_files(tx, found.card.image.iter().map(|image| image.file.clone()));
    };
    let card = without_own_frame(instance, found.card.clone());
    rows::store(tx, job.card, &card, found.image_source.as_deref())?;
    let next = tx.now().after(FRESH);
    rows::look_again_after(tx, job.card, next)?;
    let file = |card: &PreviewCard| card.image.as_ref().map(|image| image.file.clone());
    let now = file(&card);
    let replaced = before.card.as_ref().and_then(file).filter(|file| now.as_ref() != Some(file));
    discard_files(tx, replaced)?;
    if before.card.as_ref() == Some(&card) {
        return Ok(());
    }
    raise(tx, job.card, None)
}

/// A frame with a page of this very server in it could do here what its reader can.
fn without_own_frame(instance: &Instance, card: PreviewCard) -> PreviewCard {
    let is_own = Url::parse(&card.embed_url).is_ok_and(|url| is_here(instance, &url));
    if card.kind == CardKind::Video && is_own {
        return PreviewCard { kind: CardKind::Link, embed_url: String::new(), ..card };
    }
    card
}

/// Spares a page that said nothing; what it said before is shown still.
///
/// # Errors
/// Storage errors only.
pub fn found_nothing(tx: &mut Tx<'_>, job: &LookAtPage) -> Result<()> {
    let next = tx.now().after(SPARED);
    Ok(rows::look_again_after(tx, job.card, next)?)
}

/// Does a part of [`RaiseStatuses`] and leaves the rest as another job.
///
/// # Errors
/// Storage errors only.
pub fn raise_statuses(tx: &mut Tx<'_>, job: &RaiseStatuses) -> Result<()> {
    raise(tx, job.card, Some(job.after))
}

fn raise(tx: &mut Tx<'_>, card: PreviewCardId, after: Option<StatusId>) -> Result<()> {
    if let Some(after) = rows::raise_statuses(tx, card, after, AT_ONCE)? {
        jobs::enqueue(tx, &RaiseStatuses { card, after })?;
    }
    Ok(())
}

/// Leaves the removal of unused previews to a job, if there are any.
///
/// # Errors
/// Storage errors only.
pub fn sweep_later(tx: &mut Tx<'_>) -> Result<()> {
    let before = tx.now().before(UNUSED_STAY);
    if rows::any_unused(tx, before)? {
        jobs::enqueue(tx, &SweepCards {})?;
    }
    Ok(())
}

/// Does a part of [`SweepCards`] and leaves the rest as another job.
///
/// # Errors
/// Storage errors only.
pub fn sweep(tx: &mut Tx<'_>, _: &SweepCards) -> Result<()> {
    let before = tx.now().before(UNUSED_STAY);
    let files = rows::sweep(tx, before, AT_ONCE)?;
    discard_files(tx, files)?;
    sweep_later(tx)
}
