//! Viewer-specific data of a status, so that the common part is loaded once for many viewers.

use siskin_ids::AccountId;

use crate::{
    polls::PollViewer,
    quote::{Quote, QuotePermission, QuoteState},
    status::{Status, StatusBody, ViewerState},
};

/// What one viewer adds to a status that was loaded without a viewer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ViewerDetails {
    /// The viewer's interactions with the displayed status (the reblogged one for a reblog).
    pub state: ViewerState,
    /// Whether the parent is visible to the viewer.
    pub sees_parent: bool,
    /// The viewer's choices in its poll, see [`PollViewer::chosen`].
    pub chosen: Vec<usize>,
    /// Whether the viewer may quote it.
    pub may_quote: QuotePermission,
    /// What the viewer adds to its quote; `None` if it is no quote.
    pub quote: Option<Box<QuoteDetails>>,
}

/// What one viewer adds to a quote that was loaded without a viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteDetails {
    /// State of the quote for the viewer.
    pub state: QuoteState,
    /// Whether the viewer is the author of the quoted status. The author sees a poll differently.
    pub is_author: bool,
    /// What the viewer adds to the quoted status.
    pub quoted: ViewerDetails,
}

impl Status {
    /// Returns the status as this viewer sees it.
    #[must_use]
    pub fn for_viewer(&self, viewer: AccountId, viewer_details: &ViewerDetails) -> Self {
        let mut status = self.clone();
        let displayed = status.reblog.as_deref_mut().unwrap_or(&mut status.body);
        displayed.apply(viewer, viewer_details);
        if status.reblog.is_some() {
            // Interactions with a reblog count for the status that it reblogs. A reblog cannot be
            // pinned.
            status.body.viewer = Some(ViewerState { pinned: None, ..viewer_details.state.clone() });
            status.body.quote_approval.viewer = viewer_details.may_quote;
        }
        status
    }
}

impl StatusBody {
    fn apply(&mut self, viewer: AccountId, details: &ViewerDetails) {
        self.viewer = Some(details.state.clone());
        self.quote_approval.viewer = details.may_quote;
        if !details.sees_parent && self.in_reply_to_id.is_some() {
            self.in_reply_to_id = None;
            self.in_reply_to_account_id = None;
        }
        let is_author = self.account.id == viewer;
        if let Some(poll) = &mut self.poll {
            poll.viewer = Some(PollViewer { is_author, chosen: details.chosen.clone() });
        }
        if let (Some(quote), Some(details)) = (&mut self.quote, &details.quote) {
            quote.apply(viewer, details);
        }
    }
}

impl Quote {
    fn apply(&mut self, viewer: AccountId, details: &QuoteDetails) {
        self.state = details.state;
        self.status = self.status.take().filter(|_| details.state.shows_status());
        if let Some(status) = &mut self.status {
            status.apply(viewer, &details.quoted);
        }
    }
}
