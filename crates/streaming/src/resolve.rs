//! Resolves events to the deliveries for each listener.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use siskin_entities::{
    Account, Feeds, FilterContext, FilterSet, Notification, Status, Timestamp, Urls,
};
use siskin_ids::{AccountId, EventId, NotificationId, StatusId};
use siskin_persistence::{
    Conn, accounts,
    events::{ChangedConversation, Event, Happened},
    notifications::{self, Told},
    statuses,
    timelines::audience::{self as timelines, Former, Gone},
};

use siskin_services::{Error, Result, conversations};

use crate::{
    Audience, Delivery, Listener, News, Stream,
    audience::each_once,
    gone,
    render::{Versions, Words},
    traits::Traits,
};

/// State of the instance that is needed to render events.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub urls: &'a Urls,
    pub now: Timestamp,
    /// Access settings of the public timelines.
    pub feeds: Feeds,
    /// Returns the filters of an account, from the cache or the database.
    pub filters: &'a dyn Fn(&mut Conn, AccountId) -> Result<Arc<FilterSet>>,
}

impl fmt::Debug for Setting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setting").field("now", &self.now).finish_non_exhaustive()
    }
}

/// Returns the deliveries for all listeners in the audience, in the order of the events. Statuses
/// that changed or were deleted since then are rendered in their current state. Only accounts that
/// may see them now receive them.
///
/// # Errors
/// Storage errors only.
pub fn resolve(
    conn: &mut Conn,
    setting: Setting<'_>,
    events: &[Arc<Event>],
    audience: &Audience,
) -> Result<Vec<Delivery>> {
    if audience.is_empty() {
        return Ok(Vec::new());
    }
    let heard: Vec<Heard> = events.iter().filter_map(|event| Heard::of(event)).collect();
    let batch = Batch::load(conn, setting, &heard, audience)?;
    let mut deliveries = Vec::new();
    for heard in &heard {
        deliveries.extend(batch.tell(conn, heard)?);
    }
    Ok(deliveries)
}

/// Event of a kind that streams deliver.
pub(crate) struct Heard {
    pub(crate) id: EventId,
    position: i64,
    pub(crate) happened: Happened,
}

impl Heard {
    fn of(event: &Event) -> Option<Self> {
        let happened = Happened::of(event)?;
        Some(Self { id: event.id, position: event.position, happened })
    }
}

/// Entities that several events refer to, loaded together.
struct Batch<'a> {
    setting: Setting<'a>,
    audience: &'a Audience,
    words: Words<'a>,
    statuses: HashMap<StatusId, Status>,
    /// Accounts that may have each status in their home feed.
    candidates: HashMap<StatusId, Vec<AccountId>>,
    told: HashMap<NotificationId, Told>,
    senders: HashMap<AccountId, Arc<Account>>,
    former: Former,
}

impl<'a> Batch<'a> {
    fn load(
        conn: &mut Conn,
        setting: Setting<'a>,
        heard: &[Heard],
        audience: &'a Audience,
    ) -> Result<Self> {
        let told = notifications_for(conn, setting.now, heard, audience)?;
        let senders = each_once(told.iter().map(|told| told.from));
        let changed = each_once(heard.iter().filter_map(|heard| match &heard.happened {
            Happened::StatusPublished(id) | Happened::StatusEdited(id) => Some(*id),
            _ => None,
        }));
        let named = changed.iter().copied().chain(told.iter().filter_map(|told| told.status));
        let loaded = statuses::load_unseen(conn, &each_once(named))?;
        Ok(Self {
            setting,
            audience,
            words: Words::new(setting.urls, setting.now),
            candidates: candidates(conn, &changed, audience.people())?,
            statuses: loaded.into_iter().map(|status| (status.body.id, status)).collect(),
            told: told.into_iter().map(|told| (told.id, told)).collect(),
            senders: accounts::load(conn, &senders)?,
            former: gone::former(conn, heard, audience)?,
        })
    }

    fn tell(&self, conn: &mut Conn, heard: &Heard) -> Result<Vec<Delivery>> {
        let id = heard.position;
        match &heard.happened {
            Happened::StatusPublished(status) => self.tell_status(conn, id, *status, "update"),
            Happened::StatusEdited(status) => self.tell_status(conn, id, *status, "status.update"),
            Happened::StatusDeleted(status) => {
                let gone = Gone { event: heard.id, status };
                Ok(gone::deleted(id, gone, &self.former, self.audience, self.setting.feeds))
            }
            Happened::Notified(news) => self.tell_notifications(conn, id, news),
            Happened::FiltersChanged(account) => Ok(self.tell_filters_changed(id, *account)),
            Happened::ConversationChanged(changed) => self.tell_conversation(conn, id, *changed),
            Happened::AccessEnded(_) => Ok(Vec::new()),
        }
    }

    fn tell_status(
        &self,
        conn: &mut Conn,
        id: i64,
        status: StatusId,
        event: &'static str,
    ) -> Result<Vec<Delivery>> {
        let Some(status) = self.statuses.get(&status) else { return Ok(Vec::new()) };
        let listeners = self.listeners(conn, status)?;
        let readers = each_once(listeners.iter().map(|listener| listener.account));
        if readers.is_empty() {
            return Ok(Vec::new());
        }
        let sights = statuses::sights(conn, status, &readers)?;
        let mut versions = Versions::new(status, &self.words, id, event);
        let mut deliveries = Vec::with_capacity(listeners.len());
        for listener in listeners {
            let Some(sight) = sights.get(&listener.account) else { continue };
            let filters = (self.setting.filters)(conn, listener.account)?;
            let context = context(&listener.stream);
            let news = versions.of(listener.account, sight, &filters, context);
            deliveries.push(to(listener, &news));
        }
        Ok(deliveries)
    }

    /// Returns the listeners with a timeline that shows the status now.
    fn listeners(&self, conn: &mut Conn, status: &Status) -> Result<Vec<&'a Listener>> {
        let (id, now, feeds) = (status.body.id, self.setting.now, self.setting.feeds);
        let author = status.body.account.id;
        let mut can_be = self.candidates.get(&id).cloned().unwrap_or_default();
        if self.audience.people().binary_search(&author).is_ok() {
            can_be.push(author);
        }
        let home: HashSet<AccountId> =
            timelines::home_readers(conn, id, &each_once(can_be), now)?.into_iter().collect();
        let lists = timelines::lists_with(conn, id, self.audience.lists(), now)?;
        let traits = Traits::of(status);
        let public = self.audience.those(|listener| traits.fit(&listener.stream, feeds));
        let public = each_once(public.map(|listener| listener.account));
        let public: HashSet<AccountId> =
            timelines::public_readers(conn, id, &public, now)?.into_iter().collect();
        let is_shown = move |listener: &Listener| match &listener.stream {
            Stream::User => home.contains(&listener.account),
            Stream::List(list) => lists.contains(&(*list, listener.account)),
            stream @ (Stream::Public(_) | Stream::Hashtag { .. }) => {
                traits.fit(stream, feeds) && public.contains(&listener.account)
            }
            Stream::Notifications | Stream::Direct => false,
        };
        Ok(self.audience.those(is_shown).collect())
    }

    fn tell_notifications(
        &self,
        conn: &mut Conn,
        id: i64,
        news: &[(AccountId, NotificationId)],
    ) -> Result<Vec<Delivery>> {
        let mut deliveries = Vec::new();
        let shown: Vec<&Told> = news.iter().filter_map(|(_, id)| self.told.get(id)).collect();
        for some in shown.chunk_by(|a, b| a.status == b.status) {
            deliveries.extend(self.tell_of_one(conn, id, some)?);
        }
        Ok(deliveries)
    }

    /// Delivers notifications that are all about the same status, or all about none.
    fn tell_of_one(&self, conn: &mut Conn, id: i64, told: &[&Told]) -> Result<Vec<Delivery>> {
        let status = told.first().and_then(|told| told.status);
        let status = match status {
            None => None,
            Some(id) => match self.statuses.get(&id) {
                None => return Ok(Vec::new()),
                status => status,
            },
        };
        let readers = each_once(told.iter().map(|told| told.recipient));
        let sights = match status {
            None => HashMap::new(),
            Some(status) => statuses::sights(conn, status, &readers)?,
        };
        let mut deliveries = Vec::new();
        for told in told {
            let Some(account) = self.senders.get(&told.from) else { continue };
            let seen = status.zip(sights.get(&told.recipient));
            let notification = Notification {
                id: told.id,
                kind: told.kind,
                account: Arc::clone(account),
                status: seen.map(|(status, sight)| status.seen_by(told.recipient, sight)),
                created_at: told.created_at,
            };
            let filters = (self.setting.filters)(conn, told.recipient)?;
            let marked = filters.mark(FilterContext::Notifications, self.setting.now, notification);
            let payload = Some(self.words.notification(&marked));
            let news = Arc::new(News::new(id, "notification", payload));
            deliveries.extend(self.personal(told.recipient).map(|listener| to(listener, &news)));
        }
        Ok(deliveries)
    }

    /// Returns the listeners to the account's own home and notifications.
    fn personal(&self, account: AccountId) -> impl Iterator<Item = &'a Listener> {
        self.audience.those(move |listener| {
            listener.account == account
                && matches!(listener.stream, Stream::User | Stream::Notifications)
        })
    }

    /// Delivers a conversation to its owner if it has a status that the owner can see.
    fn tell_conversation(
        &self,
        conn: &mut Conn,
        id: i64,
        changed: ChangedConversation,
    ) -> Result<Vec<Delivery>> {
        let ChangedConversation { account_id: owner, conversation_id } = changed;
        let is_theirs = move |listener: &Listener| {
            listener.account == owner && listener.stream == Stream::Direct
        };
        if self.audience.those(is_theirs).next().is_none() {
            return Ok(Vec::new());
        }
        let conversation = match conversations::find(conn, owner, conversation_id, self.setting.now)
        {
            Ok(conversation) if conversation.last_status.is_some() => conversation,
            Ok(_) | Err(Error::NotFound) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let filters = (self.setting.filters)(conn, owner)?;
        let marked = filters.mark(FilterContext::Thread, self.setting.now, conversation);
        let payload = Some(self.words.conversation(&marked));
        let news = Arc::new(News::new(id, "conversation", payload));
        Ok(self.audience.those(is_theirs).map(|listener| to(listener, &news)).collect())
    }

    fn tell_filters_changed(&self, id: i64, account: AccountId) -> Vec<Delivery> {
        let news = Arc::new(News::new(id, "filters_changed", None));
        let theirs = self
            .personal(account)
            .filter(|listener| listener.stream == Stream::User)
            .map(|listener| to(listener, &news));
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

/// Loads the notifications for listening recipients, as far as they are visible to them.
fn notifications_for(
    conn: &mut Conn,
    now: Timestamp,
    heard: &[Heard],
    audience: &Audience,
) -> Result<Vec<Told>> {
    let people = audience.people();
    let wanted = heard.iter().filter_map(|heard| match &heard.happened {
        Happened::Notified(news) => Some(news),
        _ => None,
    });
    let for_listeners =
        wanted.flatten().filter(|(recipient, _)| people.binary_search(recipient).is_ok());
    let ids: Vec<NotificationId> = for_listeners.map(|(_, id)| *id).collect();
    if ids.is_empty() { Ok(Vec::new()) } else { Ok(notifications::told(conn, &ids, now)?) }
}

fn candidates(
    conn: &mut Conn,
    ids: &[StatusId],
    people: &[AccountId],
) -> Result<HashMap<StatusId, Vec<AccountId>>> {
    let mut found: HashMap<StatusId, Vec<AccountId>> = HashMap::new();
    if ids.is_empty() || people.is_empty() {
        return Ok(found);
    }
    for (status, account) in timelines::home_candidates(conn, ids, people)? {
        found.entry(status).or_default().push(account);
    }
    Ok(found)
}

/// Builds the delivery of a message to a listener.
pub(crate) fn to(listener: &Listener, news: &Arc<News>) -> Delivery {
    Delivery {
        session: listener.session,
        names: Arc::clone(&listener.names),
        news: Arc::clone(news),
    }
}
