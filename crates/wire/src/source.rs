//! What was typed of a status, to edit it or to write it anew.

use serde::Serialize;
use siskin_entities as view;
use siskin_ids::StatusId;

/// The source of a status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusSource {
    pub id: StatusId,
    pub text: String,
    pub spoiler_text: String,
}

/// The source of a status; a reblog has no words of its own.
#[must_use]
pub fn render(status: &view::Status) -> StatusSource {
    let body = &status.body;
    StatusSource { id: body.id, text: body.text.clone(), spoiler_text: body.spoiler_text.clone() }
}
