//! The email about new terms of service. Users cannot choose not to get it, because it is about what
//! they agree to.

use siskin_entities::{Timestamp, time::Date};
use siskin_persistence::instance_texts as rows;

use super::{Composer, RenderedEmail};
use crate::Result;

impl Composer<'_, '_> {
    /// Writes the email about the terms of service that begin on this day. Returns `None` if staff
    /// removed them in the meantime.
    pub(super) fn new_terms(&mut self, first_day: i64) -> Result<Option<RenderedEmail>> {
        let day = Date(Timestamp::from_unix_ms(first_day));
        if rows::terms_announced_at(self.tx, day)?.is_none() {
            return Ok(None);
        }
        let (now, urls) = (self.tx.now(), &self.instance.urls);
        let apply = if now < day.0 { "will apply" } else { "apply" };
        let text = format!(
            "new terms of service {apply} at {} from {day} (UTC) on. Read them here:\n\n{}\n\nIf you \
             use your account from that day on, you agree to them. If you do not agree, you can take \
             your data with you and delete your account before:\n\n{}\n{}",
            self.site_with_url(),
            urls.page(&format!("/terms-of-service/{day}")),
            urls.page("/settings/export"),
            urls.page("/settings/delete-account"),
        );
        let to = self.recipient.email.clone();
        Ok(Some(self.letter(&to, "New terms of service", &text)))
    }
}
