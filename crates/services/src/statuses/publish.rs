//! Publishes statuses.

use std::borrow::Cow;

use siskin_entities::{NotificationKind, QuoteState, StatusDraft, Visibility};
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};
use siskin_persistence::{
    Conn, Tx, accounts as account_rows,
    events::DomainEvent,
    media,
    notifications::Cause,
    search,
    statuses::{self as rows, Announced, Author, NewStatus, Parent, Target},
    tags::{self, TypedTag},
};
use siskin_policy::quotes;
use siskin_text::{self as text, Handle, Token};

use super::{
    author,
    draft::{ParsedText, Prepared},
    load_one,
    quotes::{link_above, notify_quoted, require_mention, take_quoted},
    require_no_block,
    subscribers::notify_some,
};
use crate::{
    Error, Instance, Result, attachments, cards, feeds, named::Mentionables, notifications, polls,
};

/// Status that passed the checks that need the database.
pub(super) struct Admitted<'p> {
    author: Author,
    parent: Option<Parent>,
    /// The status that it quotes, with the state of the quote.
    quoted: Option<(Target, QuoteState)>,
    /// With the author's defaults.
    pub(super) draft: StatusDraft,
    parsed_text: Cow<'p, ParsedText>,
}

/// Runs the checks that need the database, and writes nothing. An attachment of a scheduled status
/// is allowed only if `reserved_by` is that status.
///
/// # Errors
/// [`Error::Invalid`] if the text is empty in the author's default content type;
/// [`Error::NotFound`] if the parent or the quoted status is hidden from the author;
/// [`Error::Invalid`] for attachments that are unavailable or not processed; [`Error::Forbidden`] if
/// the author has moved, blocks the author of the parent or of the quoted status, or may not quote
/// that status.
pub(super) fn admit<'p>(
    tx: &mut Tx<'_>,
    account: AccountId,
    prepared: &'p Prepared,
    reserved_by: Option<ScheduledStatusId>,
) -> Result<Admitted<'p>> {
    let author = author(tx, account)?;
    let parent = parent(tx, account, prepared)?;
    let parsed_text = prepared.parsed_text(&author)?;
    attachments::require_ready(tx, account, &prepared.media, reserved_by)?;
    let mut draft = prepared.with_defaults(&author);
    let quoted = draft.quote_of.map(|id| take_quoted(tx, account, id)).transpose()?;
    if let Some((quoted, _)) = &quoted {
        draft.visibility = quotes::visibility(quoted.visibility, draft.visibility);
    }
    let allowed = draft.quote_policy.unwrap_or_default();
    draft.quote_policy = Some(quotes::of_status(draft.visibility, allowed));
    Ok(Admitted { author, parent, quoted, draft, parsed_text })
}

/// Publishes a prepared status, and notifies mentioned accounts and followers that subscribed to
/// the author. Returns its id. Callers load the status in a separate read, so that the write
/// transaction stays short.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`] and [`Error::Forbidden`] if the author cannot publish it
/// now: the parent is hidden from them, or an attachment is unavailable.
/// [`Error::UnexpectedMentions`] if it mentions other accounts than it may.
pub fn apply(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    prepared: &Prepared,
) -> Result<StatusId> {
    let admitted = admit(tx, account, prepared, None)?;
    let id = StatusId::new(tx.next_id());
    publish(tx, instance, account, id, prepared, admitted)?;
    Ok(id)
}

/// Publishes a status that was [admitted](admit) in the same transaction.
pub(super) fn publish(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    id: StatusId,
    prepared: &Prepared,
    admitted: Admitted<'_>,
) -> Result<()> {
    let Admitted { author, parent, quoted, mut draft, parsed_text } = admitted;
    let handles = text::mentions(&parsed_text.tokens);
    let named = Mentionables::find(tx, instance, account, &handles)?;
    let mentioned = accounts(&named, &handles);
    refuse_unexpected(tx, account, &draft, &mentioned)?;
    let quoted_target = quoted.as_ref().map(|(target, _)| target);
    let mut content = String::new();
    if let Some(target) = quoted_target {
        require_mention(target, account, draft.visibility, &mentioned)?;
        let quoted = load_one(tx, target.id, account)?;
        content = link_above(&instance.urls, &quoted.body, &parsed_text.tokens);
    }
    content.push_str(&text::render(&parsed_text.tokens, &named));
    // A status with a content warning is always sensitive.
    let source = &mut draft.source;
    source.sensitive |= !source.spoiler_text.is_empty();
    let detected = || parsed_text.language.map(str::to_owned);
    source.language = source.language.take().or_else(detected);
    let tags = ensure_tags(tx, &parsed_text.tokens)?;
    let new = NewStatus {
        id,
        account,
        uri: &instance.urls.status_uri(&author.username, id),
        draft: &draft,
        content: &content,
        in_reply_to: parent,
        quote: quoted.as_ref().map(|(target, state)| (target.id, *state)),
        application: prepared.application,
        mentions: &mentioned,
        tags: &tags,
    };
    rows::insert(tx, &new)?;
    DomainEvent::StatusPublished(id).write(tx)?;
    media::attach(tx, id, &prepared.media)?;
    draft.poll.iter().try_for_each(|poll| polls::open(tx, id, poll))?;
    // After the poll and the attachments, which are searched, too.
    search::index(tx, &[id])?;
    if prepared.link_previews {
        cards::add(tx, instance, (account, id), &parsed_text.tokens)?;
    }
    notify(tx, &new)?;
    if let Some(target) = quoted_target {
        notify_quoted(tx, account, id, target, &mentioned)?;
    }
    feeds::fan_out(tx, id)
}

/// Refuses a status that mentions other accounts than the client expects. The author may always be
/// mentioned.
fn refuse_unexpected(
    conn: &mut Conn,
    author: AccountId,
    draft: &StatusDraft,
    mentioned: &[AccountId],
) -> Result<()> {
    let Some(allowed) = &draft.allowed_mentions else { return Ok(()) };
    let is_unexpected = |account: &&AccountId| **account != author && !allowed.contains(account);
    let unexpected: Vec<AccountId> = mentioned.iter().filter(is_unexpected).copied().collect();
    if unexpected.is_empty() {
        return Ok(());
    }
    Err(Error::UnexpectedMentions(account_rows::load_in_order(conn, &unexpected)?))
}

impl Admitted<'_> {
    /// Refuses a scheduled status because of its mentions, as [`publish`] would refuse it now.
    pub(super) fn check_mentions(
        &self,
        conn: &mut Conn,
        instance: &Instance,
        author: AccountId,
    ) -> Result<()> {
        if self.draft.allowed_mentions.is_none() && self.quoted.is_none() {
            return Ok(());
        }
        let handles = text::mentions(&self.parsed_text.tokens);
        let named = Mentionables::find(conn, instance, author, &handles)?;
        let mentioned = accounts(&named, &handles);
        if let Some((quoted, _)) = &self.quoted {
            require_mention(quoted, author, self.draft.visibility, &mentioned)?;
        }
        refuse_unexpected(conn, author, &self.draft, &mentioned)
    }
}

fn parent(tx: &mut Tx<'_>, account: AccountId, prepared: &Prepared) -> Result<Option<Parent>> {
    let Some(id) = prepared.draft.in_reply_to else { return Ok(None) };
    let target = rows::find_target(tx, id, Some(account))?.ok_or(Error::NotFound)?;
    require_no_block(tx, account, &target)?;
    Ok(Some(target.as_parent()))
}

/// Returns the mentioned accounts without duplicates, in the order of the text. `@name` and
/// `@name@here` are the same account.
pub(super) fn accounts(named: &Mentionables, handles: &[&Handle]) -> Vec<AccountId> {
    let mut accounts = Vec::new();
    for account in handles.iter().filter_map(|handle| named.account(handle)) {
        if !accounts.contains(&account.id) {
            accounts.push(account.id);
        }
    }
    accounts
}

pub(super) fn ensure_tags(tx: &mut Tx<'_>, tokens: &[Token]) -> Result<Vec<siskin_ids::TagId>> {
    let typed = |tag: &text::Hashtag| TypedTag {
        name: tag.name.clone(),
        display_name: tag.display.clone(),
    };
    let typed: Vec<TypedTag> = text::hashtags(tokens).into_iter().map(typed).collect();
    Ok(tags::find_or_insert(tx, &typed)?)
}

/// Notifies the mentioned accounts. Also notifies followers that subscribed to the author, unless
/// the status is direct or a reply to another account.
fn notify(tx: &mut Tx<'_>, new: &NewStatus<'_>) -> Result<()> {
    let mention = Cause::new(new.account, NotificationKind::Mention, Some(new.id));
    notifications::create(tx, mention, new.mentions)?;
    let is_reply_to_other = new.in_reply_to.is_some_and(|parent| parent.account != new.account);
    if new.draft.visibility == Visibility::Direct || is_reply_to_other {
        return Ok(());
    }
    let language = new.draft.source.language.as_deref();
    let announced = Announced { author: new.account, status: new.id, language };
    notify_some(tx, announced, None)
}
