//! Editing a status: its words, not whom it is for.
//!
//! What is not said stays as it is. What it was is kept, for all to read who may see the status.

use siskin_entities::{NotificationKind, Settings, Status, StatusBody, StatusEdit};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, Tx, notifications,
    notifications::NewNotification,
    statuses::{self as rows, Revision},
};
use siskin_text::{self as text, Token, language};

use super::{
    author, boosters, load_one,
    publish::{accounts, check_length, make_tags, refused, words},
};
use crate::{
    Error, Instance, Result,
    attachments::{self, MediaAttributes},
    named::Named,
};

/// An edit as it was typed; None leaves what is there.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    pub text: Option<String>,
    pub spoiler_text: Option<String>,
    pub sensitive: Option<bool>,
    /// In any form that clients send; one that is not known leaves what is there.
    pub language: Option<String>,
    /// Clients send again what they saw. Other attachments than those cannot be asked for.
    pub media_ids: Option<Vec<String>>,
    /// The same of what is said of them.
    pub media_attributes: Vec<MediaAttributes>,
}

/// An edit, as far as it can be judged without the status.
#[derive(Debug, Clone)]
pub struct PreparedEdit {
    edit: Edit,
    /// Of the text that was typed.
    tokens: Option<Vec<Token>>,
    settings: Settings,
}

/// Takes the text of an edit apart.
#[must_use]
pub fn prepare_edit(settings: &Settings, edit: Edit) -> PreparedEdit {
    let tokens = edit.text.as_deref().map(text::parse);
    PreparedEdit { edit, tokens, settings: settings.clone() }
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
    if after.changes(&before) {
        let added = revise(tx, instance, asked, &before, &after)?;
        tell(tx, &before, &added)?;
    }
    load_one(tx, id, account)
}

fn require_editable(status: &Status, account: AccountId) -> Result<()> {
    if status.body.account.id != account {
        return Err(Error::NotFound);
    }
    if status.reblog.is_some() {
        return Err(refused("A boost cannot be edited"));
    }
    Ok(())
}

/// What the status is to say.
struct After {
    text: String,
    spoiler_text: String,
    sensitive: bool,
    language: Option<String>,
}

impl After {
    fn of(PreparedEdit { edit, settings, .. }: &PreparedEdit, before: &StatusBody) -> Result<Self> {
        attachments::require_same(
            &before.attachments,
            edit.media_ids.as_deref(),
            &edit.media_attributes,
        )?;
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
            text,
            spoiler_text,
        })
    }

    fn changes(&self, before: &StatusBody) -> bool {
        self.text != before.text
            || self.spoiler_text != before.spoiler_text
            || self.sensitive != before.sensitive
            || self.language != before.language
    }
}

/// Writes what the status says now; returns whom it names and did not before.
fn revise(
    tx: &mut Tx<'_>,
    instance: &Instance,
    asked: &PreparedEdit,
    before: &StatusBody,
    after: &After,
) -> Result<Vec<AccountId>> {
    // A content warning may have become the text.
    let typed = asked.tokens.as_ref().filter(|_| asked.edit.text.as_ref() == Some(&after.text));
    let tokens = typed.cloned().unwrap_or_else(|| text::parse(&after.text));
    let handles = text::mentions(&tokens);
    let named = Named::find(tx, instance, before.account.id, &handles)?;
    let tags = make_tags(tx, &tokens)?;
    let revision = Revision {
        text: &after.text,
        content: &text::render(&tokens, &named),
        spoiler_text: &after.spoiler_text,
        sensitive: after.sensitive,
        language: after.language.as_deref(),
        mentions: &accounts(&named, &handles),
        tags: &tags,
    };
    Ok(rows::edit(tx, before, &revision)?)
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
