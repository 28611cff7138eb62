//! Emails about notifications, and digests, for accounts that chose to get them.
//!
//! The first notification marks its recipient as waiting and enqueues a job, which runs a little
//! later. So an email contains everything that happened in between, and nothing that was read,
//! undone or hidden meanwhile.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{EmailTopic, Marked, Notification, NotificationKind, Timestamp, Urls};
use siskin_ids::{AccountId, NotificationId, first_id_at};
use siskin_persistence::{
    Conn, Tx,
    emails::{self as rows, DigestRule},
    markers,
    users::{self, EmailRecipient},
};

use super::{Email, RenderedEmail, SendEmail, html, unsubscribe};
use crate::{
    Result,
    authentication::UserState,
    jobs::{self, Job},
    notifications::{self, texts},
    vapid,
};

/// Delay of an email after its first notification.
const WAIT: Duration = Duration::from_mins(2);
/// Maximum number of notifications that an email lists.
const LISTED: i64 = 20;
/// Time without activity after which an account gets digests, and the time between two of them.
const DIGEST_PERIOD: Duration = Duration::from_hours(7 * 24);
/// Number of digests that one transaction enqueues.
const DIGESTS: i64 = 100;
/// Time between two such transactions, so that emails about sign-ins do not wait behind digests.
const DIGEST_PAUSE: Duration = Duration::from_mins(1);
/// Age at which an email that was not sent is given up. Jobs are retried for a shorter time.
const ABANDONED: Duration = Duration::from_hours(4 * 24);

/// Marks accounts as waiting for an email about their notifications from `first` on, and enqueues
/// the jobs that send them.
///
/// # Errors
/// Storage errors only.
pub(crate) fn enqueue_about_notifications(
    tx: &mut Tx<'_>,
    accounts: &[AccountId],
    first: NotificationId,
) -> Result<()> {
    if accounts.is_empty() {
        return Ok(());
    }
    let at = tx.now().after(WAIT);
    let abandoned = first_id_at(tx.now().before(ABANDONED).unix_ms());
    let waiting = rows::wait(tx, accounts, first, NotificationId::new(abandoned))?;
    let job = |account| SendEmail { letter: Email::Notifications { account } };
    let emails: Vec<SendEmail> = waiting.into_iter().map(job).collect();
    jobs::enqueue_many_at(tx, &emails, at)
}

/// Job that enqueues digests for accounts that were not active for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PlanDigests {
    /// Account that was looked at last; `None` if none was.
    #[serde(default)]
    pub after: Option<AccountId>,
}

impl Job for PlanDigests {
    const KIND: &'static str = "emails.plan_digests";
}

/// Runs one step of [`PlanDigests`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn plan_digests(tx: &mut Tx<'_>, job: &PlanDigests) -> Result<()> {
    let before = tx.now().before(DIGEST_PERIOD);
    let rule = DigestRule { inactive_since: before, none_since: before };
    let due = rows::take_due_for_digest(tx, rule, job.after, DIGESTS)?;
    let job = |(account, since): &(AccountId, Timestamp)| {
        let since = (*since).max(before.before(DIGEST_PERIOD)).unix_ms();
        SendEmail { letter: Email::Digest { account: *account, since } }
    };
    let (emails, now): (Vec<SendEmail>, _) = (due.iter().map(job).collect(), tx.now());
    jobs::enqueue_many_at(tx, &emails, now)?;
    if let Some((last, _)) = due.last().filter(|_| i64::try_from(due.len()) == Ok(DIGESTS)) {
        jobs::enqueue_at(tx, &PlanDigests { after: Some(*last) }, now.after(DIGEST_PAUSE))?;
    }
    Ok(())
}

/// The notifications of an email, before the recipient's filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    pub recipient: EmailRecipient,
    /// The newest first.
    pub notifications: Vec<Notification>,
    /// Whether there are more than these.
    pub is_more: bool,
    /// Address that ends such emails.
    unsubscribe: String,
}

/// Loads what an email about notifications contains. Returns `None` if there is nothing to send any
/// more: everything was read or undone, the account chose differently, or its user may not act.
///
/// # Errors
/// Storage errors only.
pub fn load(
    conn: &mut Conn,
    urls: &Urls,
    email: &Email,
    now: Timestamp,
) -> Result<Option<Content>> {
    let (account, first, is_digest) = match email {
        Email::Notifications { account } => match rows::waiting(conn, *account)? {
            Some(first) => (*account, first, false),
            None => return Ok(None),
        },
        Email::Digest { account, since } => {
            (*account, NotificationId::new(first_id_at(*since)), true)
        }
        _ => return Ok(None),
    };
    let Some(recipient) = users::recipient(conn, account)? else { return Ok(None) };
    let owner = recipient.owner;
    let state = UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
    let Some(key) = vapid::key(conn)?.filter(|_| state == UserState::Active) else {
        return Ok(None);
    };
    let chosen = rows::topics(conn, account)?;
    let (topics, kinds) = wanted(&chosen, is_digest);
    if kinds.is_empty() {
        return Ok(None);
    }
    let first = first.max(first_unread(conn, account)?);
    let (notifications, is_more) = notifications::since(conn, account, kinds, first, LISTED, now)?;
    Ok((!notifications.is_empty()).then_some(Content {
        unsubscribe: unsubscribe::link(urls, &key, account, &topics),
        recipient,
        notifications,
        is_more,
    }))
}

/// Returns the lowest id of notifications after the account's read marker.
fn first_unread(conn: &mut Conn, account: AccountId) -> Result<NotificationId> {
    let read = markers::load(conn, account)?.notifications.map_or(0, |marker| marker.last_read_id);
    Ok(NotificationId::new(read.saturating_add(1)))
}

/// Returns the topics of an email, and the kinds of notifications that it lists.
fn wanted(chosen: &[EmailTopic], is_digest: bool) -> (Vec<EmailTopic>, Vec<NotificationKind>) {
    if is_digest {
        let topics: Vec<EmailTopic> =
            chosen.iter().copied().filter(|topic| *topic == EmailTopic::Digest).collect();
        let kinds = if topics.is_empty() { Vec::new() } else { NotificationKind::ALL.to_vec() };
        return (topics, kinds);
    }
    let kind = |topic: &EmailTopic| match topic {
        EmailTopic::Notifications(kind) => Some(*kind),
        EmailTopic::Digest => None,
    };
    let kinds: Vec<NotificationKind> = chosen.iter().filter_map(kind).collect();
    (kinds.iter().copied().map(EmailTopic::Notifications).collect(), kinds)
}

/// Ends the wait of an account after its email was sent, or was not needed. If it has notifications
/// after `newest`, which came meanwhile, it waits for another email. Does nothing for other emails.
///
/// # Errors
/// Storage errors only.
pub fn finish(tx: &mut Tx<'_>, email: &Email, newest: Option<NotificationId>) -> Result<()> {
    let Email::Notifications { account } = email else { return Ok(()) };
    let Some(first) = rows::waiting(tx, *account)? else { return Ok(()) };
    rows::finish(tx, *account)?;
    let (_, kinds) = wanted(&rows::topics(tx, *account)?, false);
    let next = newest.map_or(first, |newest| NotificationId::new(newest.max(first).get() + 1));
    let (now, next) = (tx.now(), next.max(first_unread(tx, *account)?));
    if kinds.is_empty() || notifications::since(tx, *account, kinds, next, 1, now)?.0.is_empty() {
        return Ok(());
    }
    enqueue_about_notifications(tx, &[*account], next)
}

/// Writes the email. Returns `None` if the recipient's filters hide all of it.
#[must_use]
pub fn compose(
    urls: &Urls,
    site: &str,
    email: &Email,
    content: &Content,
    notifications: &Marked<Vec<Notification>>,
) -> Option<RenderedEmail> {
    let Content { recipient, is_more, unsubscribe, .. } = content;
    let account = recipient.owner.account;
    let shown: Vec<(&Notification, String)> = notifications
        .iter()
        .filter_map(|notification| Some((notification, texts::body(notification)?)))
        .collect();
    let (first, _) = shown.first()?;
    let more = if *is_more { "more than " } else { "" };
    let many = format!("{more}{} new notifications", shown.len());
    let subject = match email {
        Email::Digest { .. } => format!("What you missed: {many}"),
        _ if shown.len() == 1 && !is_more => texts::title(first, account),
        _ => many,
    };
    let mut paragraphs = Vec::new();
    for (notification, body) in &shown {
        paragraphs.push(format!("{}:", texts::title(notification, account)));
        if !body.is_empty() {
            paragraphs.push(html::quoted(body));
        }
        paragraphs.push(address(urls, notification));
    }
    if *is_more {
        paragraphs.push("There are more in your app.".to_owned());
    }
    paragraphs.push(format!(
        "You get this email because you chose it at {}. Open this page to get no more of them:",
        super::site_with_url(urls, site)
    ));
    paragraphs.push(unsubscribe.clone());
    Some(RenderedEmail {
        unsubscribe: Some(unsubscribe.clone()),
        ..super::letter(recipient, site, &recipient.email, &subject, &paragraphs.join("\n\n"))
    })
}

/// Returns the address of what a notification is about.
fn address(urls: &Urls, notification: &Notification) -> String {
    match &notification.status {
        Some(status) => status.displayed().page_or_uri(urls),
        None => notification.account.page_or_uri(urls),
    }
}
