//! Actions of the operator on announcements.

use siskin_entities::{Actor, Timestamp, announcement::Period};
use siskin_ids::AnnouncementId;
use siskin_persistence::Tx;
use siskin_services::{Result, announcements};

use super::TestApp;

impl TestApp {
    /// Publishes an announcement and returns its id.
    pub async fn announce(&self, text: &str) -> AnnouncementId {
        self.announce_event(text, None).await
    }

    /// Publishes an announcement of an event and returns its id.
    pub async fn announce_event(&self, text: &str, period: Option<Period>) -> AnnouncementId {
        self.announce_at(text, period, None).await
    }

    /// Schedules an announcement of an event and returns its id.
    pub async fn announce_at(
        &self,
        text: &str,
        period: Option<Period>,
        at: Option<Timestamp>,
    ) -> AnnouncementId {
        let new = announcements::prepare(text, period, at).unwrap();
        self.operate(move |tx| Ok(announcements::publish(tx, Actor::Operator, &new)?.id)).await
    }

    /// Changes the text of an announcement.
    pub async fn edit_announcement(&self, id: AnnouncementId, text: &str) {
        let changes = announcements::prepare_changes(Some(text), None, None).unwrap();
        self.operate(move |tx| announcements::edit(tx, Actor::Operator, id, &changes)).await;
    }

    /// Withdraws an announcement.
    pub async fn withdraw(&self, id: AnnouncementId) {
        self.operate(move |tx| announcements::unpublish(tx, Actor::Operator, id)).await;
    }

    /// Deletes an announcement.
    pub async fn delete_announcement(&self, id: AnnouncementId) {
        while !self.operate(move |tx| announcements::delete_step(tx, Actor::Operator, id)).await {}
    }

    async fn operate<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> T {
        self.app().write(body).await.unwrap()
    }
}
