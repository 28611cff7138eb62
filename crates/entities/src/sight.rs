//! Viewer-specific data of a status, so that the common part is loaded once for many viewers.

use siskin_ids::AccountId;

use crate::{
    polls::PollViewer,
    status::{Status, ViewerState},
};

/// What one viewer adds to a status that was loaded without a viewer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sight {
    /// The viewer's interactions with the displayed status (the reblogged one for a reblog).
    pub state: ViewerState,
    /// Whether the parent is visible to the viewer.
    pub knows_parent: bool,
    /// The viewer's choices in its poll, see [`PollViewer::chosen`].
    pub chosen: Vec<usize>,
}

impl Status {
    /// Returns the status as this viewer sees it.
    #[must_use]
    pub fn seen_by(&self, reader: AccountId, sight: &Sight) -> Self {
        let mut seen = self.clone();
        let shown = seen.reblog.as_deref_mut().unwrap_or(&mut seen.body);
        shown.viewer = Some(sight.state.clone());
        if !sight.knows_parent && shown.in_reply_to_id.is_some() {
            shown.in_reply_to_id = None;
            shown.in_reply_to_account_id = None;
        }
        let is_author = shown.account.id == reader;
        if let Some(poll) = &mut shown.poll {
            poll.viewer = Some(PollViewer { is_author, chosen: sight.chosen.clone() });
        }
        if seen.reblog.is_some() {
            // Interactions with a reblog count for the status that it reblogs. A reblog cannot be
            // pinned.
            seen.body.viewer = Some(ViewerState { pinned: None, ..sight.state.clone() });
        }
        seen
    }
}
