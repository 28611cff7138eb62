//! Publication of announcements by the operator, at once or by a job at a time, and their end.

use serde::{Deserialize, Serialize};
use siskin_entities::{
    Actor, Announcement, AuditAction, TargetKind, Timestamp, announcement::Period,
};
use siskin_ids::AnnouncementId;
use siskin_persistence::{Conn, Tx, announcements as rows, events::DomainEvent};
use siskin_policy::{announcements::is_over, limits::MAX_ANNOUNCEMENT_CHARS};
use siskin_text::{TextLimit, is_blank, parse};

use crate::{
    Error, LISTED_AT_ONCE, Result, audit,
    jobs::{self, Job},
};

/// Number of rows that one step of a deletion removes, so that other writers do not wait.
const DELETED_AT_ONCE: usize = 500;

const PUBLISHED: &str = "The announcement is already published";
const OVER: &str = "The event ends before the announcement is published";

/// Job that publishes an announcement at its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishAnnouncement {
    pub announcement: AnnouncementId,
}

impl Job for PublishAnnouncement {
    const KIND: &'static str = "announcements.publish";
}

/// Job that withdraws an announcement when its event ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndAnnouncement {
    pub announcement: AnnouncementId,
}

impl Job for EndAnnouncement {
    const KIND: &'static str = "announcements.end";
}

/// Checked announcement that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAnnouncement {
    text: String,
    period: Option<Period>,
    scheduled_at: Option<Timestamp>,
}

/// Checked changes of an announcement. `None` keeps a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    text: Option<String>,
    period: Option<Option<Period>>,
    scheduled_at: Option<Timestamp>,
}

/// Checks a new announcement, and trims white space around its text. Without `scheduled_at` it is
/// published at once.
///
/// # Errors
/// [`Error::Invalid`] for an empty text, and for one longer than the limit.
pub fn prepare(
    text: &str,
    period: Option<Period>,
    scheduled_at: Option<Timestamp>,
) -> Result<NewAnnouncement> {
    Ok(NewAnnouncement { text: checked_text(text)?, period, scheduled_at })
}

/// Checks changes of an announcement. An inner `None` of `period` removes the event.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_changes(
    text: Option<&str>,
    period: Option<Option<Period>>,
    scheduled_at: Option<Timestamp>,
) -> Result<Changes> {
    Ok(Changes { text: text.map(checked_text).transpose()?, period, scheduled_at })
}

fn checked_text(text: &str) -> Result<String> {
    let (text, limit) = (text.trim(), TextLimit::of(MAX_ANNOUNCEMENT_CHARS));
    if is_blank(text) {
        return Err(Error::invalid("An announcement cannot be empty"));
    }
    if !limit.fits_code_points(text) || !limit.fits_links(&parse(text)) {
        return Err(Error::invalid(format!(
            "An announcement has at most {MAX_ANNOUNCEMENT_CHARS} characters"
        )));
    }
    Ok(text.to_owned())
}

/// Returns all announcements, the oldest first.
///
/// # Errors
/// Storage errors only.
pub fn list_all(conn: &mut Conn) -> Result<Vec<Announcement>> {
    let mut all: Vec<Announcement> = Vec::new();
    loop {
        let some = rows::list(conn, all.last().map(|last| last.id), LISTED_AT_ONCE)?;
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some);
    }
}

/// Returns the announcement with this id, published or not.
///
/// # Errors
/// [`Error::NotFound`] if there is none.
pub fn find(conn: &mut Conn, id: AnnouncementId) -> Result<Announcement> {
    rows::find(conn, id)?.ok_or(Error::NotFound)
}

/// Stores an announcement, and publishes it at once or enqueues a job for its time. A time in the
/// past means at once.
///
/// # Errors
/// [`Error::Invalid`] if its event ends before it is published.
pub fn publish(tx: &mut Tx<'_>, actor: Actor, new: &NewAnnouncement) -> Result<Announcement> {
    let mut announcement = rows::insert(tx, &new.text, new.period)?;
    announcement.scheduled_at = new.scheduled_at;
    let announcement = publish_at_its_time(tx, announcement)?;
    recorded(tx, actor, AuditAction::Create, announcement)
}

/// Publishes an announcement now that is scheduled, or that was withdrawn.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id. [`Error::Invalid`] if it is already
/// published, and if its event is over.
pub fn publish_now(tx: &mut Tx<'_>, actor: Actor, id: AnnouncementId) -> Result<Announcement> {
    let mut announcement = rows::lock(tx, id)?.ok_or(Error::NotFound)?;
    if announcement.published_at.is_some() {
        return Err(Error::invalid(PUBLISHED));
    }
    announcement.scheduled_at = None;
    let announcement = publish_at_its_time(tx, announcement)?;
    recorded(tx, actor, AuditAction::Update, announcement)
}

/// Changes an announcement. Users get a published one again. With a time, one that is not published
/// is published then.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id. [`Error::Invalid`] if a published one gets a
/// time of publication, and if its event ends before it is published.
pub fn edit(
    tx: &mut Tx<'_>,
    actor: Actor,
    id: AnnouncementId,
    changes: &Changes,
) -> Result<Announcement> {
    let before = rows::lock(tx, id)?.ok_or(Error::NotFound)?;
    let after = apply(tx, before.clone(), changes)?;
    let is_same = Announcement { updated_at: before.updated_at, ..after.clone() } == before;
    if is_same { Ok(after) } else { recorded(tx, actor, AuditAction::Update, after) }
}

/// Applies changes to a locked announcement.
fn apply(
    tx: &mut Tx<'_>,
    mut announcement: Announcement,
    changes: &Changes,
) -> Result<Announcement> {
    let id = announcement.id;
    let Changes { text, period, scheduled_at } = changes.clone();
    announcement.text = text.unwrap_or(announcement.text);
    announcement.period = period.unwrap_or(announcement.period);
    announcement.updated_at = tx.now();
    let is_published = announcement.published_at.is_some();
    if is_published && scheduled_at.is_some() {
        return Err(Error::invalid(PUBLISHED));
    }
    announcement.scheduled_at = scheduled_at.or(announcement.scheduled_at);
    if announcement.scheduled_at.is_some() {
        return publish_at_its_time(tx, announcement);
    }
    if is_published {
        require_future_end(&announcement, tx.now())?;
        enqueue_end(tx, &announcement)?;
        DomainEvent::AnnouncementPublished(id).write(tx)?;
    }
    rows::update(tx, &announcement)?;
    Ok(announcement)
}

/// Withdraws an announcement, or cancels its publication. It stays stored.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn unpublish(tx: &mut Tx<'_>, actor: Actor, id: AnnouncementId) -> Result<Announcement> {
    let before = rows::lock(tx, id)?.ok_or(Error::NotFound)?;
    let after = withdraw(tx, before.clone())?;
    if after == before { Ok(after) } else { recorded(tx, actor, AuditAction::Update, after) }
}

/// Deletes an announcement with its reactions. The first step withdraws it, and the last one is
/// recorded. Returns `false` if rows are left, so that the caller must repeat it in another
/// transaction.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn delete_step(tx: &mut Tx<'_>, actor: Actor, id: AnnouncementId) -> Result<bool> {
    let announcement = rows::lock(tx, id)?.ok_or(Error::NotFound)?;
    let announcement = withdraw(tx, announcement)?;
    let is_last = rows::delete_step(tx, id, DELETED_AT_ONCE)?;
    if is_last {
        recorded(tx, actor, AuditAction::Delete, announcement)?;
    }
    Ok(is_last)
}

/// Runs [`PublishAnnouncement`]. Does nothing if the announcement was deleted, published or
/// withdrawn meanwhile, or if its time was moved, because the change enqueued another job.
///
/// # Errors
/// Storage errors only.
pub fn publish_due(tx: &mut Tx<'_>, job: &PublishAnnouncement) -> Result<()> {
    let Some(announcement) = rows::lock(tx, job.announcement)? else { return Ok(()) };
    let is_due = announcement.scheduled_at.is_some_and(|at| at <= tx.now());
    if !is_due || announcement.published_at.is_some() {
        return Ok(());
    }
    if is_over(announcement.period, tx.now()) {
        // The server did not run at that time.
        log::warn!("announcement={} was not published: its event is over", announcement.id);
        withdraw(tx, announcement)?;
        return Ok(());
    }
    publish_at_its_time(tx, announcement)?;
    Ok(())
}

/// Runs [`EndAnnouncement`]. Does nothing if the announcement was deleted or withdrawn meanwhile,
/// or if the end of its event was moved, because the change enqueued another job.
///
/// # Errors
/// Storage errors only.
pub fn end_due(tx: &mut Tx<'_>, job: &EndAnnouncement) -> Result<()> {
    let Some(announcement) = rows::lock(tx, job.announcement)? else { return Ok(()) };
    if announcement.published_at.is_some() && is_over(announcement.period, tx.now()) {
        withdraw(tx, announcement)?;
    }
    Ok(())
}

/// Publishes a locked announcement if its time has come, otherwise enqueues a job for it.
fn publish_at_its_time(tx: &mut Tx<'_>, mut announcement: Announcement) -> Result<Announcement> {
    let (id, now) = (announcement.id, tx.now());
    announcement.updated_at = now;
    let later = announcement.scheduled_at.filter(|at| *at > now);
    require_future_end(&announcement, later.unwrap_or(now))?;
    match later {
        Some(at) => {
            jobs::enqueue_at(tx, &PublishAnnouncement { announcement: id }, at)?;
        }
        None => {
            announcement.scheduled_at = None;
            announcement.published_at = Some(now);
            enqueue_end(tx, &announcement)?;
            DomainEvent::AnnouncementPublished(id).write(tx)?;
        }
    }
    rows::update(tx, &announcement)?;
    Ok(announcement)
}

/// Records an action, and returns its announcement.
fn recorded(
    tx: &mut Tx<'_>,
    actor: Actor,
    action: AuditAction,
    announcement: Announcement,
) -> Result<Announcement> {
    let (id, name) = (announcement.id.get(), audit::beginning(&announcement.text));
    audit::record(tx, actor, action, &audit::target(TargetKind::Announcement, id, name))?;
    Ok(announcement)
}

fn withdraw(tx: &mut Tx<'_>, mut announcement: Announcement) -> Result<Announcement> {
    let was_published = announcement.published_at.take().is_some();
    let was_scheduled = announcement.scheduled_at.take().is_some();
    if was_published || was_scheduled {
        announcement.updated_at = tx.now();
        rows::update(tx, &announcement)?;
    }
    if was_published {
        DomainEvent::AnnouncementWithdrawn(announcement.id).write(tx)?;
    }
    Ok(announcement)
}

fn require_future_end(announcement: &Announcement, published_at: Timestamp) -> Result<()> {
    if is_over(announcement.period, published_at) { Err(Error::invalid(OVER)) } else { Ok(()) }
}

fn enqueue_end(tx: &mut Tx<'_>, announcement: &Announcement) -> Result<()> {
    if let Some(period) = announcement.period {
        let job = EndAnnouncement { announcement: announcement.id };
        jobs::enqueue_at(tx, &job, period.ends_at())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_must_have_text_of_limited_length() {
        let text = |text: &str| prepare(text, None, None).map(|new| new.text);
        assert_eq!(text(" Tea at five\n").unwrap(), "Tea at five");
        assert!(text(&"é".repeat(MAX_ANNOUNCEMENT_CHARS)).is_ok());
        for refused in ["", " \n", "\u{200B}", &"e".repeat(MAX_ANNOUNCEMENT_CHARS + 1)] {
            assert!(text(refused).is_err(), "{refused:?}");
        }
        assert!(prepare_changes(Some(" "), None, None).is_err());
        assert_eq!(prepare_changes(None, None, None).unwrap(), Changes::default());
    }
}
