//! Versions of a status.

use serde::Serialize;
use siskin_entities as view;

use crate::{
    account::{self, Account},
    emoji::{self, CustomEmoji},
    media::{self, MediaAttachment},
    time::Instant,
    urls::Urls,
};

/// A status as it was, or is now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatusEdit {
    /// HTML.
    pub content: String,
    pub spoiler_text: String,
    pub sensitive: bool,
    pub created_at: Instant,
    pub account: Account,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll: Option<EditedPoll>,
    pub media_attachments: Vec<MediaAttachment>,
    pub emojis: Vec<CustomEmoji>,
}

/// The poll of a version: what it asked, not how it was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditedPoll {
    pub options: Vec<EditedOption>,
}

/// One option of such a poll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditedOption {
    pub title: String,
}

/// The versions in their order.
#[must_use]
pub fn render_all(edits: &[view::StatusEdit], urls: &Urls) -> Vec<StatusEdit> {
    edits.iter().map(|edit| render(edit, urls)).collect()
}

fn render(edit: &view::StatusEdit, urls: &Urls) -> StatusEdit {
    let poll = |titles: &Vec<String>| EditedPoll {
        options: titles.iter().map(|title| EditedOption { title: title.clone() }).collect(),
    };
    StatusEdit {
        content: edit.content.clone(),
        spoiler_text: edit.spoiler_text.clone(),
        sensitive: edit.sensitive,
        created_at: Instant(edit.created_at),
        account: account::render(&edit.account, urls),
        poll: edit.poll_options.as_ref().map(poll),
        media_attachments: media::render_all(&edit.attachments, urls),
        emojis: emoji::render_all(&edit.emojis, urls),
    }
}
