//! The words in which statuses are told: what is the same for several readers is written once.

use std::{cell::RefCell, collections::HashMap, rc::Rc, sync::Arc};

use siskin_entities::{
    Account, Conversation, FilterContext, FilterSet, Marked, Notification, Poll, Sight, Status,
    StatusBody, Timestamp, Urls, filters::FilterResult,
};
use siskin_ids::{AccountId, StatusId};
use siskin_wire::{
    pieces::{self, Pieces, Unkept},
    poll,
};

use crate::News;

/// Pieces that are kept while some events are told.
pub(crate) struct Kept<'a> {
    unkept: Unkept<'a>,
    statuses: RefCell<HashMap<StatusId, Rc<[u8]>>>,
    authors: RefCell<HashMap<AccountId, Rc<[u8]>>>,
}

impl<'a> Kept<'a> {
    pub(crate) fn new(urls: &'a Urls, now: Timestamp) -> Self {
        Self {
            unkept: Unkept { urls, now },
            statuses: RefCell::default(),
            authors: RefCell::default(),
        }
    }

    /// A status as JSON.
    pub(crate) fn status(&self, status: &Marked<Status>) -> String {
        let mut out = Vec::new();
        pieces::write_status(&mut out, status, self);
        text(out)
    }

    /// A conversation as JSON.
    pub(crate) fn conversation(&self, conversation: &Marked<Conversation>) -> String {
        let mut out = Vec::new();
        pieces::write_conversation(&mut out, conversation, self);
        text(out)
    }

    /// A notification as JSON.
    pub(crate) fn notification(&self, notification: &Marked<Notification>) -> String {
        let mut out = Vec::new();
        pieces::write_notification(&mut out, notification, self);
        text(out)
    }
}

fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).expect("JSON is written as UTF-8")
}

impl Pieces for Kept<'_> {
    type Bytes = Rc<[u8]>;

    fn status(&self, body: &StatusBody) -> Rc<[u8]> {
        let mut statuses = self.statuses.borrow_mut();
        let piece = statuses.entry(body.id).or_insert_with(|| self.unkept.status(body).into());
        Rc::clone(piece)
    }

    fn author(&self, account: &Account) -> Rc<[u8]> {
        let mut authors = self.authors.borrow_mut();
        let piece = authors.entry(account.id).or_insert_with(|| self.unkept.author(account).into());
        Rc::clone(piece)
    }

    fn poll(&self, poll: &Poll) -> poll::Poll {
        self.unkept.poll(poll)
    }
}

/// The versions of one status that its readers get: those to whom it is the same share one.
pub(crate) struct Versions<'s, 'k> {
    status: &'s Status,
    pieces: &'k Kept<'k>,
    id: i64,
    event: &'static str,
    made: Vec<(Version, Arc<News>)>,
}

/// All by which versions of a status differ.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    sight: Sight,
    /// A poll is another one to its author, whatever else is the same.
    is_author: bool,
    /// What the reader's filters say.
    filtered: Vec<FilterResult>,
}

impl<'s, 'k> Versions<'s, 'k> {
    pub(crate) fn new(
        status: &'s Status,
        pieces: &'k Kept<'k>,
        id: i64,
        event: &'static str,
    ) -> Self {
        Self { status, pieces, id, event, made: Vec::new() }
    }

    /// The version for a reader with these filters, in a place where they apply.
    pub(crate) fn of(
        &mut self,
        reader: AccountId,
        sight: &Sight,
        filters: &FilterSet,
        context: FilterContext,
    ) -> Arc<News> {
        let now = self.pieces.unkept.now;
        let version = Version {
            sight: sight.clone(),
            is_author: self.status.shown().account.id == reader,
            filtered: filters.results(context, now, self.status),
        };
        if let Some((_, news)) = self.made.iter().find(|(made, _)| *made == version) {
            return Arc::clone(news);
        }
        let seen = filters.mark(context, now, self.status.seen_by(reader, sight));
        let payload = Some(self.pieces.status(&seen));
        let news = Arc::new(News::new(self.id, self.event, payload));
        self.made.push((version, Arc::clone(&news)));
        news
    }
}
