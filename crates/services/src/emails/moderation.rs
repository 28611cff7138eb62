//! Emails about strikes and appeals. Those to the person never name a moderator.

use siskin_entities::{AppealState, Strike, StrikeAction};
use siskin_ids::{AppealId, StrikeId};
use siskin_persistence::strikes as rows;
use siskin_policy::{limits::SUSPENSION_PERIOD, roles::Permission};
use siskin_text::isolate;

use super::{Composer, RenderedEmail, format_time, html};
use crate::{Result, authentication::authority};

impl Composer<'_, '_> {
    /// Writes the email to a person about a strike. Returns `None` if the moderators took it back in
    /// the meantime.
    pub(super) fn strike(&mut self, id: StrikeId) -> Result<Option<RenderedEmail>> {
        let Some(strike) = rows::find(self.tx, id)? else { return Ok(None) };
        if strike.overruled_at.is_some() {
            return Ok(None);
        }
        let mut paragraphs =
            vec![format!("the moderators of {} {}", self.site_with_url(), happened(&strike))];
        if !strike.text.is_empty() {
            paragraphs.push("They wrote:".to_owned());
            paragraphs.push(html::quoted(&isolate(&strike.text)));
        }
        let mut excerpts =
            strike.statuses.iter().map(|status| &status.excerpt).filter(|one| !one.is_empty());
        if let Some(first) = excerpts.next() {
            paragraphs.push("This is about:".to_owned());
            paragraphs.push(html::quoted(&isolate(first)));
            paragraphs.extend(excerpts.map(|excerpt| html::quoted(&isolate(excerpt))));
        }
        paragraphs.push(format!(
            "If you think that this is wrong, you can appeal until {}:",
            format_time(strike.appeal_until())
        ));
        paragraphs.push(self.instance.urls.page(&format!("/disputes/strikes/{id}")));
        let to = self.recipient.email.clone();
        Ok(Some(self.letter(&to, subject(strike.action), &paragraphs.join("\n\n"))))
    }

    /// Writes the email to a member of staff about an appeal. It contains no text of the person.
    /// Returns `None` if the appeal was decided in the meantime, and if the recipient may not decide
    /// about appeals any more.
    pub(super) fn new_appeal(&mut self, id: AppealId) -> Result<Option<RenderedEmail>> {
        let Some(appeal) = rows::find_appeal(self.tx, id)? else { return Ok(None) };
        let Some(strike) = rows::find(self.tx, appeal.strike)? else { return Ok(None) };
        let staff = authority(self.tx, self.recipient.owner.account)?;
        if appeal.state != AppealState::Pending || !staff.can(Permission::ManageAppeals) {
            return Ok(None);
        }
        let name = format!("@{}", strike.target.acct());
        let text = format!(
            "{} appeals at {} against a decision of the moderators of {} ({}). Open this page to \
             decide about the appeal:\n\n{}",
            isolate(&name),
            self.site_with_url(),
            format_time(strike.created_at),
            decision(strike.action),
            self.instance.urls.page("/admin/appeals"),
        );
        let to = self.recipient.email.clone();
        Ok(Some(self.letter(&to, &format!("{} appeals", isolate(&name)), &text)))
    }

    /// Writes the email to a person about the decision on their appeal. Returns `None` if the appeal
    /// is gone.
    pub(super) fn appeal_decided(&mut self, id: AppealId) -> Result<Option<RenderedEmail>> {
        let Some(appeal) = rows::find_appeal(self.tx, id)? else { return Ok(None) };
        let Some(strike) = rows::find(self.tx, appeal.strike)? else { return Ok(None) };
        let at = format_time(strike.created_at);
        let (subject, outcome) = match appeal.state {
            AppealState::Pending => return Ok(None),
            AppealState::Approved if strike.action == StrikeAction::DeleteStatuses => (
                "Your appeal was approved",
                format!(
                    "approved your appeal against their decision of {at}. The strike no longer \
                     counts. The deleted posts cannot be restored."
                ),
            ),
            AppealState::Approved => (
                "Your appeal was approved",
                format!("approved your appeal. Their decision of {at} is taken back."),
            ),
            AppealState::Rejected => (
                "Your appeal was rejected",
                format!("rejected your appeal. Their decision of {at} stays."),
            ),
        };
        let text = format!("the moderators of {} {outcome}", self.site_with_url());
        let to = self.recipient.email.clone();
        Ok(Some(self.letter(&to, subject, &text)))
    }
}

/// Returns what an action is called on the pages of the staff.
const fn decision(action: StrikeAction) -> &'static str {
    match action {
        StrikeAction::Warn => "Warning",
        StrikeAction::Disable => "Login disabled",
        StrikeAction::MarkStatusesAsSensitive => "Posts marked as sensitive",
        StrikeAction::DeleteStatuses => "Posts deleted",
        StrikeAction::Sensitive => "Media marked as sensitive",
        StrikeAction::Silence => "Limited",
        StrikeAction::Suspend => "Suspended",
    }
}

const fn subject(action: StrikeAction) -> &'static str {
    match action {
        StrikeAction::Warn => "A warning from the moderators",
        StrikeAction::Disable => "Your login was disabled",
        StrikeAction::MarkStatusesAsSensitive => "Your posts were marked as sensitive",
        StrikeAction::DeleteStatuses => "Your posts were deleted",
        StrikeAction::Sensitive => "Your media were marked as sensitive",
        StrikeAction::Silence => "Your account was limited",
        StrikeAction::Suspend => "Your account was suspended",
    }
}

/// Returns the end of the sentence “The moderators …”, and what that means.
fn happened(strike: &Strike) -> String {
    match strike.action {
        StrikeAction::Warn => "sent you a warning.".to_owned(),
        StrikeAction::Disable => {
            "disabled your login. You cannot sign in, and your apps cannot act for you.".to_owned()
        }
        StrikeAction::MarkStatusesAsSensitive => {
            "marked some of your posts as sensitive. Their media are hidden behind a warning."
                .to_owned()
        }
        StrikeAction::DeleteStatuses => "deleted some of your posts.".to_owned(),
        StrikeAction::Sensitive => {
            "marked all your media as sensitive. They are hidden behind a warning.".to_owned()
        }
        StrikeAction::Silence => {
            "limited your account. Only your followers and people who open it see your posts."
                .to_owned()
        }
        StrikeAction::Suspend => format!(
            "suspended your account. Your profile and your posts are hidden. They will be deleted \
             permanently after {}, unless the suspension ends before.",
            format_time(strike.created_at.after(SUSPENSION_PERIOD))
        ),
    }
}
