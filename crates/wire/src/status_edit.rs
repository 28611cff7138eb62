//! Edit history of a status.

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::{
    account::{self, Account},
    budget::{Budget, Keep, MAX_LIST_BYTES, write_rendered},
    emoji::{self, CustomEmoji},
    media::{self, MediaAttachment},
    quote::{self, Embedding, Quote},
    time::Instant,
    urls::Urls,
};

/// Version of a status, current or former.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct StatusEdit {
    /// Content as HTML.
    pub content: String,
    /// Content warning as plain text; empty if there is none.
    pub spoiler_text: String,
    /// Whether clients hide the media at first.
    pub sensitive: bool,
    /// Time when this version was written.
    pub created_at: Instant,
    /// Author.
    pub account: Account,
    /// Absent if the version has no poll.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll: Option<EditedPoll>,
    /// Attachments in their order.
    #[serde(default)]
    pub media_attachments: Vec<MediaAttachment>,
    /// Custom emojis in the text and the content warning.
    #[serde(default)]
    pub emojis: Vec<CustomEmoji>,
    /// Status that it quotes; null if it is no quote.
    #[serde(default)]
    pub quote: Option<Quote>,
}

/// Poll of a version, without votes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct EditedPoll {
    /// Options in display order.
    pub options: Vec<EditedOption>,
}

/// Option of such a poll.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct EditedOption {
    /// Title as plain text.
    pub title: String,
}

/// Returns the JSON of the versions in their order. If they exceed the size limit, the original and
/// the newest versions are kept.
#[must_use]
pub fn write_all(edits: &[view::StatusEdit], urls: &Urls) -> Vec<u8> {
    write_within(edits, MAX_LIST_BYTES, urls)
}

/// Returns the versions like [`write_all`], with a limit in bytes. Two versions are always
/// included.
#[must_use]
pub fn write_within(edits: &[view::StatusEdit], bytes: usize, urls: &Urls) -> Vec<u8> {
    let render = |edit: &view::StatusEdit| render(edit, urls);
    let mut out = Vec::new();
    let Some((original, later)) = edits.split_first() else { return b"[]".to_vec() };
    let first = Budget { bytes, keep: Keep::First };
    write_rendered(&mut out, std::slice::from_ref(original), first, render);
    if !later.is_empty() {
        // The two arrays are joined.
        out.pop();
        let joint = out.len();
        let left = Budget { bytes: bytes.saturating_sub(joint), keep: Keep::Last };
        write_rendered(&mut out, later, left, render);
        out[joint] = b',';
    }
    out
}

fn render(edit: &view::StatusEdit, urls: &Urls) -> StatusEdit {
    let poll = |titles: &Vec<String>| EditedPoll {
        options: titles.iter().map(|title| EditedOption { title: title.clone() }).collect(),
    };
    StatusEdit {
        content: edit.content.clone(),
        spoiler_text: edit.spoiler_text.clone(),
        sensitive: edit.sensitive || (edit.account.sensitized && !edit.attachments.is_empty()),
        created_at: Instant(edit.created_at),
        account: account::render(&edit.account, urls),
        poll: edit.poll_options.as_ref().map(poll),
        media_attachments: media::render_all(&edit.attachments, urls),
        emojis: emoji::render_all(&edit.emojis, urls),
        // All versions quote the same status, so one that names it is enough.
        quote: edit
            .quote
            .as_ref()
            .map(|quote| quote::render(quote, Embedding::IdOnly, urls, edit.created_at)),
    }
}
