//! Viewer-specific data of a status, so that the common part is loaded once for many viewers.

use siskin_ids::AccountId;

use crate::{
    polls::PollViewer,
    status::{Status, ViewerState},
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
}

impl Status {
    /// Returns the status as this viewer sees it.
    #[must_use]
    pub fn for_viewer(&self, viewer: AccountId, viewer_details: &ViewerDetails) -> Self {
        let mut status = self.clone();
        let displayed = status.reblog.as_deref_mut().unwrap_or(&mut status.body);
        displayed.viewer = Some(viewer_details.state.clone());
        if !viewer_details.sees_parent && displayed.in_reply_to_id.is_some() {
            displayed.in_reply_to_id = None;
            displayed.in_reply_to_account_id = None;
        }
        let is_author = displayed.account.id == viewer;
        if let Some(poll) = &mut displayed.poll {
            poll.viewer = Some(PollViewer { is_author, chosen: viewer_details.chosen.clone() });
        }
        if status.reblog.is_some() {
            // Interactions with a reblog count for the status that it reblogs. A reblog cannot be
            // pinned.
            status.body.viewer = Some(ViewerState { pinned: None, ..viewer_details.state.clone() });
        }
        status
    }
}
