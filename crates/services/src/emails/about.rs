//! Emails about notifications, and digests, for accounts that chose to get them.
//!
//! The first notification marks its recipient as waiting and enqueues a job, which runs a little
//! later. So an email contains everything that happened in between, and nothing that was read,
//! undone or hidden meanwhile.

use std::{iter, time::Duration};

use serde::{Deserialize, Serialize};
use siskin_entities::{EmailTopic, Marked, NotificationKind, Timestamp, Urls};
use siskin_ids::{AccountId, NotificationId, first_id_at};
use siskin_persistence::{
    Conn, Tx,
    emails::{self as rows, DigestRule},
    markers,
    users::{self, EmailRecipient},
};

use super::{QueuedEmail, RenderedEmail, SendEmail, html, unsubscribe};
use crate::{
    Result,
    authentication::UserState,
    jobs::{self, Job},
    notifications::{self, Summary, SummaryGroup, texts},
    vapid,
};

/// Delay of an email after its first notification.
const WAIT: Duration = Duration::from_mins(2);
/// Time without activity after which an account gets digests, and the time between two of them.
const DIGEST_PERIOD: Duration = Duration::from_hours(7 * 24);
/// Number of digests that one transaction enqueues.
const DIGESTS: i64 = 100;
/// Time between two such transactions, so that emails about sign-ins do not wait behind digests.
const DIGEST_PAUSE: Duration = Duration::from_mins(1);
/// Age at which an email that was not sent is given up. Jobs are retried for a shorter time.
const ABANDONED: Duration = Duration::from_hours(4 * 24);

/// Email that [`load`] and [`compose`] write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotificationEmail {
    /// To a user with new notifications.
    Notifications { account: AccountId },
    /// To a user that was not active since this time, in unix milliseconds.
    Digest { account: AccountId, since: i64 },
}

impl From<NotificationEmail> for SendEmail {
    fn from(email: NotificationEmail) -> Self {
        Self { letter: QueuedEmail::AboutNotifications(email) }
    }
}

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
    let job = |account| NotificationEmail::Notifications { account }.into();
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
        NotificationEmail::Digest { account: *account, since }.into()
    };
    let (emails, now): (Vec<SendEmail>, _) = (due.iter().map(job).collect(), tx.now());
    jobs::enqueue_many_at(tx, &emails, now)?;
    if let Some((last, _)) = due.last().filter(|_| i64::try_from(due.len()) == Ok(DIGESTS)) {
        jobs::enqueue_at(tx, &PlanDigests { after: Some(*last) }, now.after(DIGEST_PAUSE))?;
    }
    Ok(())
}

/// The recipient of an email about notifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    user: EmailRecipient,
    /// Address that ends such emails.
    unsubscribe: String,
}

impl Recipient {
    /// Returns the account.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.user.owner.account
    }
}

/// Loads what an email about notifications contains, before the recipient's filters. Returns `None`
/// if there is nothing to send any more: everything was read or undone, the account chose
/// differently, or its user may not act.
///
/// # Errors
/// Storage errors only.
pub fn load(
    conn: &mut Conn,
    urls: &Urls,
    email: NotificationEmail,
    now: Timestamp,
) -> Result<Option<(Recipient, Summary)>> {
    let (account, first, is_digest) = match email {
        NotificationEmail::Notifications { account } => match rows::waiting(conn, account)? {
            Some(first) => (account, first, false),
            None => return Ok(None),
        },
        NotificationEmail::Digest { account, since } => {
            (account, NotificationId::new(first_id_at(since)), true)
        }
    };
    let Some(user) = users::recipient(conn, account)? else { return Ok(None) };
    let owner = user.owner;
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
    let summary = notifications::summary(conn, account, &kinds, first, now)?;
    Ok(summary.map(|summary| {
        let unsubscribe = unsubscribe::link(urls, &key, account, &topics);
        (Recipient { user, unsubscribe }, summary)
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
/// after `newest`, which came meanwhile, it waits for another email. Does nothing for digests.
///
/// # Errors
/// Storage errors only.
pub fn finish(
    tx: &mut Tx<'_>,
    email: NotificationEmail,
    newest: Option<NotificationId>,
) -> Result<()> {
    let NotificationEmail::Notifications { account } = email else { return Ok(()) };
    let Some(first) = rows::waiting(tx, account)? else { return Ok(()) };
    rows::finish(tx, account)?;
    let (_, kinds) = wanted(&rows::topics(tx, account)?, false);
    let next = newest.map_or(first, |newest| NotificationId::new(newest.max(first).get() + 1));
    let (now, next) = (tx.now(), next.max(first_unread(tx, account)?));
    if kinds.is_empty() || notifications::since(tx, account, kinds, next, 1, now)?.0.is_empty() {
        return Ok(());
    }
    enqueue_about_notifications(tx, &[account], next)
}

/// Writes the email. Returns `None` if all that it would contain is hidden, as by the recipient's
/// filters.
#[must_use]
pub fn compose(
    urls: &Urls,
    site: &str,
    email: NotificationEmail,
    recipient: &Recipient,
    summary: &Marked<Summary>,
) -> Option<RenderedEmail> {
    let Recipient { user, unsubscribe } = recipient;
    let (account, is_more) = (recipient.account(), summary.is_more);
    let shown: Vec<(&SummaryGroup, String)> = summary
        .groups
        .iter()
        .filter_map(|group| Some((group, texts::body_of_group(group)?)))
        .collect();
    let (first, _) = shown.first()?;
    let count: usize = shown.iter().map(|(group, _)| group.count).sum();
    let many = match (is_more, count) {
        (true, _) => format!("more than {count} new notifications"),
        (false, 1) => "1 new notification".to_owned(),
        (false, _) => format!("{count} new notifications"),
    };
    let subject = match email {
        NotificationEmail::Digest { .. } => format!("What you missed: {many}"),
        _ if count == 1 && !is_more => texts::title(&first.newest, account),
        NotificationEmail::Notifications { .. } => many,
    };
    let mut paragraphs = Vec::new();
    for (group, body) in &shown {
        paragraphs.push(format!("{}:", texts::title_of_group(group, account)));
        if !body.is_empty() {
            paragraphs.push(html::quoted(body));
        }
        paragraphs.extend(addresses(urls, group));
    }
    if is_more {
        paragraphs.push("There are more in your app.".to_owned());
    }
    paragraphs.push(format!(
        "You get this email because you chose it at {}. Open this page to get no more of them:",
        super::site_with_url(urls, site)
    ));
    paragraphs.push(unsubscribe.clone());
    Some(RenderedEmail {
        unsubscribe: Some(unsubscribe.clone()),
        ..super::letter(user, site, &user.email, &subject, &paragraphs.join("\n\n"))
    })
}

/// Returns the address of the status that a group is about, or those of the accounts that it names.
fn addresses(urls: &Urls, group: &SummaryGroup) -> Vec<String> {
    let SummaryGroup { newest, second, .. } = group;
    match &newest.status {
        Some(status) => vec![status.displayed().page_or_uri(urls)],
        None => {
            let named = iter::once(&newest.account).chain(second);
            named.map(|account| account.page_or_uri(urls)).collect()
        }
    }
}
