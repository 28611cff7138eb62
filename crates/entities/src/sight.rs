//! What one status is to each of many readers, so that what is the same for all is loaded once.

use siskin_ids::AccountId;

use crate::{
    polls::PollViewer,
    status::{Status, ViewerState},
};

/// What a status that was loaded for nobody in particular is to one reader.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sight {
    /// What the reader did to the status whose words are shown.
    pub state: ViewerState,
    /// Whether the reader may know what it answers.
    pub knows_parent: bool,
    /// What the reader chose in its poll, see [`PollViewer::chosen`].
    pub chosen: Vec<usize>,
}

impl Status {
    /// The status as this reader sees it.
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
            // What one does to a reblog is done to what it reblogs; pinned it cannot be.
            seen.body.viewer = Some(ViewerState { pinned: None, ..sight.state.clone() });
        }
        seen
    }
}
