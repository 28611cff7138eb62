//! What the author of a new or edited status types, as clients send it.

use serde::Deserialize;
use siskin_services::statuses::SourceParams;

use crate::params::{Patch, chosen};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SourceForm {
    status: Patch<String>,
    /// If the parameter is absent, an edit removes the content warning.
    spoiler_text: Option<String>,
    sensitive: Option<bool>,
    language: Patch<String>,
    content_type: Patch<String>,
}

impl From<SourceForm> for SourceParams {
    fn from(form: SourceForm) -> Self {
        Self {
            text: form.status.or_default(),
            spoiler_text: form.spoiler_text.unwrap_or_default(),
            sensitive: form.sensitive,
            language: named(form.language),
            content_type: named(form.content_type),
        }
    }
}

/// Converts a text that names a value. An empty text and `undefined` keep what is stored.
fn named(text: Patch<String>) -> Option<Option<String>> {
    text.into_options().filter(|text| text.is_none() || chosen(text.as_deref()).is_some())
}
