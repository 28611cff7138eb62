//! Editing a status: its words, not whom it is for.
//!
//! What is not said stays as it is. What it was is kept, for all to read who may see the status.

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
use siskin_text::{self as text, ContentType, language};

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

/// An edit as it was typed; None leaves what is there.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    pub text: Option<String>,
    pub spoiler_text: Option<String>,
    pub sensitive: Option<bool>,
    /// In any form that clients send; one that is not known leaves what is there.
    pub language: Option<String>,
    /// What the text is written in, as a media type.
    pub content_type: Option<String>,
    /// One that asks what the status asks already leaves the votes.
    pub poll: Option<Definition>,
    /// Clients send again what they saw. Other attachments than those cannot be asked for.
    pub media_ids: Option<Vec<String>>,
    /// The same of what is said of them.
    pub media_attributes: Vec<MediaAttributes>,
}

/// An edit, as far as it can be judged without the status.
#[derive(Debug, Clone)]
pub struct PreparedEdit {
    edit: Edit,
    content_type: Option<ContentType>,
    settings: Settings,
}

/// Checks what can be checked of an edit.
///
/// # Errors
/// [`Error::Invalid`] for an unknown content type.
pub fn prepare_edit(settings: &Settings, edit: Edit) -> Result<PreparedEdit> {
    let content_type = content_type(edit.content_type.as_deref())?;
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
    author(tx, account)?;
    let before = status.body;
    let after = After::of(asked, &before)?;
    let poll = asked.edit.poll.as_ref();
    if after.changes(&before) || poll.is_some_and(|poll| asks_else(poll, &before)) {
        let added = revise(tx, instance, &asked.settings, &before, &after)?;
        tell(tx, &before, &added)?;
        Happened::StatusEdited(id).write(tx)?;
    }
    poll.map(|poll| polls::revise(tx, id, poll)).transpose()?;
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

/// Whether a status becomes another one by this poll.
fn asks_else(poll: &Definition, before: &StatusBody) -> bool {
    before.poll.as_ref().is_none_or(|now| poll.resets(now))
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
    fn of(asked: &PreparedEdit, before: &StatusBody) -> Result<Self> {
        let PreparedEdit { edit, content_type, settings } = asked;
        attachments::require_same(
            &before.attachments,
            edit.media_ids.as_deref(),
            &edit.media_attributes,
        )?;
        if edit.poll.is_some() && !before.attachments.is_empty() {
            return Err(Error::validation(POLL_OR_MEDIA));
        }
        let kept = |new: &Option<String>, old: &str| new.clone().unwrap_or_else(|| old.to_owned());
        let (text, spoiler_text) = words(
            kept(&edit.text, &before.text),
            kept(&edit.spoiler_text, &before.spoiler_text),
            !before.attachments.is_empty(),
        )?;
        check_length(&text, &spoiler_text, settings)?;
        let language = edit.language.as_deref().and_then(language::normalise);
        Ok(Self {
            sensitive: edit.sensitive.unwrap_or(before.sensitive) || !spoiler_text.is_empty(),
            language: language.map(str::to_owned).or_else(|| before.language.clone()),
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

/// Writes what the status says now; returns whom it names and did not before.
fn revise(
    tx: &mut Tx<'_>,
    instance: &Instance,
    settings: &Settings,
    before: &StatusBody,
    after: &After,
) -> Result<Vec<AccountId>> {
    let tokens = Reading::of(&after.text, after.content_type)?.tokens;
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
    cards::replace(tx, instance, settings, before.id, &tokens)?;
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

/// Every version of a status, the first one first and the present one last.
///
/// # Errors
/// [`Error::NotFound`] where it is gone, or not for this reader.
pub fn history(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    id: StatusId,
) -> Result<Vec<StatusEdit>> {
    let status = rows::find_visible(conn, id, viewer)?.ok_or(Error::NotFound)?;
    Ok(rows::history(conn, status.shown())?)
}
