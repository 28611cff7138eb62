//! Sample statuses and filters for the tests.

use std::sync::Arc;

use siskin_ids::{AccountId, FilterId, FilterKeywordId, FilterStatusId, StatusId};
use siskin_text::ContentType;

use super::super::{Filter, FilterAction, FilterContexts, FilterHead, FilterKeyword, FilterStatus};
use crate::{
    Rendered, Status, StatusBody, StatusSnapshot, ViewerState, Visibility,
    account::{Account, AccountSnapshot, AccountState, Protocol},
    status::StatusCounts,
    time::Timestamp,
};

pub const NOW: Timestamp = Timestamp::from_unix_ms(1_800_000_000_000);

pub fn account() -> Account {
    let snapshot = AccountSnapshot {
        id: AccountId::new(1),
        username: "alice".to_owned(),
        domain: None,
        display_name: String::new(),
        note: String::new(),
        note_html: String::new(),
        fields: Vec::new(),
        avatar: None,
        avatar_description: String::new(),
        header: None,
        header_description: String::new(),
        emojis: Vec::new(),
        locked: false,
        bot: false,
        discoverable: None,
        indexable: false,
        hide_collections: false,
        show_media: true,
        show_media_replies: true,
        show_featured: true,
        attribution_domains: Vec::new(),
        memorial: false,
        uri: String::new(),
        url: None,
        protocol: Protocol::Local,
        state: AccountState { suspended: false, silenced: false, reachable: true },
        created_at: NOW,
        role: None,
        version: 1,
        rendered: Rendered::default(),
    };
    Account {
        snapshot: Arc::new(snapshot),
        moved: None,
        last_status_at: None,
        statuses_count: 0,
        followers_count: 0,
        following_count: 0,
    }
}

pub fn body(id: i64, content: &str) -> StatusBody {
    let snapshot = StatusSnapshot {
        id: StatusId::new(id),
        uri: String::new(),
        url: None,
        is_local: true,
        username: "alice".to_owned(),
        text: String::new(),
        content_type: ContentType::Plain,
        content: content.to_owned(),
        spoiler_text: String::new(),
        visibility: Visibility::Public,
        sensitive: false,
        language: None,
        mentions: Vec::new(),
        tags: Vec::new(),
        attachments: Vec::new(),
        emojis: Vec::new(),
        application: None,
        has_poll: false,
        card: None,
        created_at: NOW,
        edited_at: None,
        version: 1,
        rendered: Rendered::default(),
    };
    StatusBody {
        snapshot: Arc::new(snapshot),
        account: Arc::new(account()),
        in_reply_to_id: None,
        in_reply_to_account_id: None,
        conversation_id: StatusId::new(id),
        poll: None,
        counts: StatusCounts::default(),
        viewer: Some(ViewerState::default()),
    }
}

pub fn status(content: &str) -> Status {
    Status { body: body(7, content), reblog: None }
}

pub fn filter(id: i64, keywords: &[(&str, bool)]) -> Filter {
    let keyword = |(at, (keyword, whole_word)): (usize, &(&str, bool))| FilterKeyword {
        id: FilterKeywordId::new(i64::try_from(at).unwrap() + 1),
        keyword: (*keyword).to_owned(),
        whole_word: *whole_word,
    };
    let head = FilterHead {
        id: FilterId::new(id),
        title: format!("Filter {id}"),
        contexts: FilterContexts::all(),
        action: FilterAction::Warn,
        expires_at: None,
    };
    Filter {
        head: Arc::new(head),
        keywords: keywords.iter().enumerate().map(keyword).collect(),
        statuses: Vec::new(),
    }
}

pub fn with_head(filter: Filter, change: impl FnOnce(&mut FilterHead)) -> Filter {
    let mut head = FilterHead::clone(&filter.head);
    change(&mut head);
    Filter { head: Arc::new(head), ..filter }
}

pub fn naming(filter: Filter, statuses: &[i64]) -> Filter {
    let named =
        |id: &i64| FilterStatus { id: FilterStatusId::new(*id), status: StatusId::new(*id) };
    Filter { statuses: statuses.iter().map(named).collect(), ..filter }
}
