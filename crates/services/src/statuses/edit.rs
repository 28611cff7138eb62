//! Editing a status: its words, not whom it is for.
//!
//! An edit replaces the content warning and the mark; everything else stays unless it is named
//! (`docs/decisions/0015`). Earlier versions are kept for everyone who may see the status.

use siskin_entities::{
    NotificationKind, Settings, Status, StatusBody, StatusEdit, polls::Definition,
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, Tx,
    events::Happened,
    notifications,
    notifications::NewNotification,
    statuses::{self as rows, Revision},
};
use siskin_policy::limits::MAX_VERSIONS_SHOWN;
use siskin_text::{self as text, ContentType, TextLimit, language};

use super::{
    author, boosters,
    draft::{POLL_OR_MEDIA, Reading, check_length, content_type, words},
    load_one,
    publish::{accounts, make_tags},
};
use crate::{
    Error, Instance, Result,
    attachments::{self, MediaAttributes},
    cards,
    feeds::{self, Edited},
    named::Named,
    polls,
};

/// An edit as it was typed. `None` keeps what is stored; `Some(None)` clears it.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    pub text: Option<String>,
    pub spoiler_text: String,
    pub sensitive: bool,
    /// In any form that clients send; an unknown one keeps what is stored.
    pub language: Option<Option<String>>,
    /// What the text is written in, as a media type. `Some(None)`: as the author always writes.
    pub content_type: Option<Option<String>>,
    /// One that asks what the status asks already leaves the votes.
    pub poll: Option<Option<Definition>>,
    /// Clients send again what they saw. Other attachments than those cannot be asked for.
    pub media_ids: Option<Vec<String>>,
    /// The same of what is said of them.
    pub media_attributes: Vec<MediaAttributes>,
}

/// An edit, as far as it can be judged without the status.
#[derive(Debug, Clone)]
pub struct PreparedEdit {
    edit: Edit,
    content_type: Option<Option<ContentType>>,
    settings: Settings,
}

/// Checks what can be checked of an edit.
///
/// # Errors
/// [`Error::Invalid`] for an unknown content type.
pub fn prepare_edit(settings: &Settings, edit: Edit) -> Result<PreparedEdit> {
    let named = edit.content_type.as_ref().map(|name| content_type(name.as_deref()));
    let content_type = named.transpose()?;
    Ok(PreparedEdit { edit, content_type, settings: settings.clone() })
}

/// Edits a status of this account and returns it. An edit that changes nothing is none.
///
/// Those whom it names and no version did before are told, and so are those who reblogged it.
///
/// # Errors
/// [`Error::NotFound`] for a status that is gone, or someone else's; [`Error::Invalid`] for a
/// reblog, for words that are blank or too long, and for other attachments than it has;
/// [`Error::Forbidden`] where the author has moved.
pub fn edit(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    id: StatusId,
    asked: &PreparedEdit,
) -> Result<Status> {
    if !rows::lock(tx, id)? {
        return Err(Error::NotFound);
    }
    let status = load_one(tx, id, account)?;
    require_editable(&status, account)?;
    let author = author(tx, account)?;
    let before = status.body;
    let after = After::of(asked, &before, author.default_content_type)?;
    let poll = asked.edit.poll.as_ref().map(Option::as_ref);
    if after.changes(&before) || poll.is_some_and(|poll| asks_else(poll, &before)) {
        let added = revise(tx, instance, &asked.settings, &before, &after)?;
        tell(tx, &before, &added)?;
        Happened::StatusEdited(id).write(tx)?;
    }
    match poll {
        None => {}
        Some(None) => polls::remove(tx, id)?,
        Some(Some(poll)) => {
            polls::revise(tx, id, poll)?;
        }
    }
    load_one(tx, id, account)
}

fn require_editable(status: &Status, account: AccountId) -> Result<()> {
    if status.body.account.id != account {
        return Err(Error::NotFound);
    }
    if status.reblog.is_some() {
        return Err(Error::validation("A boost cannot be edited"));
    }
    Ok(())
}

/// Returns `true` if a status with this poll, or without one, is another version.
fn asks_else(poll: Option<&Definition>, before: &StatusBody) -> bool {
    match (poll, before.poll.as_ref()) {
        (Some(poll), Some(now)) => poll.resets(now),
        (None, None) => false,
        (Some(_), None) | (None, Some(_)) => true,
    }
}

/// What the status is to say.
struct After {
    text: String,
    content_type: ContentType,
    spoiler_text: String,
    sensitive: bool,
    language: Option<String>,
}

impl After {
    fn of(asked: &PreparedEdit, before: &StatusBody, usual: ContentType) -> Result<Self> {
        let PreparedEdit { edit, content_type, settings } = asked;
        attachments::require_same(
            &before.attachments,
            edit.media_ids.as_deref(),
            &edit.media_attributes,
        )?;
        if matches!(edit.poll, Some(Some(_))) && !before.attachments.is_empty() {
            return Err(Error::validation(POLL_OR_MEDIA));
        }
        let (text, spoiler_text) = words(
            edit.text.clone().unwrap_or_else(|| before.text.clone()),
            edit.spoiler_text.clone(),
            !before.attachments.is_empty(),
        )?;
        check_length(&text, &spoiler_text, TextLimit::from(settings.limits_status_chars))?;
        let content_type = content_type.map(|named| named.unwrap_or(usual));
        Ok(Self {
            sensitive: edit.sensitive || !spoiler_text.is_empty(),
            language: spoken(edit, before),
            content_type: content_type.unwrap_or(before.content_type),
            text,
            spoiler_text,
        })
    }

    fn changes(&self, before: &StatusBody) -> bool {
        self.text != before.text
            || self.content_type != before.content_type
            || self.spoiler_text != before.spoiler_text
            || self.sensitive != before.sensitive
            || self.language != before.language
    }
}

/// Returns the language after an edit.
fn spoken(edit: &Edit, before: &StatusBody) -> Option<String> {
    match &edit.language {
        Some(None) => None,
        Some(Some(code)) => {
            let known = language::normalise(code).map(str::to_owned);
            known.or_else(|| before.language.clone())
        }
        None => before.language.clone(),
    }
}

/// Writes what the status says now; returns whom it names and did not before.
fn revise(
    tx: &mut Tx<'_>,
    instance: &Instance,
    settings: &Settings,
    before: &StatusBody,
    after: &After,
) -> Result<Vec<AccountId>> {
    let limit = TextLimit::from(settings.limits_status_chars);
    let tokens = Reading::of(&after.text, after.content_type, limit)?.tokens;
    let handles = text::mentions(&tokens);
    let named = Named::find(tx, instance, before.account.id, &handles)?;
    let tags = make_tags(tx, &tokens)?;
    let revision = Revision {
        text: &after.text,
        content_type: after.content_type,
        content: &text::render(&tokens, &named),
        spoiler_text: &after.spoiler_text,
        sensitive: after.sensitive,
        language: after.language.as_deref(),
        mentions: &accounts(&named, &handles),
        tags: &tags,
    };
    let rows::Edited { added, unnamed, lost_tags } = rows::edit(tx, before, &revision)?;
    let is_other_language = after.language != before.language;
    feeds::edited(tx, before.id, Edited { is_other_language, lost_tags, unnamed })?;
    cards::replace(tx, instance, settings, (before.account.id, before.id), &tokens)?;
    Ok(added)
}

fn tell(tx: &mut Tx<'_>, status: &StatusBody, added: &[AccountId]) -> Result<()> {
    let named = |recipient: &AccountId| NewNotification {
        recipient: *recipient,
        from: status.account.id,
        kind: NotificationKind::Mention,
        status: Some(status.id),
    };
    let news: Vec<NewNotification> = added.iter().map(named).collect();
    notifications::create(tx, &news)?;
    boosters::tell_anew(tx, status.account.id, status.id)
}

/// The versions of a status, the first one first and the present one last. Of more than
/// [`MAX_VERSIONS_SHOWN`] those between the original and the newest are left out.
///
/// # Errors
/// [`Error::NotFound`] where it is gone, or not for this reader.
pub fn history(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    id: StatusId,
) -> Result<Vec<StatusEdit>> {
    let status = rows::find_visible(conn, id, viewer)?.ok_or(Error::NotFound)?;
    Ok(rows::history(conn, status.shown(), MAX_VERSIONS_SHOWN)?)
}
