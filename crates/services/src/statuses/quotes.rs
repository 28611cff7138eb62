//! Quotes: the list of a status's quotes, their withdrawal by the quoted author, and who may quote.

use serde::{Deserialize, Serialize};
use siskin_entities::{
    NotificationKind, Page, PageRequest, QuotePermission, QuotePolicy, QuoteState, Status,
    StatusBody, Timestamp, Urls, Visibility,
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, Tx,
    events::DomainEvent,
    notifications::{Cause, withdraw, withdraw_all},
    statuses::{self as rows, Target, quotes as quote_rows},
    timelines::Candidate,
};
use siskin_policy::quotes;
use siskin_text::{self as text, Token};

use super::{NOT_ALLOWED, edit::require_editable, load_one, require_no_block};
use crate::{
    Error, Result,
    jobs::{self, Job},
    notifications,
    pages::{self, ById, Source},
    viewing::Viewing,
};

/// Number of quotes for which one transaction notifies the author. Each needs several statements, because
/// each notification is about another status.
const BATCH: usize = 20;

/// Parses a quote policy as typed.
///
/// # Errors
/// [`Error::Invalid`] for an unknown one.
pub(super) fn policy(name: &str) -> Result<QuotePolicy> {
    name.parse().map_err(|_| Error::validation("Quote approval policy is not included in the list"))
}

/// Returns the status to quote, with the state of the new quote. Prevents its deletion until the end
/// of the transaction.
///
/// # Errors
/// [`Error::NotFound`] if the status is hidden from the account; [`Error::Forbidden`] if the account
/// blocks its author, or may not quote it.
pub(super) fn take_quoted(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: StatusId,
) -> Result<(Target, QuoteState)> {
    let (target, permission) = rows::find_quotable(tx, id, account)?.ok_or(Error::NotFound)?;
    if !rows::lock_against_deletion(tx, target.id)? {
        return Err(Error::NotFound);
    }
    require_no_block(tx, account, &target)?;
    match permission {
        QuotePermission::Automatic => Ok((target, QuoteState::Accepted)),
        QuotePermission::Denied => Err(Error::forbidden("You are not allowed to quote this post")),
    }
}

/// Checks that a direct status mentions the author that it quotes.
///
/// # Errors
/// [`Error::Invalid`] if it does not.
pub(super) fn require_mention(
    quoted: &Target,
    author: AccountId,
    visibility: Visibility,
    mentioned: &[AccountId],
) -> Result<()> {
    let is_mentioned = quoted.account == author || mentioned.contains(&quoted.account);
    if visibility == Visibility::Direct && !is_mentioned {
        return Err(Error::validation("A private mention must mention the author that it quotes"));
    }
    Ok(())
}

/// Returns the HTML that stands above the text of a quote, for clients that do not know quotes.
/// Returns nothing if the text contains a link to the quoted status.
pub(super) fn link_above(urls: &Urls, quoted: &StatusBody, tokens: &[Token]) -> String {
    let page = quoted.page_or_uri(urls);
    let is_linked = text::links(tokens).into_iter().any(|link| link == page || link == quoted.uri);
    if is_linked { String::new() } else { text::render_quote_link(&page) }
}

/// Notifies the quoted author, if the quote is visible to them. A mention in the quote is
/// notification enough, and only the rules about mentions know its conversation.
pub(super) fn notify_quoted(
    tx: &mut Tx<'_>,
    author: AccountId,
    quote: StatusId,
    quoted: &Target,
    mentioned: &[AccountId],
) -> Result<()> {
    if quoted.account == author
        || mentioned.contains(&quoted.account)
        || rows::visible_ids(tx, &[quote], Some(quoted.account))?.is_empty()
    {
        return Ok(());
    }
    notifications::create(tx, cause(author, quote), &[quoted.account])
}

const fn cause(author: AccountId, quote: StatusId) -> Cause {
    Cause::new(author, NotificationKind::Quote, Some(quote))
}

/// Loads a page of the quotes of a status, the latest first. Leaves out quotes that are hidden from
/// the viewer, and those by accounts that the viewer blocks or mutes.
///
/// # Errors
/// [`Error::NotFound`] if the status does not exist, or is hidden from the viewer.
pub fn quotes(
    conn: &mut Conn,
    viewer: AccountId,
    id: StatusId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Status>> {
    let target = rows::find_target(conn, id, Some(viewer))?.ok_or(Error::NotFound)?;
    let viewing = Viewing::of(conn, Some(viewer), now)?;
    pages::build(&mut Quotes { viewing, of: target }, page)
}

struct Quotes<'c> {
    viewing: Viewing<'c>,
    of: Target,
}

impl Source for Quotes<'_> {
    type Candidate = Candidate;
    type Item = Status;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        Ok(quote_rows::candidates(self.viewing.conn, self.of.id, request)?)
    }

    fn may_show(&self, candidate: &Candidate) -> bool {
        self.viewing.may_show_author(candidate.author)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<ById<Status>> {
        let author = self.of.account;
        self.viewing.shown(candidates, |viewer, quote, now| {
            quotes::shows_in_list(viewer, author, quote, now)
        })
    }
}

/// Revokes a quote of a status of this account, and returns the quote, or the quoted status if the
/// quote is hidden from the account. Does nothing if it is revoked already.
///
/// # Errors
/// [`Error::NotFound`] if the status is hidden from the account, or if the second does not quote the
/// first; [`Error::Forbidden`] if the status belongs to another account.
pub fn revoke_quote(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: StatusId,
    quote: StatusId,
) -> Result<Status> {
    let quoted = rows::find_target(tx, id, Some(account))?.ok_or(Error::NotFound)?;
    if quoted.account != account {
        return Err(Error::forbidden(NOT_ALLOWED));
    }
    let author = quote_rows::author(tx, quote, quoted.id)?.ok_or(Error::NotFound)?;
    if quote_rows::revoke(tx, quoted.id, quote)? {
        withdraw(tx, cause(author, quote), account)?;
        withdraw_all(tx, NotificationKind::QuotedUpdate, quote)?;
        DomainEvent::StatusEdited(quote).write(tx)?;
    }
    // The quoting account may block this one, or have written for its followers only.
    match rows::find_visible(tx, quote, Some(account))? {
        Some(quote) => Ok(quote),
        None => load_one(tx, quoted.id, account),
    }
}

/// Sets who may quote a status of this account, and returns the status. Quotes that exist stay.
///
/// # Errors
/// [`Error::NotFound`] for a status that does not exist, or belongs to another account;
/// [`Error::Invalid`] for a reblog, and for a missing or unknown policy.
pub fn set_quote_policy(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: StatusId,
    name: Option<&str>,
) -> Result<Status> {
    if !rows::lock(tx, id)? {
        return Err(Error::NotFound);
    }
    let status = load_one(tx, id, account)?;
    require_editable(&status, account)?;
    let chosen = policy(name.unwrap_or_default())?;
    if !change_policy(tx, &status.body, chosen)? {
        return Ok(status);
    }
    DomainEvent::StatusEdited(id).write(tx)?;
    load_one(tx, id, account)
}

/// Sets who may quote a status. Returns `false` if nothing changes.
pub(super) fn change_policy(
    tx: &mut Tx<'_>,
    status: &StatusBody,
    chosen: QuotePolicy,
) -> Result<bool> {
    let policy = quotes::of_status(status.visibility, chosen);
    if policy == status.quote_approval.policy {
        return Ok(false);
    }
    quote_rows::set_policy(tx, status.id, policy)?;
    Ok(true)
}

/// Job that notifies the local authors of quotes that the quoted status was edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyQuoters {
    /// The quoted status.
    pub status: StatusId,
    /// Last quote for which the author was notified; `None` if there was none.
    pub after: Option<StatusId>,
}

impl Job for NotifyQuoters {
    const KIND: &'static str = "statuses.notify_quoters";
}

/// Enqueues [`NotifyQuoters`] if there is any quote.
pub(super) fn enqueue_notifying(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    if !quote_rows::local(tx, status, None, 1)?.is_empty() {
        jobs::enqueue(tx, &NotifyQuoters { status, after: None })?;
    }
    Ok(())
}

/// Runs one step of [`NotifyQuoters`], and enqueues another job for the rest. Replaces the
/// notifications of earlier edits. Does nothing if the status was deleted.
///
/// # Errors
/// Storage errors only.
pub fn notify_quoters(tx: &mut Tx<'_>, job: &NotifyQuoters) -> Result<()> {
    let Some(status) = rows::locate(tx, job.status)? else { return Ok(()) };
    let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
    let some = quote_rows::local(tx, status.id, job.after, limit)?;
    let ids: Vec<StatusId> = some.iter().map(|(quote, _)| *quote).collect();
    // Without the lock, the deletion of one quote could undo the notifications about all others.
    let present = rows::lock_all_against_deletion(tx, &ids)?;
    for (quote, author) in some.iter().filter(|(quote, _)| present.contains(quote)) {
        let kind = NotificationKind::QuotedUpdate;
        withdraw_all(tx, kind, *quote)?;
        let edited = Cause::new(status.account, kind, Some(*quote));
        notifications::create(tx, edited, &[*author])?;
    }
    if let Some((after, _)) = some.last().filter(|_| some.len() == BATCH) {
        jobs::enqueue(tx, &NotifyQuoters { status: status.id, after: Some(*after) })?;
    }
    Ok(())
}
