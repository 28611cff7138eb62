//! Source text of a status, for editing or reposting.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::StatusId;

/// Source of a status.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusSource {
    /// Id of the status.
    pub id: StatusId,
    /// Text as typed.
    pub text: String,
    /// Content warning as typed; may be empty.
    pub spoiler_text: String,
}

/// Renders the source of a status. A reblog has no text.
#[must_use]
pub fn render(status: &view::Status) -> StatusSource {
    let view::StatusSource { text, spoiler_text, .. } = &status.body.source;
    StatusSource { id: status.body.id, text: text.clone(), spoiler_text: spoiler_text.clone() }
}
