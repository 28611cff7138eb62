//! Texts about notifications outside of clients: plain, short, in English.

use std::iter;

use siskin_entities::{
    Account, Notification, NotificationKind, NotificationRecord, Status, StrikeAction,
    filters::FilterAction,
};
use siskin_ids::AccountId;
use siskin_text::{html_to_text, isolate, shorten};

use super::SummaryGroup;

/// Limits of a name, in characters and in bytes.
const NAME: (usize, usize) = (60, 240);
/// Limits of the body, in characters and in bytes. An encrypted message has at most 4,096 bytes.
const BODY: (usize, usize) = (140, 1000);

/// Returns a sentence about a notification, for this recipient.
pub(crate) fn title(notification: &Notification, recipient: AccountId) -> String {
    sentence(notification, &name(&notification.account), recipient)
}

/// Returns a sentence about the notifications of a group, for this recipient.
pub(crate) fn title_of_group(group: &SummaryGroup, recipient: AccountId) -> String {
    sentence(&group.newest, &names(group), recipient)
}

/// Returns the sentence about what the account or the accounts of this name did.
fn sentence(notification: &Notification, name: &str, recipient: AccountId) -> String {
    let is_own = notification.account.id == recipient;
    match notification.kind {
        NotificationKind::Mention => format!("{name} mentioned you"),
        NotificationKind::Status => format!("{name} published a post"),
        NotificationKind::Reblog => format!("{name} reblogged your post"),
        NotificationKind::Follow => format!("{name} followed you"),
        NotificationKind::FollowRequest => format!("{name} requested to follow you"),
        NotificationKind::Favourite => format!("{name} favourited your post"),
        NotificationKind::Update => format!("{name} edited a post that you reblogged"),
        NotificationKind::Quote => format!("{name} quoted your post"),
        NotificationKind::QuotedUpdate => format!("{name} edited a post that you quoted"),
        NotificationKind::Poll if is_own => "Your poll has ended".to_owned(),
        NotificationKind::Poll => format!("A poll of {name} has ended"),
        NotificationKind::ModerationWarning => warning(notification).to_owned(),
        NotificationKind::AdminSignUp => format!("{name} signed up"),
        NotificationKind::AdminReport => match &notification.record {
            Some(NotificationRecord::Report(shown)) => {
                format!("{name} reported {}", self::name(&shown.target))
            }
            _ => format!("{name} reported an account"),
        },
    }
}

/// Returns the sentence about a decision of the moderators. It never names the moderator.
fn warning(notification: &Notification) -> &'static str {
    let action = match &notification.record {
        Some(NotificationRecord::Strike(strike)) => strike.action,
        _ => StrikeAction::Warn,
    };
    match action {
        StrikeAction::Warn => "You received a warning from the moderators",
        StrikeAction::Disable => "The moderators disabled your login",
        StrikeAction::MarkStatusesAsSensitive => {
            "The moderators marked some of your posts as sensitive"
        }
        StrikeAction::DeleteStatuses => "The moderators deleted some of your posts",
        StrikeAction::Sensitive => "The moderators marked your media as sensitive",
        StrikeAction::Silence => "The moderators limited your account",
        StrikeAction::Suspend => "The moderators suspended your account",
    }
}

/// Names the newest two accounts of a group, and counts the others.
fn names(group: &SummaryGroup) -> String {
    let SummaryGroup { newest, second, count } = group;
    let named = iter::once(&newest.account).chain(second);
    let named: Vec<String> = named.map(|account| name(account)).collect();
    match count.saturating_sub(named.len()) {
        0 => named.join(" and "),
        1 => format!("{} and 1 other", named.join(", ")),
        others => format!("{} and {others} others", named.join(", ")),
    }
}

fn name(account: &Account) -> String {
    let name = Some(one_line(&account.display_name)).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| account.acct());
    isolate(&shorten(&name, NAME.0, NAME.1))
}

/// Returns the beginning of the text that a notification is about: the content warning or the text
/// of the status, or the biography of a new follower. Returns `None` if a filter hides the status.
pub(crate) fn body(notification: &Notification) -> Option<String> {
    let text = match (&notification.status, &notification.record) {
        (Some(status), _) => text(status)?,
        (None, Some(NotificationRecord::Strike(strike))) => strike.text.clone(),
        (None, Some(NotificationRecord::Report(shown))) => shown.report.comment.clone(),
        (None, None) => html_to_text(&notification.account.note_html),
    };
    Some(shorten(&text, BODY.0, BODY.1).into_owned())
}

/// Returns the beginning of the text that a group is about, as [`body`] does. It is empty for
/// several followers.
pub(crate) fn body_of_group(group: &SummaryGroup) -> Option<String> {
    if group.count > 1 && group.newest.status.is_none() {
        return Some(String::new());
    }
    body(&group.newest)
}

/// Returns the text of a status. A filter that warns replaces it by the title of the filter. One
/// that blurs media changes nothing, because no media are shown.
fn text(status: &Status) -> Option<String> {
    let shown = status.displayed();
    let filtered = shown.viewer.as_ref().and_then(|viewer| viewer.filtered.first());
    match filtered.map(|result| &result.filter) {
        Some(filter) if filter.action == FilterAction::Hide => None,
        Some(filter) if filter.action == FilterAction::Warn => Some(filter.title.clone()),
        _ if shown.source.spoiler_text.is_empty() => Some(html_to_text(&shown.content)),
        _ => Some(shown.source.spoiler_text.clone()),
    }
}

/// Replaces line breaks and controls by single spaces.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use siskin_entities::{
        AccountSnapshot, FilterContext, FilterSet, StatusBody, StatusSnapshot, Timestamp,
        ViewerState,
        filters::{Filter, FilterHead, FilterKeyword},
    };
    use siskin_ids::{FilterId, FilterKeywordId, NotificationId, StatusId};

    use super::*;

    const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);

    fn account(display_name: &str) -> Account {
        let snapshot = AccountSnapshot::new(AccountId::new(1), "ann", NOW);
        Account::new(AccountSnapshot { display_name: display_name.to_owned(), ..snapshot })
    }

    fn status(content: &str) -> Status {
        let author = account("");
        let snapshot = StatusSnapshot::new(StatusId::new(2), &author, content, NOW);
        let mut body = StatusBody::new(snapshot, author);
        body.viewer = Some(ViewerState::default());
        Status::new(body)
    }

    fn filtered(action: FilterAction, content: &str) -> Option<String> {
        let keyword = FilterKeyword::whole_word(FilterKeywordId::new(3), "siskin");
        let head = FilterHead { action, ..FilterHead::new(FilterId::new(4), "Birds") };
        let filters = FilterSet::compile(&[Filter::new(head, vec![keyword])]).unwrap();
        text(&filters.mark(FilterContext::Notifications, NOW, status(content)))
    }

    #[test]
    fn a_name_is_one_short_line() {
        assert_eq!(name(&account(" Ann\n\tB. ")), "Ann B.");
        assert_eq!(name(&account(" \n")), "ann");
        assert_eq!(name(&account(&"x".repeat(100))), format!("{}…", "x".repeat(59)));
        assert_eq!(name(&account("\u{202E}nnA")), "\u{2068}\u{202E}nnA\u{202C}\u{2069}");
    }

    #[test]
    fn a_group_names_two_accounts() {
        let group = |count: usize| SummaryGroup {
            newest: Notification {
                id: NotificationId::new(9),
                kind: NotificationKind::Follow,
                account: Arc::new(account("Ann")),
                status: None,
                record: None,
                created_at: NOW,
                filtered: false,
            },
            second: (count > 1).then(|| Arc::new(account("Bob"))),
            count,
        };
        for (count, title) in [
            (1, "Ann followed you"),
            (2, "Ann and Bob followed you"),
            (3, "Ann, Bob and 1 other followed you"),
            (30, "Ann, Bob and 28 others followed you"),
        ] {
            assert_eq!(title_of_group(&group(count), AccountId::new(2)), title);
            assert_eq!(body_of_group(&group(count)).as_deref(), Some(""));
        }
    }

    #[test]
    fn the_text_is_plain() {
        assert_eq!(text(&status("<p>Tom &amp; Jerry &lt;3</p>")).unwrap(), "Tom & Jerry <3");
        let mut warned = status("<p>text</p>");
        warned.body.snapshot_mut().source.spoiler_text = "Tom & Jerry".to_owned();
        assert_eq!(text(&warned).unwrap(), "Tom & Jerry");
    }

    #[test]
    fn a_filter_that_hides_drops_the_message_and_one_that_warns_replaces_the_text() {
        assert_eq!(filtered(FilterAction::Hide, "<p>a siskin</p>"), None);
        assert_eq!(filtered(FilterAction::Warn, "<p>a siskin</p>").unwrap(), "Birds");
        assert_eq!(filtered(FilterAction::Hide, "<p>a finch</p>").unwrap(), "a finch");
        assert_eq!(filtered(FilterAction::Blur, "<p>a siskin</p>").unwrap(), "a siskin");
    }
}
