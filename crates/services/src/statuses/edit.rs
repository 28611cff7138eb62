//! Edits of a status. They change its content, not its visibility.
//!
//! An edit replaces the content warning and the sensitive flag. Everything else stays unless it is
//! named (`docs/decisions/0015`). All viewers of the status can read its earlier versions.

use siskin_entities::{
    NotificationKind, QuotePolicy, Settings, Status, StatusBody, StatusEdit, StatusSource,
    polls::Definition,
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, Tx,
    events::DomainEvent,
    notifications::Cause,
    search,
    statuses::{self as rows, Revision},
};
use siskin_policy::limits::MAX_VERSIONS_SHOWN;
use siskin_text::{self as text, ContentType, TextLimit};

use super::{
    author,
    draft::{POLL_OR_MEDIA, ParsedText},
    load_one,
    publish::{accounts, ensure_tags},
    quotes, rebloggers,
    source::SourceParams,
};
use crate::{
    Error, Instance, Result,
    attachments::{self, MediaAttributes},
    cards, feeds,
    named::Mentionables,
    notifications, polls,
};

/// An edit as it was typed. `None` keeps the stored value; `Some(None)` clears it.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    pub source: SourceParams,
    /// A poll with the same question keeps the votes.
    pub poll: Option<Option<Definition>>,
    /// Clients send back the ids that they received. Other attachments are refused.
    pub media_ids: Option<Vec<String>>,
    /// Metadata of the attachments; changes are refused too.
    pub media_attributes: Vec<MediaAttributes>,
    /// Name of the accounts that may quote it.
    pub quote_policy: Option<String>,
}

/// Edit after the checks that need no database.
#[derive(Debug, Clone)]
pub struct PreparedEdit {
    edit: Edit,
    quote_policy: Option<QuotePolicy>,
    settings: Settings,
}

/// Checks the parts of an edit that need no database.
///
/// # Errors
/// [`Error::Invalid`] for an unknown content type, and for an unknown quote policy.
pub fn prepare_edit(settings: &Settings, edit: Edit) -> Result<PreparedEdit> {
    // Refuses an unknown one before the transaction; `applied_to` parses it again.
    edit.source.content_type()?;
    let quote_policy = edit.quote_policy.as_deref().map(quotes::policy).transpose()?;
    Ok(PreparedEdit { edit, quote_policy, settings: settings.clone() })
}

/// Edits a status of this account and returns it. Does nothing if the edit changes nothing.
///
/// Notifies accounts that no earlier version mentioned, rebloggers, and authors of quotes.
///
/// # Errors
/// [`Error::NotFound`] for a status that does not exist, or belongs to another account;
/// [`Error::Invalid`] for a reblog, for a text that is blank or too long, and for a change of
/// attachments; [`Error::Forbidden`] if the author has moved.
pub fn edit(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    id: StatusId,
    prepared: &PreparedEdit,
) -> Result<Status> {
    if !rows::lock(tx, id)? {
        return Err(Error::NotFound);
    }
    let status = load_one(tx, id, account)?;
    require_editable(&status, account)?;
    let author = author(tx, account)?;
    let before = status.body;
    let after = edited(prepared, &before, author.default_content_type)?;
    let poll = prepared.edit.poll.as_ref().map(Option::as_ref);
    let is_changed = after != before.source || poll.is_some_and(|poll| changes_poll(poll, &before));
    if is_changed {
        let added = revise(tx, instance, &prepared.settings, &before, &after)?;
        notify(tx, &before, &added)?;
    }
    let changes_policy = match prepared.quote_policy {
        Some(policy) => quotes::change_policy(tx, &before, policy)?,
        None => false,
    };
    if is_changed || changes_policy {
        DomainEvent::StatusEdited(id).write(tx)?;
    }
    match poll {
        None => {}
        Some(None) => polls::remove(tx, id)?,
        Some(Some(poll)) => {
            polls::revise(tx, id, poll)?;
        }
    }
    if is_changed || poll.is_some() {
        search::index(tx, &[id])?;
    }
    load_one(tx, id, account)
}

pub(super) fn require_editable(status: &Status, account: AccountId) -> Result<()> {
    if status.body.account.id != account {
        return Err(Error::NotFound);
    }
    if status.reblog.is_some() {
        return Err(Error::validation("A reblog cannot be edited"));
    }
    Ok(())
}

/// Returns `true` if this poll, or its absence, makes a different version of the status.
fn changes_poll(poll: Option<&Definition>, before: &StatusBody) -> bool {
    match (poll, before.poll.as_ref()) {
        (Some(poll), Some(now)) => poll.resets(now),
        (None, None) => false,
        (Some(_), None) | (None, Some(_)) => true,
    }
}

/// Returns the source of the status after the edit. `usual` is the author's default content type.
fn edited(
    prepared: &PreparedEdit,
    before: &StatusBody,
    usual: ContentType,
) -> Result<StatusSource> {
    let PreparedEdit { edit, settings, .. } = prepared;
    attachments::require_same(
        &before.attachments,
        edit.media_ids.as_deref(),
        &edit.media_attributes,
    )?;
    let has_media = !before.attachments.is_empty();
    if matches!(edit.poll, Some(Some(_))) && has_media {
        return Err(Error::validation(POLL_OR_MEDIA));
    }
    let limit = TextLimit::from(settings.limits_status_chars);
    let mut source = edit.source.applied_to(&before.source, usual, limit, has_media)?;
    // A status with a content warning is always sensitive.
    source.sensitive |= !source.spoiler_text.is_empty();
    Ok(source)
}

/// Writes the new content. Returns the accounts that are newly mentioned.
fn revise(
    tx: &mut Tx<'_>,
    instance: &Instance,
    settings: &Settings,
    before: &StatusBody,
    after: &StatusSource,
) -> Result<Vec<AccountId>> {
    let limit = TextLimit::from(settings.limits_status_chars);
    let tokens = ParsedText::of(&after.text, after.content_type, limit)?.tokens;
    let handles = text::mentions(&tokens);
    let named = Mentionables::find(tx, instance, before.account.id, &handles)?;
    let tags = ensure_tags(tx, &tokens)?;
    let above = before.quoted().map(|quoted| quotes::link_above(&instance.urls, quoted, &tokens));
    let content = above.unwrap_or_default() + &text::render(&tokens, &named);
    let revision = Revision {
        source: after,
        content: &content,
        mentions: &accounts(&named, &handles),
        tags: &tags,
    };
    let added = rows::edit(tx, before, &revision)?;
    feeds::fan_out(tx, before.id)?;
    cards::replace(tx, instance, settings, (before.account.id, before.id), &tokens)?;
    Ok(added)
}

fn notify(tx: &mut Tx<'_>, status: &StatusBody, added: &[AccountId]) -> Result<()> {
    let author = status.account.id;
    let mention = Cause::new(author, NotificationKind::Mention, Some(status.id));
    notifications::create(tx, mention, added)?;
    rebloggers::replace_notifications(tx, author, status.id)?;
    quotes::enqueue_notifying(tx, status.id)
}

/// Returns the versions of a status, the original first and the current one last. If there are more
/// than [`MAX_VERSIONS_SHOWN`], omits those between the original and the newest.
///
/// # Errors
/// [`Error::NotFound`] if the status does not exist, or is hidden from `viewer`.
pub fn history(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    id: StatusId,
) -> Result<Vec<StatusEdit>> {
    let status = rows::find_visible(conn, id, viewer)?.ok_or(Error::NotFound)?;
    Ok(rows::history(conn, status.displayed(), MAX_VERSIONS_SHOWN)?)
}
