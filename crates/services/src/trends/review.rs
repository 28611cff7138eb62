//! Reviews of trends by staff and by the operator. A decision about one entry overrides that about
//! its publisher and the setting `trends.by_default`.

use std::collections::HashMap;

use siskin_entities::{
    Actor, AuditAction, AuditTarget, Review, ReviewedTag, Settings, Status, TargetKind, Timestamp,
    TrendingLink, Urls, ViewerRelations, Visibility,
};
use siskin_ids::{AccountId, PreviewCardId, StatusId, TagId};
use siskin_persistence::{
    Conn, Tx,
    statuses::{Entry as StatusEntry, load_candidates, lock_against_deletion},
    tags as tag_rows, trends as rows,
};
use siskin_policy::{
    trends::{is_trendable, requires_review},
    visibility,
};
use siskin_text::{Hashtag, isolate};

pub use super::publishers::Publisher;
use super::{
    normalised,
    publishers::{self, Publishers},
    reviewed_links, reviewed_tags, shown,
};
use crate::{Error, Result, audit};

/// Loads a hashtag with its review, for a member of staff.
///
/// # Errors
/// [`Error::NotFound`] if it was never used publicly.
pub fn tag(
    conn: &mut Conn,
    settings: &Settings,
    staff: AccountId,
    id: TagId,
    now: Timestamp,
) -> Result<ReviewedTag> {
    require_public_use(conn, id, now)?;
    reviewed_tags(conn, settings, &[id], Some(staff), now)?.pop().ok_or(Error::NotFound)
}

/// Stores the result of the review of a hashtag.
///
/// # Errors
/// [`Error::NotFound`] if it was never used publicly.
pub fn review_tag(tx: &mut Tx<'_>, actor: Actor, id: TagId, review: Review) -> Result<()> {
    let now = tx.now();
    let name = require_public_use(tx, id, now)?;
    if rows::set_tag_review(tx, id, review)? {
        let target = audit::target(TargetKind::Tag, id.get(), format!("#{name}"));
        record(tx, actor, review, &target)?;
    }
    Ok(())
}

/// Records a review that differs from the one before.
fn record(tx: &mut Tx<'_>, actor: Actor, review: Review, target: &AuditTarget) -> Result<()> {
    let action = match review {
        Review::Approved => AuditAction::Approve,
        Review::Rejected => AuditAction::Reject,
        Review::Unreviewed => AuditAction::Update,
    };
    audit::record(tx, actor, action, target)
}

/// Checks that a hashtag occurs in a public or unlisted status. Otherwise its existence is private.
/// Returns its name.
fn require_public_use(conn: &mut Conn, id: TagId, now: Timestamp) -> Result<String> {
    let tag = tag_rows::load(conn, &[id], None, now)?.pop();
    tag.filter(|tag| tag.id.is_some()).map(|tag| tag.name).ok_or(Error::NotFound)
}

/// Loads a link with its review.
///
/// # Errors
/// [`Error::NotFound`] if there is no such preview.
pub fn link(
    conn: &mut Conn,
    settings: &Settings,
    id: PreviewCardId,
    now: Timestamp,
) -> Result<TrendingLink> {
    let publishers = Publishers::of_links(conn, &[id])?;
    let found = reviewed_links(conn, settings, &[id], &publishers, now)?;
    found.into_iter().next().filter(is_public).ok_or(Error::NotFound)
}

/// Returns `true` if the link occurs in a public status, or was reviewed before. Otherwise its
/// existence is private.
fn is_public(link: &TrendingLink) -> bool {
    link.review != Review::Unreviewed || link.history.iter().any(|day| day.uses > 0)
}

/// Stores the result of the review of a link, independent of its publisher.
///
/// # Errors
/// [`Error::NotFound`] as for [`link`].
pub fn review_link(
    tx: &mut Tx<'_>,
    actor: Actor,
    settings: &Settings,
    id: PreviewCardId,
    review: Review,
) -> Result<()> {
    let now = tx.now();
    let link = link(tx, settings, id, now)?;
    if rows::set_link_review(tx, id, review)? {
        let target = audit::target(TargetKind::Link, id.get(), audit::beginning(&link.card.url));
        record(tx, actor, review, &target)?;
    }
    Ok(())
}

/// Loads a status that can be reviewed, for a member of staff.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist or is not public.
pub fn status(conn: &mut Conn, staff: Option<AccountId>, id: StatusId) -> Result<Status> {
    let loaded = load_candidates(conn, &[StatusEntry { id, reblog_of: None }], staff)?.pop();
    let anonymous = ViewerRelations::default();
    let is_public =
        |status: &Status| status.reblog.is_none() && status.body.visibility == Visibility::Public;
    let loaded = loaded.filter(|loaded| {
        is_public(&loaded.status) && visibility::may_see(&anonymous, &loaded.facts().own)
    });
    loaded.map(|loaded| loaded.status).ok_or(Error::NotFound)
}

/// Stores the result of the review of a status.
///
/// # Errors
/// [`Error::NotFound`] as for [`status`].
pub fn review_status(tx: &mut Tx<'_>, actor: Actor, id: StatusId, review: Review) -> Result<()> {
    if !lock_against_deletion(tx, id)? {
        return Err(Error::NotFound);
    }
    let status = status(tx, None, id)?;
    if rows::set_status_review(tx, id, review)? {
        let author = format!("@{}", status.body.account.acct());
        let target = audit::target(TargetKind::Status, id.get(), author);
        record(tx, actor, review, &target)?;
    }
    Ok(())
}

/// Loads the publishers of everything that trends, and the reviewed ones, in the order of their
/// domains.
///
/// # Errors
/// Storage errors only.
pub fn all_publishers(conn: &mut Conn) -> Result<Vec<Publisher>> {
    publishers::list(conn)
}

/// Stores the result of the review of the publisher with a domain.
///
/// # Errors
/// [`Error::NotFound`] if no link can have this domain.
pub fn review_publisher(tx: &mut Tx<'_>, actor: Actor, name: &str, review: Review) -> Result<()> {
    let domain = publishers::domain(name).ok_or(Error::NotFound)?;
    if rows::set_publisher_review(tx, &domain, review)? {
        let target = AuditTarget { kind: TargetKind::LinkPublisher, id: None, name: domain };
        record(tx, actor, review, &target)?;
    }
    Ok(())
}

/// What an operator names in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A hashtag by its name.
    Tag,
    /// A link by its address.
    Link,
    /// A status by its id.
    Status,
    /// A publisher by its domain.
    Publisher,
}

/// Stores the result of the review of the subject with this name, for the operator.
/// [`Review::Unreviewed`] removes an earlier decision.
///
/// # Errors
/// [`Error::Invalid`] if there is no such entry, or if the name is malformed.
pub fn decide(
    tx: &mut Tx<'_>,
    settings: &Settings,
    subject: Subject,
    name: &str,
    review: Review,
) -> Result<()> {
    let operator = Actor::Operator;
    let decided = match subject {
        Subject::Tag => {
            let known =
                Hashtag::parse(name).map(|tag| tag_rows::find(tx, &tag.name)).transpose()?;
            known.flatten().map(|id| review_tag(tx, operator, id, review))
        }
        Subject::Link => {
            let address = normalised(name).unwrap_or_default();
            let found = rows::find_cards(tx, &address)?;
            // A page may have several previews. It is enough that one of them can be reviewed.
            let one = |id| review_link(tx, operator, settings, id, review);
            let all = found.into_iter().map(one);
            all.reduce(|done, next| match (done, next) {
                (Err(Error::NotFound), next) => next,
                (done, Err(Error::NotFound)) => done,
                (done, next) => done.and(next),
            })
        }
        Subject::Status => {
            name.parse().ok().map(|id: StatusId| review_status(tx, operator, id, review))
        }
        Subject::Publisher => Some(review_publisher(tx, operator, name, review)),
    };
    match decided {
        Some(Err(Error::NotFound)) | None => Err(subject.unknown(name)),
        Some(done) => done,
    }
}

impl Subject {
    /// Returns the error for a name that none has.
    fn unknown(self, name: &str) -> Error {
        let noun = match self {
            Self::Tag => "public hashtag",
            Self::Link => "public link with a preview and the address",
            Self::Status => "public status with the id",
            Self::Publisher => return Error::invalid(format!("{name:?} is not a domain")),
        };
        Error::invalid(format!("There is no {noun} {name:?}"))
    }
}

/// Reviews several entries by `one`, and returns how many there are. Those that cannot be reviewed
/// any more are left out.
///
/// # Errors
/// Those of `one`, except [`Error::NotFound`].
pub fn review_all<I: Copy>(ids: &[I], mut one: impl FnMut(I) -> Result<()>) -> Result<usize> {
    let mut reviewed = 0;
    for id in ids {
        match one(*id) {
            Ok(()) => reviewed += 1,
            Err(Error::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(reviewed)
}

/// Loads all statuses with a score and their reviews, for a member of staff. Blocks and mutes of
/// that member hide nothing here.
///
/// # Errors
/// Storage errors only.
pub fn statuses(
    conn: &mut Conn,
    staff: AccountId,
    now: Timestamp,
) -> Result<Vec<(Status, Review)>> {
    let entries = rows::statuses(conn)?;
    let ids: Vec<StatusId> = entries.iter().map(|status| status.entry.id).collect();
    let reviews: HashMap<StatusId, Review> =
        entries.iter().map(|status| (status.entry.id, status.entry.review)).collect();
    let found = shown(conn, &ids, Some(staff), &ViewerRelations::default(), now)?;
    let reviewed = |status: Status| {
        let review = reviews.get(&status.body.id).copied().unwrap_or_default();
        (status, review)
    };
    Ok(found.into_iter().map(reviewed).collect())
}

/// Counts what trends and needs a review. Runs four statements.
///
/// # Errors
/// Storage errors only.
pub fn count_waiting(conn: &mut Conn) -> Result<usize> {
    let is_open = |review: Review| review == Review::Unreviewed;
    let tags = rows::tags(conn)?.into_iter().filter(|tag| is_open(tag.review)).count();
    let statuses = rows::statuses(conn)?;
    let statuses = statuses.iter().filter(|status| is_open(status.entry.review)).count();
    let links = rows::links(conn)?;
    let publishers = Publishers::of(conn, &links)?;
    let waits = |id, review| requires_review(review, publishers.review(id));
    let links = links.iter().filter(|link| waits(link.id, link.review)).count();
    Ok(tags + statuses + links)
}

/// Everything that trends, and all reviewed publishers, for the operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// Names with scores, reviews and whether they may trend.
    pub tags: Vec<(String, f64, Review, bool)>,
    /// Addresses with scores, own reviews and whether they may trend.
    pub links: Vec<(String, f64, Review, bool)>,
    /// Ids with scores, reviews and whether they may trend.
    pub statuses: Vec<(StatusId, f64, Review, bool)>,
    pub publishers: Vec<(String, Review)>,
}

/// Loads everything that trends, the highest score first.
///
/// # Errors
/// Storage errors only.
pub fn overview(conn: &mut Conn, settings: &Settings, now: Timestamp) -> Result<Overview> {
    let trendable =
        |review: Review| is_trendable(review, Review::Unreviewed, settings.trends_by_default);
    let entries = rows::tags(conn)?;
    let ids: Vec<TagId> = entries.iter().map(|entry| entry.id).collect();
    let tags = tag_rows::load(conn, &ids, None, now)?;
    let name = |id: TagId| tags.iter().find(|tag| tag.id == Some(id)).map(|tag| tag.name.clone());
    let tags = entries
        .iter()
        .filter_map(|entry| {
            Some((name(entry.id)?, entry.score, entry.review, trendable(entry.review)))
        })
        .collect();
    let entries = rows::links(conn)?;
    let publishers = Publishers::of(conn, &entries)?;
    let ids: Vec<PreviewCardId> = entries.iter().map(|entry| entry.id).collect();
    let links = reviewed_links(conn, settings, &ids, &publishers, now)?;
    let score = |id: PreviewCardId| entries.iter().find(|entry| entry.id == id).map(|e| e.score);
    let links = links
        .into_iter()
        .filter_map(|link| Some((link.card.url, score(link.id)?, link.review, link.trendable)))
        .collect();
    let statuses = rows::statuses(conn)?.into_iter().map(|status| status.entry);
    let statuses = statuses
        .map(|entry| (entry.id, entry.score, entry.review, trendable(entry.review)))
        .collect();
    let publishers = publishers::reviewed(conn)?;
    Ok(Overview { tags, links, statuses, publishers })
}

/// Describes those of these entries that still need a review, one line for each, for an email.
pub(crate) fn pending(
    conn: &mut Conn,
    urls: &Urls,
    tags: &[TagId],
    links: &[PreviewCardId],
    statuses: &[StatusId],
    now: Timestamp,
) -> Result<Vec<String>> {
    let is_open = |review: Review| review == Review::Unreviewed;
    let mut lines = Vec::new();
    let trending = rows::tags(conn)?;
    let trending =
        trending.iter().filter(|entry| is_open(entry.review) && tags.contains(&entry.id));
    let ids: Vec<TagId> = trending.map(|entry| entry.id).collect();
    for (_, name) in tag_rows::names(conn, &ids)? {
        lines.push(format!("the hashtag #{}", isolate(&name)));
    }
    let trending = rows::links(conn)?;
    let publishers = Publishers::of(conn, &trending)?;
    let ids: Vec<PreviewCardId> = trending
        .iter()
        .filter(|entry| {
            let needs_review = requires_review(entry.review, publishers.review(entry.id));
            needs_review && links.contains(&entry.id)
        })
        .map(|entry| entry.id)
        .collect();
    for (_, card, _) in rows::cards(conn, &ids)? {
        lines.push(format!("the link {} ({})", card.url, isolate(&card.title)));
    }
    let trending = rows::statuses(conn)?.into_iter().map(|status| status.entry);
    let ids: Vec<StatusId> = trending
        .filter(|entry| is_open(entry.review) && statuses.contains(&entry.id))
        .map(|entry| entry.id)
        .collect();
    for status in shown(conn, &ids, None, &ViewerRelations::default(), now)? {
        let author = &status.body.account;
        lines.push(format!("the post {}", urls.status(&author.username, status.body.id)));
    }
    Ok(lines)
}
