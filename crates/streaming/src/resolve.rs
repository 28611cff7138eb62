//! Resolves events to the deliveries for each listener.

use std::{collections::HashMap, fmt, sync::Arc};

use siskin_entities::{Account, Feeds, FilterContext, FilterSet, Status, Timestamp, Urls};
use siskin_ids::{AccountId, EventId, NotificationId, StatusId};
use siskin_persistence::{
    Conn, IdMap, accounts,
    events::{ChangedConversation, DomainEvent, Event},
    notifications::{self as notification_rows, StoredNotification},
    sorted_unique, statuses,
    timelines::audience::{DeletionEvent, FormerRelations},
};
use siskin_services::{Error, Result, conversations, notifications};

use crate::{
    Audience, Delivery, Listener, Message, Stream,
    announcements::Announcements,
    deletion,
    render::{RenderedVersions, Renderer},
    viewers::Viewers,
};

/// State of the instance that is needed to render events.
#[derive(Clone, Copy)]
pub struct ResolveContext<'a> {
    pub urls: &'a Urls,
    pub now: Timestamp,
    /// Access settings of the public timelines.
    pub feeds: Feeds,
    /// Returns the filters of an account, from the cache or the database.
    pub filters: &'a dyn Fn(&mut Conn, AccountId) -> Result<Arc<FilterSet>>,
}

impl fmt::Debug for ResolveContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResolveContext").field("now", &self.now).finish_non_exhaustive()
    }
}

/// Returns the deliveries for all listeners in the audience, in the order of the events. A status
/// that changed after its event is rendered in its current state. A status that no longer exists is
/// skipped. Only accounts that may see a status now receive it.
///
/// # Errors
/// Storage errors only.
pub fn resolve(
    conn: &mut Conn,
    context: ResolveContext<'_>,
    events: &[Arc<Event>],
    audience: &Audience,
) -> Result<Vec<Delivery>> {
    if audience.is_empty() {
        return Ok(Vec::new());
    }
    let parsed: Vec<ParsedEvent> =
        events.iter().filter_map(|event| ParsedEvent::of(event)).collect();
    let batch = Batch::load(conn, context, &parsed, audience)?;
    let mut deliveries = Vec::new();
    for parsed in &parsed {
        deliveries.extend(batch.resolve_event(conn, parsed)?);
    }
    Ok(deliveries)
}

/// Event with its parsed content.
pub(crate) struct ParsedEvent {
    pub(crate) id: EventId,
    position: i64,
    pub(crate) content: DomainEvent,
}

impl ParsedEvent {
    fn of(event: &Event) -> Option<Self> {
        let content = DomainEvent::of(event)?;
        Some(Self { id: event.id, position: event.position, content })
    }
}

/// Entities that several events refer to, loaded together.
struct Batch<'a> {
    context: ResolveContext<'a>,
    audience: &'a Audience,
    renderer: Renderer<'a>,
    statuses: HashMap<StatusId, Status>,
    viewers: Viewers,
    /// Notifications that their recipients see.
    visible: HashMap<NotificationId, StoredNotification>,
    senders: IdMap<AccountId, Arc<Account>>,
    former: FormerRelations,
    announcements: Announcements,
}

impl<'a> Batch<'a> {
    fn load(
        conn: &mut Conn,
        context: ResolveContext<'a>,
        parsed: &[ParsedEvent],
        audience: &'a Audience,
    ) -> Result<Self> {
        let stored = notifications_for(conn, parsed, audience)?;
        let senders = sorted_unique(stored.iter().map(|stored| stored.from));
        let changed = sorted_unique(parsed.iter().filter_map(|parsed| match &parsed.content {
            DomainEvent::StatusPublished(id) | DomainEvent::StatusEdited(id) => Some(*id),
            _ => None,
        }));
        let named = changed.iter().copied().chain(stored.iter().filter_map(|stored| stored.status));
        let loaded = statuses::load_without_viewer(conn, &sorted_unique(named))?;
        let published: Vec<&Status> =
            loaded.iter().filter(|status| changed.binary_search(&status.body.id).is_ok()).collect();
        let viewers = Viewers::load(conn, context, &published, audience)?;
        let statuses = loaded.into_iter().map(|status| (status.body.id, status)).collect();
        let senders = accounts::load(conn, &senders)?;
        Ok(Self {
            context,
            audience,
            renderer: Renderer::new(context.urls, context.now),
            visible: notifications::visible_to_many(
                conn,
                &stored,
                &senders,
                &statuses,
                context.now,
            )?
            .into_iter()
            .map(|stored| (stored.id, stored))
            .collect(),
            viewers,
            statuses,
            senders,
            former: deletion::former(conn, parsed, audience)?,
            announcements: Announcements::load(conn, context, parsed)?,
        })
    }

    fn resolve_event(&self, conn: &mut Conn, parsed: &ParsedEvent) -> Result<Vec<Delivery>> {
        let id = parsed.position;
        match &parsed.content {
            DomainEvent::StatusPublished(status) => {
                self.resolve_status(conn, id, *status, "update")
            }
            DomainEvent::StatusEdited(status) => {
                self.resolve_status(conn, id, *status, "status.update")
            }
            DomainEvent::StatusDeleted(status) => {
                let deletion = DeletionEvent { event: parsed.id, status };
                Ok(deletion::deleted(id, deletion, &self.former, self.audience, self.context.feeds))
            }
            DomainEvent::Notified(message) => self.resolve_notifications(conn, id, message),
            DomainEvent::NotificationsMerged(account) => {
                Ok(self.resolve_notifications_merged(id, *account))
            }
            DomainEvent::FiltersChanged(account) => Ok(self.resolve_filters_changed(id, *account)),
            DomainEvent::ConversationChanged(changed) => {
                self.resolve_conversation(conn, id, *changed)
            }
            DomainEvent::AnnouncementPublished(announcement) => {
                let rendered = self.announcements.announcement(*announcement, &self.renderer);
                Ok(self.to_all_users(id, "announcement", rendered))
            }
            DomainEvent::AnnouncementReacted(changed) => {
                let rendered = self.announcements.reaction(changed, parsed.id);
                Ok(self.to_all_users(id, "announcement.reaction", rendered))
            }
            DomainEvent::AnnouncementWithdrawn(announcement) => {
                let rendered = Some(announcement.to_string());
                Ok(self.to_all_users(id, "announcement.delete", rendered))
            }
            DomainEvent::AccessEnded(_) => Ok(Vec::new()),
        }
    }

    fn resolve_status(
        &self,
        conn: &mut Conn,
        id: i64,
        status: StatusId,
        event: &'static str,
    ) -> Result<Vec<Delivery>> {
        let Some(status) = self.statuses.get(&status) else { return Ok(Vec::new()) };
        let listeners = self.viewers.listeners(conn, self.audience, status)?;
        let viewers = sorted_unique(listeners.iter().map(|listener| listener.account));
        if viewers.is_empty() {
            return Ok(Vec::new());
        }
        let viewer_details = statuses::viewer_details(conn, status, &viewers)?;
        let mut versions = RenderedVersions::new(status, &self.renderer, id, event);
        let mut deliveries = Vec::with_capacity(listeners.len());
        for listener in listeners {
            let Some(details) = viewer_details.get(&listener.account) else { continue };
            let filters = (self.context.filters)(conn, listener.account)?;
            let context = context(&listener.stream);
            let message = versions.of(listener.account, details, &filters, context);
            deliveries.push(to(listener, &message));
        }
        Ok(deliveries)
    }

    fn resolve_notifications(
        &self,
        conn: &mut Conn,
        id: i64,
        message: &[(AccountId, NotificationId)],
    ) -> Result<Vec<Delivery>> {
        let mut deliveries = Vec::new();
        let shown: Vec<StoredNotification> =
            message.iter().filter_map(|(_, id)| self.visible.get(id).copied()).collect();
        for some in shown.chunk_by(|a, b| a.status == b.status) {
            deliveries.extend(self.resolve_group(conn, id, some)?);
        }
        Ok(deliveries)
    }

    /// Delivers notifications that are all about the same status, or all about none.
    fn resolve_group(
        &self,
        conn: &mut Conn,
        id: i64,
        visible: &[StoredNotification],
    ) -> Result<Vec<Delivery>> {
        let status = visible.first().and_then(|notification| notification.status);
        let status = match status {
            None => None,
            Some(id) => match self.statuses.get(&id) {
                None => return Ok(Vec::new()),
                status => status,
            },
        };
        let mut deliveries = Vec::new();
        for shown in notifications::as_seen(conn, visible, status, &self.senders)? {
            let (recipient, now) = (shown.recipient, self.context.now);
            let filters = (self.context.filters)(conn, recipient)?;
            let marked = filters.mark(FilterContext::Notifications, now, shown.notification);
            let payload = Some(self.renderer.notification(&marked));
            let message = Arc::new(Message::new(id, "notification", payload));
            deliveries.extend(self.personal(recipient).map(|listener| to(listener, &message)));
        }
        Ok(deliveries)
    }

    /// Returns the listeners of `account` to its home timeline or its notifications.
    fn personal(&self, account: AccountId) -> impl Iterator<Item = &'a Listener> {
        self.audience.matching(move |listener| {
            listener.account == account
                && matches!(listener.stream, Stream::User | Stream::Notifications)
        })
    }

    /// Delivers a conversation to its owner if it has a status that the owner can see.
    fn resolve_conversation(
        &self,
        conn: &mut Conn,
        id: i64,
        changed: ChangedConversation,
    ) -> Result<Vec<Delivery>> {
        let ChangedConversation { account_id: owner, conversation_id } = changed;
        let is_theirs = move |listener: &Listener| {
            listener.account == owner && listener.stream == Stream::Direct
        };
        if self.audience.matching(is_theirs).next().is_none() {
            return Ok(Vec::new());
        }
        let conversation = match conversations::find(conn, owner, conversation_id, self.context.now)
        {
            Ok(conversation) if conversation.last_status.is_some() => conversation,
            Ok(_) | Err(Error::NotFound) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let filters = (self.context.filters)(conn, owner)?;
        let marked = filters.mark(FilterContext::Thread, self.context.now, conversation);
        let payload = Some(self.renderer.conversation(&marked));
        let message = Arc::new(Message::new(id, "conversation", payload));
        Ok(self.audience.matching(is_theirs).map(|listener| to(listener, &message)).collect())
    }

    /// Delivers an event to all users that listen to their home timeline. `None` delivers nothing.
    fn to_all_users(&self, id: i64, event: &'static str, payload: Option<String>) -> Vec<Delivery> {
        let Some(payload) = payload else { return Vec::new() };
        let message = Arc::new(Message::new(id, event, Some(payload)));
        let users = self.audience.matching(|listener| listener.stream == Stream::User);
        users.map(|listener| to(listener, &message)).collect()
    }

    fn resolve_notifications_merged(&self, id: i64, account: AccountId) -> Vec<Delivery> {
        // Clients load their notifications again; the payload means nothing.
        let message = Arc::new(Message::new(id, "notifications_merged", Some("1".to_owned())));
        self.personal(account).map(|listener| to(listener, &message)).collect()
    }

    fn resolve_filters_changed(&self, id: i64, account: AccountId) -> Vec<Delivery> {
        let message = Arc::new(Message::new(id, "filters_changed", None));
        let theirs = self
            .personal(account)
            .filter(|listener| listener.stream == Stream::User)
            .map(|listener| to(listener, &message));
        theirs.collect()
    }
}

/// Returns the filter context of a stream (`docs/filters.md`).
const fn context(stream: &Stream) -> FilterContext {
    match stream {
        Stream::User | Stream::List(_) => FilterContext::Home,
        Stream::Notifications => FilterContext::Notifications,
        Stream::Public(_) | Stream::Hashtag { .. } => FilterContext::Public,
        Stream::Direct => FilterContext::Thread,
    }
}

/// Loads the notifications for listening recipients.
fn notifications_for(
    conn: &mut Conn,
    parsed: &[ParsedEvent],
    audience: &Audience,
) -> Result<Vec<StoredNotification>> {
    let account_ids = audience.account_ids();
    let notified = parsed.iter().filter_map(|parsed| match &parsed.content {
        DomainEvent::Notified(message) => Some(message),
        _ => None,
    });
    let for_listeners =
        notified.flatten().filter(|(recipient, _)| account_ids.binary_search(recipient).is_ok());
    let ids: Vec<NotificationId> = for_listeners.map(|(_, id)| *id).collect();
    if ids.is_empty() { Ok(Vec::new()) } else { Ok(notification_rows::load(conn, &ids)?) }
}

/// Builds the delivery of a message to a listener.
pub(crate) fn to(listener: &Listener, message: &Arc<Message>) -> Delivery {
    Delivery {
        session: listener.session,
        names: Arc::clone(&listener.names),
        message: Arc::clone(message),
    }
}
