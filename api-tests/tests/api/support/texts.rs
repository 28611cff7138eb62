//! Texts about the instance in tests.

use siskin_entities::{Actor, TextName, Timestamp, time::Date};
use siskin_services::instance_texts;

use super::TestApp;

impl TestApp {
    /// Replaces a text about the instance, as the operator does.
    pub async fn write_text(&self, name: TextName, text: &str) {
        let change = instance_texts::prepare(name, text, None).unwrap();
        self.app().change_text(Actor::Operator, change).await.unwrap();
    }

    /// Writes terms of service that take effect this number of days from today, which is not in the
    /// past, and returns their date.
    pub async fn write_terms(&self, text: &str, days: i64) -> String {
        let date = self.day(days);
        let change = instance_texts::prepare(TextName::TermsOfService, text, Some(date)).unwrap();
        self.app().change_text(Actor::Operator, change).await.unwrap();
        date.to_string()
    }

    /// Returns the date this number of days from today.
    pub fn day(&self, days: i64) -> Date {
        let day_ms = 86_400_000;
        let today = self.app().now().midnight().unix_ms();
        Date(Timestamp::from_unix_ms(today + days * day_ms))
    }
}
