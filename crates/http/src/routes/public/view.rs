//! Accounts and statuses for the templates of public pages. They show the same data as the API;
//! this module only formats it.

use siskin_entities::{MediaKind, Status, Timestamp, Urls};
use siskin_text::isolate;
use siskin_wire::{
    account::{self, Account, Field},
    card::PreviewCard,
    emoji::CustomEmoji,
    media::MediaAttachment,
    quote::Quote,
    status::{self as wire, StatusCounts, StatusFacts},
    time::Instant,
};

use super::{emojis, poll::PollItem};
use crate::pages::Moment;

/// A person with their name, in plain text and in HTML.
#[derive(Debug)]
pub(in crate::routes) struct Person {
    /// Name in plain text, for places without images.
    pub(in crate::routes) name: String,
    /// Name in HTML with the images of custom emojis.
    pub(in crate::routes) name_html: String,
    /// Handle with the domain, for local accounts too, as it is typed on other servers.
    pub(in crate::routes) handle: String,
    pub(in crate::routes) url: String,
    pub(in crate::routes) avatar: String,
}

/// A row of the profile's table. Both parts are HTML.
#[derive(Debug)]
pub(in crate::routes) struct Line {
    pub(in crate::routes) name: String,
    pub(in crate::routes) value: String,
    pub(in crate::routes) verified_at: Option<Instant>,
}

/// Parent of a status.
#[derive(Debug)]
pub(in crate::routes) enum ReplyTo {
    Nothing,
    /// The author replies to an own status.
    Themselves,
    /// A reply to the mentioned account with this name and address.
    Mentioned(String, String),
    /// A reply to an account that the status does not mention.
    Unmentioned,
}

/// A media attachment of a status.
#[derive(Debug)]
pub(in crate::routes) struct MediaItem {
    /// `image`, `gifv`, `video` or `audio`.
    pub(in crate::routes) kind: &'static str,
    pub(in crate::routes) url: String,
    /// Address of the preview image, or of the file itself if there is none.
    pub(in crate::routes) preview: String,
    pub(in crate::routes) description: String,
    /// Size of the preview, if it is known.
    pub(in crate::routes) size: Option<(u32, u32)>,
}

impl MediaItem {
    /// Converts an attachment. Returns `None` if it has no address.
    fn of(media: &MediaAttachment) -> Option<Self> {
        let url = media.url.clone()?;
        let small = media.meta.as_ref().and_then(|meta| meta.small.as_ref());
        Some(Self {
            kind: MediaKind::from_name(&media.kind).unwrap_or_default().as_str(),
            preview: media.preview_url.clone().unwrap_or_else(|| url.clone()),
            url,
            description: media.description.clone().unwrap_or_default(),
            size: small.and_then(|small| small.width.zip(small.height)),
        })
    }
}

/// The preview of a link in a status. All fields are plain text.
#[derive(Debug)]
pub(in crate::routes) struct Preview {
    pub(in crate::routes) url: String,
    /// Name of the site, or its host.
    pub(in crate::routes) site: String,
    pub(in crate::routes) title: String,
    pub(in crate::routes) description: String,
    pub(in crate::routes) image: Option<String>,
}

impl Preview {
    fn of(card: &PreviewCard) -> Self {
        let host = card.url.split('/').nth(2).unwrap_or_default();
        let site = if card.provider_name.is_empty() { host } else { &card.provider_name };
        Self {
            url: card.url.clone(),
            site: site.to_owned(),
            title: if card.title.is_empty() { card.url.clone() } else { card.title.clone() },
            description: card.description.clone(),
            image: card.image.clone(),
        }
    }
}

/// What a status quotes.
#[derive(Debug)]
pub(in crate::routes) enum QuoteItem {
    /// It is no quote.
    Nothing,
    /// The page does not show the quoted status.
    Hidden,
    Shown(Box<QuotedItem>),
}

/// A quoted status.
#[derive(Debug)]
pub(in crate::routes) struct QuotedItem {
    pub(in crate::routes) author: Person,
    pub(in crate::routes) url: String,
    pub(in crate::routes) created: Moment,
    /// HTML, like the next field.
    pub(in crate::routes) warning: String,
    pub(in crate::routes) content: String,
    pub(in crate::routes) language: Option<String>,
    pub(in crate::routes) direction: &'static str,
    /// Number of attachments and polls, which the page does not show.
    pub(in crate::routes) attached: usize,
}

impl QuoteItem {
    fn of(quote: Option<&Quote>, urls: &Urls, now: Timestamp) -> Self {
        let Some(quote) = quote else { return Self::Nothing };
        let Some(quoted) = quote.quoted_status.iter().flatten().next() else { return Self::Hidden };
        let facts = &quoted.snapshot.facts;
        Self::Shown(Box::new(QuotedItem {
            author: Person::of(&quoted.live.account, urls),
            url: address(facts),
            created: Moment::of(facts.created_at.0, now),
            warning: emojis::in_text(&facts.spoiler_text, &facts.emojis),
            content: emojis::in_html(&quoted.snapshot.content, &facts.emojis),
            direction: direction(facts.language.as_deref()),
            language: facts.language.clone(),
            attached: facts.media_attachments.len() + usize::from(quoted.live.poll.poll.is_some()),
        }))
    }
}

/// Returns the address of the page of a status, or its identifier if it has no page.
fn address(facts: &StatusFacts) -> String {
    facts.url.clone().unwrap_or_else(|| facts.uri.clone())
}

/// A status, or the status that a reblog shows.
#[derive(Debug)]
pub(in crate::routes) struct StatusItem {
    pub(in crate::routes) author: Person,
    /// Name of the account that reblogged it, as HTML.
    pub(in crate::routes) reblogged_by: Option<String>,
    pub(in crate::routes) reply_to: ReplyTo,
    pub(in crate::routes) url: String,
    pub(in crate::routes) created: Moment,
    pub(in crate::routes) edited: Option<Moment>,
    /// HTML, like the next field.
    pub(in crate::routes) warning: String,
    pub(in crate::routes) content: String,
    pub(in crate::routes) media: Vec<MediaItem>,
    /// `true` if the attachments are hidden until the viewer opens them.
    pub(in crate::routes) sensitive: bool,
    pub(in crate::routes) poll: Option<PollItem>,
    pub(in crate::routes) quote: QuoteItem,
    /// `None` also if the status has attachments.
    pub(in crate::routes) preview: Option<Preview>,
    pub(in crate::routes) language: Option<String>,
    /// `rtl` if the language is written from right to left, else `auto`, which leaves the choice to
    /// the browser.
    pub(in crate::routes) direction: &'static str,
    pub(in crate::routes) reactions: String,
    /// `true` if it is the main status of the page.
    pub(in crate::routes) main: bool,
}

impl Person {
    pub(in crate::routes) fn of(account: &Account, urls: &Urls) -> Self {
        let snapshot = &account.snapshot;
        let name = display_name_or_username(&snapshot.display_name, &snapshot.username);
        let handle = if snapshot.acct.contains('@') {
            format!("@{}", snapshot.acct)
        } else {
            format!("@{}@{}", snapshot.acct, urls.domain())
        };
        Self {
            name: isolated_name(&snapshot.display_name, &snapshot.username),
            name_html: emojis::in_text(name, &snapshot.emojis),
            handle,
            url: snapshot.url.clone().unwrap_or_else(|| snapshot.uri.clone()),
            avatar: snapshot.avatar_static.clone(),
        }
    }
}

impl Line {
    /// Converts a field, with the custom emojis of the account.
    pub(in crate::routes) fn of(field: &Field, own: &[CustomEmoji]) -> Self {
        Self {
            name: emojis::in_text(&field.name, own),
            value: emojis::in_html(&field.value, own),
            verified_at: field.verified_at,
        }
    }
}

impl StatusItem {
    pub(in crate::routes) fn of(status: &Status, urls: &Urls, now: Timestamp) -> Self {
        let outer = wire::render(status, urls, now);
        let reblogged_by =
            outer.live.reblog.is_some().then(|| Person::of(&outer.live.account, urls).name_html);
        let view = outer.live.reblog.as_deref().unwrap_or(&outer);
        let facts = &view.snapshot.facts;
        Self {
            author: Person::of(&view.live.account, urls),
            reblogged_by,
            reply_to: ReplyTo::of(view),
            url: address(facts),
            created: Moment::of(facts.created_at.0, now),
            edited: facts.edited_at.map(|edited| Moment::of(edited.0, now)),
            warning: emojis::in_text(&facts.spoiler_text, &facts.emojis),
            content: emojis::in_html(&view.snapshot.content, &facts.emojis),
            media: facts.media_attachments.iter().filter_map(MediaItem::of).collect(),
            sensitive: view.live.sensitive,
            poll: view.live.poll.poll.as_ref().map(|poll| PollItem::of(poll, now)),
            quote: QuoteItem::of(view.live.quote.as_ref(), urls, now),
            preview: (facts.card.as_ref())
                .filter(|_| facts.media_attachments.is_empty())
                .map(Preview::of),
            direction: direction(facts.language.as_deref()),
            language: facts.language.clone(),
            reactions: reactions(view.live.counts),
            main: false,
        }
    }

    pub(in crate::routes) fn main(self) -> Self {
        Self { main: true, ..self }
    }
}

impl ReplyTo {
    fn of(status: &wire::Status) -> Self {
        let facts = &status.snapshot.facts;
        if status.live.parent.in_reply_to_id.is_none() {
            return Self::Nothing;
        }
        if status.live.parent.in_reply_to_account_id == Some(status.live.account.snapshot.id) {
            return Self::Themselves;
        }
        let mention = facts
            .mentions
            .iter()
            .find(|mention| Some(mention.id) == status.live.parent.in_reply_to_account_id);
        mention.map_or(Self::Unmentioned, |mention| {
            Self::Mentioned(format!("@{}", mention.username), mention.url.clone())
        })
    }
}

/// Returns the name of an account, isolated for plain text: titles, labels, previews.
pub(in crate::routes) fn isolated_name(display_name: &str, username: &str) -> String {
    isolate(display_name_or_username(display_name, username))
}

fn display_name_or_username<'n>(display_name: &'n str, username: &'n str) -> &'n str {
    if display_name.is_empty() { username } else { display_name }
}

/// Renders an account as the API shows it to anonymous viewers.
pub(in crate::routes) fn account(account: &siskin_entities::Account, urls: &Urls) -> Account {
    account::render(account, urls)
}

/// Languages that are written from right to left. A status in one of them may begin with a name in
/// another script, which would mislead the browser.
const RIGHT_TO_LEFT: [&str; 9] = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ur", "yi"];

fn direction(language: Option<&str>) -> &'static str {
    if language.is_some_and(|code| RIGHT_TO_LEFT.contains(&code)) { "rtl" } else { "auto" }
}

/// Returns a text such as `2 replies · 1 reblog`; empty if there are no reactions.
fn reactions(counts: StatusCounts) -> String {
    [
        (counts.replies_count, "reply", "replies"),
        (counts.reblogs_count, "reblog", "reblogs"),
        (counts.favourites_count, "favourite", "favourites"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| counted(count, one, many))
    .collect::<Vec<_>>()
    .join(" · ")
}

/// Returns a text such as `1 reply` or `2 replies`.
pub(in crate::routes) fn counted(count: i64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reactions_are_counted_in_text() {
        let counts = |replies_count, reblogs_count, favourites_count| {
            let quotes_count = 0;
            reactions(StatusCounts { replies_count, reblogs_count, favourites_count, quotes_count })
        };
        assert_eq!(counts(0, 0, 0), "");
        assert_eq!(counts(1, 2, 0), "1 reply · 2 reblogs");
        assert_eq!(counts(0, 0, 1), "1 favourite");
    }
}
