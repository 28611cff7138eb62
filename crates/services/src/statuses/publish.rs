//! Publishing a status.

use std::borrow::Cow;

use siskin_entities::{NotificationKind, Visibility};
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};
use siskin_persistence::{
    Conn, Tx, accounts as account_rows, media, notifications,
    notifications::NewNotification,
    statuses::{self as rows, Announced, Author, NewStatus, Parent},
    tags::{self, TypedTag},
};
use siskin_text::{self as text, ContentType, Handle, Token};

use super::{
    author,
    draft::{Prepared, Reading},
    require_peace,
    subscribers::tell_some,
};
use crate::{Error, Instance, Result, attachments, cards, feeds, named::Named, polls};

/// A status that its author can publish now: what was asked of who is there.
pub(super) struct Admitted<'p> {
    author: Author,
    parent: Option<Parent>,
    reading: Cow<'p, Reading>,
}

/// Checks what could not be known before; of attachments that are held, those that `held_by` holds
/// can be had. Nothing is written.
///
/// # Errors
/// [`Error::Invalid`] where the text says nothing in the content type that the author always uses;
/// [`Error::NotFound`] where the author cannot see what is replied to; [`Error::Invalid`] for
/// attachments that are not there to be attached or not ready; [`Error::Forbidden`] where the author
/// has moved, or blocks who wrote what is replied to.
pub(super) fn admit<'p>(
    tx: &mut Tx<'_>,
    account: AccountId,
    prepared: &'p Prepared,
    held_by: Option<ScheduledStatusId>,
) -> Result<Admitted<'p>> {
    let author = author(tx, account)?;
    let parent = parent(tx, account, prepared)?;
    let reading = prepared.reading(&author)?;
    attachments::require_ready(tx, account, &prepared.media, held_by)?;
    Ok(Admitted { author, parent, reading })
}

/// Publishes a prepared status and tells those who are to know: whom it names, and followers who
/// asked for it. Returns its id; what it looks like is for a read to say, which holds nobody up.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`] and [`Error::Forbidden`] where the author cannot publish
/// it now: what is replied to is not there for them, or an attachment.
/// [`Error::UnexpectedMentions`] if it mentions other accounts than it may.
pub fn apply(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    prepared: &Prepared,
) -> Result<StatusId> {
    let admitted = admit(tx, account, prepared, None)?;
    let id = StatusId::new(tx.next_id());
    publish(tx, instance, account, id, prepared, &admitted)?;
    Ok(id)
}

/// Publishes what was [admitted](admit) in the same transaction.
pub(super) fn publish(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    id: StatusId,
    prepared: &Prepared,
    admitted: &Admitted<'_>,
) -> Result<()> {
    let Admitted { author, parent, reading } = admitted;
    let handles = text::mentions(&reading.tokens);
    let named = Named::find(tx, instance, account, &handles)?;
    let mentioned = accounts(&named, &handles);
    refuse_unexpected(tx, account, prepared, &mentioned)?;
    let tags = make_tags(tx, &reading.tokens)?;
    let new = NewStatus {
        id,
        account,
        uri: &instance.urls.status_uri(&author.username, id),
        text: &prepared.text,
        content_type: reading.content_type,
        content: &text::render(&reading.tokens, &named),
        spoiler_text: &prepared.spoiler_text,
        visibility: admitted.visibility(prepared),
        // What hides behind a content warning is sensitive, whatever was said.
        sensitive: admitted.sensitive(prepared) || !prepared.spoiler_text.is_empty(),
        language: admitted.language(prepared).or(reading.language),
        in_reply_to: *parent,
        application: prepared.application,
        mentions: &mentioned,
        tags: &tags,
    };
    rows::insert(tx, &new)?;
    media::attach(tx, id, &prepared.media)?;
    prepared.poll.iter().try_for_each(|poll| polls::open(tx, id, poll))?;
    if prepared.link_previews {
        cards::add(tx, instance, (account, id), &reading.tokens)?;
    }
    tell(tx, &new)?;
    feeds::deliver(tx, id)
}

/// Refuses a status that mentions other accounts than the client expects. The author may always be
/// mentioned.
fn refuse_unexpected(
    conn: &mut Conn,
    author: AccountId,
    prepared: &Prepared,
    mentioned: &[AccountId],
) -> Result<()> {
    let Some(allowed) = &prepared.allowed_mentions else { return Ok(()) };
    let is_unexpected = |account: &&AccountId| **account != author && !allowed.contains(account);
    let unexpected: Vec<AccountId> = mentioned.iter().filter(is_unexpected).copied().collect();
    if unexpected.is_empty() {
        return Ok(());
    }
    Err(Error::UnexpectedMentions(account_rows::load_in_order(conn, &unexpected)?))
}

/// What the author said, or always says.
impl Admitted<'_> {
    /// Refuses a status that is to be published later, as [`publish`] would refuse it now.
    pub(super) fn refuse_unexpected(
        &self,
        conn: &mut Conn,
        instance: &Instance,
        author: AccountId,
        prepared: &Prepared,
    ) -> Result<()> {
        if prepared.allowed_mentions.is_none() {
            return Ok(());
        }
        let handles = text::mentions(&self.reading.tokens);
        let named = Named::find(conn, instance, author, &handles)?;
        refuse_unexpected(conn, author, prepared, &accounts(&named, &handles))
    }

    pub(super) fn content_type(&self) -> ContentType {
        self.reading.content_type
    }

    pub(super) fn visibility(&self, prepared: &Prepared) -> Visibility {
        prepared.visibility.unwrap_or(self.author.default_privacy)
    }

    pub(super) fn sensitive(&self, prepared: &Prepared) -> bool {
        prepared.sensitive.unwrap_or(self.author.default_sensitive)
    }

    /// None where the author leaves it to how the text looks.
    pub(super) fn language(&self, prepared: &Prepared) -> Option<&str> {
        prepared.language.or(self.author.default_language.as_deref())
    }
}

fn parent(tx: &mut Tx<'_>, account: AccountId, prepared: &Prepared) -> Result<Option<Parent>> {
    let Some(id) = prepared.in_reply_to else { return Ok(None) };
    let target = rows::find_target(tx, id, Some(account))?.ok_or(Error::NotFound)?;
    require_peace(tx, account, &target)?;
    Ok(Some(target.as_parent()))
}

/// Each account once, in the order in which they were named: `@name` and `@name@here` are one.
pub(super) fn accounts(named: &Named, handles: &[&Handle]) -> Vec<AccountId> {
    let mut accounts = Vec::new();
    for account in handles.iter().filter_map(|handle| named.account(handle)) {
        if !accounts.contains(&account.id) {
            accounts.push(account.id);
        }
    }
    accounts
}

pub(super) fn make_tags(tx: &mut Tx<'_>, tokens: &[Token]) -> Result<Vec<siskin_ids::TagId>> {
    let typed = |tag: &text::Hashtag| TypedTag {
        name: tag.name.clone(),
        display_name: tag.display.clone(),
    };
    let typed: Vec<TypedTag> = text::hashtags(tokens).into_iter().map(typed).collect();
    Ok(tags::find_or_make(tx, &typed)?)
}

/// Those whom it names; and unless it is for them alone or an answer to someone else, those who
/// asked for what the author writes.
fn tell(tx: &mut Tx<'_>, new: &NewStatus<'_>) -> Result<()> {
    let named = |recipient: &AccountId| NewNotification {
        recipient: *recipient,
        from: new.account,
        kind: NotificationKind::Mention,
        status: Some(new.id),
    };
    let news: Vec<NewNotification> = new.mentions.iter().map(named).collect();
    notifications::create(tx, &news)?;
    let is_answer_to_other = new.in_reply_to.is_some_and(|parent| parent.account != new.account);
    if new.visibility == Visibility::Direct || is_answer_to_other {
        return Ok(());
    }
    let announced = Announced { author: new.account, status: new.id, language: new.language };
    tell_some(tx, announced, None)
}
