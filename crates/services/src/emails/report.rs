//! The email to staff about a new report.

use siskin_entities::ReportCategory;
use siskin_ids::ReportId;
use siskin_persistence::{accounts, reports as rows};
use siskin_text::isolate;

use super::{Composer, RenderedEmail, html};
use crate::{Result, reports::is_handled_by};

impl Composer<'_, '_> {
    /// Writes the email about a new report. It does not name the reporter. Returns `None` if the
    /// report is gone, and if the recipient does not handle it any more.
    pub(super) fn new_report(&mut self, id: ReportId) -> Result<Option<RenderedEmail>> {
        let Some(report) = rows::find(self.tx, id)? else { return Ok(None) };
        let Some(target) = accounts::find(self.tx, report.target)? else { return Ok(None) };
        if !is_handled_by(self.tx, self.recipient.owner.account, target.id)? {
            return Ok(None);
        }
        let name = format!("@{}", target.acct());
        let mut paragraphs = vec![format!(
            "{} was reported at {}. Category: {}.",
            isolate(&name),
            self.site_with_url(),
            words(report.category),
        )];
        if !report.comment.trim().is_empty() {
            paragraphs.push("The reporter wrote:".to_owned());
            paragraphs.push(html::quoted(&isolate(&report.comment)));
        }
        paragraphs.push("Open this page to handle the report:".to_owned());
        paragraphs.push(self.instance.urls.page(&format!("/admin/reports/{id}")));
        let to = self.recipient.email.clone();
        let subject = format!("New report about {}", isolate(&name));
        Ok(Some(self.letter(&to, &subject, &paragraphs.join("\n\n"))))
    }
}

const fn words(category: ReportCategory) -> &'static str {
    match category {
        ReportCategory::Spam => "spam",
        ReportCategory::Legal => "illegal content",
        ReportCategory::Violation => "breach of the rules",
        ReportCategory::Other => "other",
    }
}
