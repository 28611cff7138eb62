//! Publishing a status.

use std::borrow::Cow;

use siskin_entities::{NotificationKind, Settings, Status, Visibility, polls::Definition};
use siskin_ids::{AccountId, ApplicationId, MediaId, StatusId};
use siskin_persistence::{
    Tx, idempotency, media, notifications,
    notifications::NewNotification,
    statuses::{self as rows, Announced, Author, NewStatus, Parent},
    tags::{self, TypedTag},
};
use siskin_policy::limits;
use siskin_text::{self as text, ContentType, Handle, Token, language};

use super::{author, load_one, require_peace, subscribers::tell_some};
use crate::{Error, Instance, Result, attachments, named::Named, polls, secrets};

/// Clients show one of them.
pub(super) const POLL_OR_MEDIA: &str = "A post has either attachments or a poll";

/// A status as it was typed.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    pub text: String,
    pub spoiler_text: String,
    /// None: as the author's settings say, as with the two below.
    pub visibility: Option<String>,
    pub sensitive: Option<bool>,
    /// In any form that clients send; one that is not known counts as none.
    pub language: Option<String>,
    /// What the text is written in, as a media type; None: as the author always writes.
    pub content_type: Option<String>,
    pub in_reply_to_id: Option<String>,
    /// Attachments in their order.
    pub media_ids: Vec<String>,
    pub application: Option<ApplicationId>,
    pub poll: Option<Definition>,
    /// Sent again with the same key, the status is published once.
    pub idempotency_key: Option<String>,
}

/// A status that is fit to be published, as far as that can be known without asking who is there.
#[derive(Debug, Clone)]
pub struct Prepared {
    text: String,
    spoiler_text: String,
    content_type: Option<ContentType>,
    /// As plain text where no content type was given.
    reading: Reading,
    visibility: Option<Visibility>,
    sensitive: Option<bool>,
    language: Option<&'static str>,
    in_reply_to: Option<StatusId>,
    media: Vec<MediaId>,
    application: Option<ApplicationId>,
    poll: Option<Definition>,
    idempotency_key: Option<String>,
}

/// Checks a draft and takes its text apart.
///
/// # Errors
/// [`Error::Invalid`] for a text that is blank or too long, for too many attachments, for an unknown
/// visibility and an unknown content type;
/// [`Error::NotFound`] for a status to reply to that cannot exist.
pub fn prepare(settings: &Settings, draft: Draft) -> Result<Prepared> {
    let media = attachments::named(&draft.media_ids)?;
    if draft.poll.is_some() && !media.is_empty() {
        return Err(Error::validation(POLL_OR_MEDIA));
    }
    let (text, spoiler_text) = words(draft.text, draft.spoiler_text, !media.is_empty())?;
    check_length(&text, &spoiler_text, settings)?;
    let visibility = draft.visibility.map(|name| name.parse::<Visibility>()).transpose();
    let in_reply_to = draft.in_reply_to_id.map(|id| id.parse::<StatusId>()).transpose();
    let content_type = content_type(draft.content_type.as_deref())?;
    Ok(Prepared {
        reading: Reading::of(&text, content_type.unwrap_or_default())?,
        content_type,
        visibility: visibility
            .map_err(|_| Error::validation("Visibility is not included in the list"))?,
        sensitive: draft.sensitive,
        language: draft.language.as_deref().and_then(language::normalise),
        in_reply_to: in_reply_to.map_err(|_| Error::NotFound)?,
        media,
        application: draft.application,
        poll: draft.poll,
        idempotency_key: draft.idempotency_key.map(|key| secrets::hash(&key)),
        text,
        spoiler_text,
    })
}

/// The content type that a client names, if it names one.
pub(super) fn content_type(name: Option<&str>) -> Result<Option<ContentType>> {
    let content_type = name.map(str::parse).transpose();
    content_type.map_err(|_| Error::validation("Content type is not included in the list"))
}

/// What a text says, read as it was written.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    content_type: ContentType,
    pub(super) tokens: Vec<Token>,
    /// As the words look.
    language: Option<&'static str>,
}

impl Reading {
    /// # Errors
    /// [`Error::Invalid`] for marks with nothing between them.
    pub(super) fn of(text: &str, content_type: ContentType) -> Result<Self> {
        let tokens = text::parse_as(text, content_type);
        if tokens.is_empty() && !text::is_blank(text) {
            return Err(Error::validation("Text can't be blank"));
        }
        Ok(Self { content_type, language: language::detect(&tokens), tokens })
    }
}

impl Prepared {
    /// The text as it was written: only now it is known how the author always writes.
    fn reading(&self, author: &Author) -> Result<Cow<'_, Reading>> {
        let content_type = self.content_type.unwrap_or(author.default_content_type);
        if content_type == self.reading.content_type {
            return Ok(Cow::Borrowed(&self.reading));
        }
        Reading::of(&self.text, content_type).map(Cow::Owned)
    }
}

/// Text and content warning. A content warning alone is taken for the text, unless there is
/// something else to be warned of.
pub(super) fn words(
    text: String,
    spoiler_text: String,
    has_media: bool,
) -> Result<(String, String)> {
    match (text::is_blank(&text), text::is_blank(&spoiler_text)) {
        (false, false) => Ok((text, spoiler_text)),
        (false, true) => Ok((text, String::new())),
        (true, false) if has_media => Ok((String::new(), spoiler_text)),
        (true, true) if has_media => Ok((String::new(), String::new())),
        (true, false) => Ok((spoiler_text, String::new())),
        (true, true) => Err(Error::validation("Text can't be blank")),
    }
}

pub(super) fn check_length(text: &str, spoiler_text: &str, settings: &Settings) -> Result<()> {
    let most = settings.limits_status_chars;
    if text::count(text, spoiler_text) > usize::try_from(most).unwrap_or(usize::MAX) {
        return Err(Error::validation(format!("Text character limit of {most} exceeded")));
    }
    Ok(())
}

/// Publishes a prepared status and tells those who are to know: whom it names, and followers who
/// asked for it. Returns it as its author sees it, or the status that was published with the same
/// key before.
///
/// # Errors
/// [`Error::Invalid`] where the text says nothing in the content type that the author always uses;
/// [`Error::NotFound`] where the author cannot see what is replied to, and where the status that
/// the key stands for is gone; [`Error::Invalid`] for attachments that are not there to be attached
/// or not ready; [`Error::Forbidden`] where the author has moved, or blocks who wrote
/// what is replied to.
pub fn apply(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    prepared: &Prepared,
) -> Result<Status> {
    let id = StatusId::new(tx.next_id());
    if let Some(key) = &prepared.idempotency_key
        && let Some(earlier) =
            idempotency::claim(tx, account, key, id, limits::IDEMPOTENCY_KEY_KEPT)?
    {
        return load_one(tx, earlier, account);
    }
    let author = author(tx, account)?;
    let parent = parent(tx, account, prepared)?;
    let reading = prepared.reading(&author)?;
    let handles = text::mentions(&reading.tokens);
    let named = Named::find(tx, instance, account, &handles)?;
    let mentioned = accounts(&named, &handles);
    let tags = make_tags(tx, &reading.tokens)?;
    let visibility = prepared.visibility.unwrap_or(author.default_privacy);
    let new = NewStatus {
        id,
        account,
        uri: &instance.urls.status_uri(&author.username, id),
        text: &prepared.text,
        content_type: reading.content_type,
        content: &text::render(&reading.tokens, &named),
        spoiler_text: &prepared.spoiler_text,
        visibility,
        sensitive: is_sensitive(prepared, &author),
        language: language_of(prepared, &author, &reading),
        in_reply_to: parent,
        application: prepared.application,
        mentions: &mentioned,
        tags: &tags,
    };
    attachments::require_ready(tx, account, &prepared.media)?;
    rows::insert(tx, &new)?;
    media::attach(tx, id, &prepared.media)?;
    prepared.poll.iter().try_for_each(|poll| polls::open(tx, id, poll))?;
    tell(tx, &new)?;
    load_one(tx, id, account)
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

/// What hides behind a content warning is sensitive, whatever was said.
fn is_sensitive(prepared: &Prepared, author: &Author) -> bool {
    prepared.sensitive.unwrap_or(author.default_sensitive) || !prepared.spoiler_text.is_empty()
}

/// As given, else as the author always writes, else as the text looks.
fn language_of<'a>(
    prepared: &'a Prepared,
    author: &'a Author,
    reading: &Reading,
) -> Option<&'a str> {
    prepared.language.or(author.default_language.as_deref()).or(reading.language)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str, spoiler_text: &str) -> Draft {
        Draft { text: text.to_owned(), spoiler_text: spoiler_text.to_owned(), ..Draft::default() }
    }

    fn prepared(draft: Draft) -> Result<Prepared> {
        prepare(&Settings::default(), draft)
    }

    fn error(draft: Draft) -> String {
        prepared(draft).unwrap_err().to_string()
    }

    #[test]
    fn a_status_says_something() {
        for blank in [" \n", "\u{200B}", "\u{FEFF}\u{2060}", "\u{3164}"] {
            assert_eq!(error(draft(blank, blank)), "Validation failed: Text can't be blank");
        }
        let warned = prepared(draft("", "spoilers")).unwrap();
        assert_eq!((warned.text.as_str(), warned.spoiler_text.as_str()), ("spoilers", ""));
    }

    #[test]
    fn a_status_is_at_most_as_long_as_the_operator_allows() {
        assert!(prepared(draft(&"x".repeat(490), &"y".repeat(10))).is_ok());
        assert_eq!(
            error(draft(&"x".repeat(491), &"y".repeat(10))),
            "Validation failed: Text character limit of 500 exceeded"
        );
        let longer = Settings { limits_status_chars: 1000, ..Settings::default() };
        assert!(prepare(&longer, draft(&"x".repeat(1000), "")).is_ok());
    }

    #[test]
    fn what_is_no_visibility_and_no_status_is_refused() {
        let limited = Draft { visibility: Some("limited".to_owned()), ..draft("x", "") };
        assert_eq!(error(limited), "Validation failed: Visibility is not included in the list");
        let reply = Draft { in_reply_to_id: Some("abc".to_owned()), ..draft("x", "") };
        assert!(matches!(prepared(reply), Err(Error::NotFound)));
    }

    #[test]
    fn a_status_is_written_in_what_is_known() {
        let written = |text: &str, kind: &str| {
            prepared(Draft { content_type: Some(kind.to_owned()), ..draft(text, "") })
        };
        assert_eq!(written("*x*", "text/html").unwrap().reading.content_type, ContentType::Html);
        assert_eq!(
            written("x", "text/rtf").unwrap_err().to_string(),
            "Validation failed: Content type is not included in the list"
        );
        let nothing = written("<!-- nothing -->", "text/html").unwrap_err().to_string();
        assert_eq!(nothing, "Validation failed: Text can't be blank");
    }

    #[test]
    fn a_language_that_is_not_known_is_none() {
        let in_language = |code: &str| {
            prepared(Draft { language: Some(code.to_owned()), ..draft("x", "") }).unwrap().language
        };
        assert_eq!(in_language("de-CH"), Some("de"));
        assert_eq!(in_language("xx"), None);
    }
}
