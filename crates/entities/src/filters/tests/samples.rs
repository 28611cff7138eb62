//! Sample statuses and filters for the tests.

use std::sync::Arc;

use siskin_ids::{AccountId, FilterId, FilterKeywordId, FilterStatusId, StatusId};

use super::super::{Filter, FilterHead, FilterKeyword, FilterStatus};
use crate::{
    Status, StatusBody, StatusSnapshot, ViewerState,
    account::{Account, AccountSnapshot},
    time::Timestamp,
};

pub const NOW: Timestamp = Timestamp::from_unix_ms(1_800_000_000_000);

pub fn account() -> Account {
    Account::new(AccountSnapshot::new(AccountId::new(1), "alice", NOW))
}

pub fn body(id: i64, content: &str) -> StatusBody {
    let account = account();
    let snapshot = StatusSnapshot::new(StatusId::new(id), &account, content, NOW);
    StatusBody { viewer: Some(ViewerState::default()), ..StatusBody::new(snapshot, account) }
}

pub fn status(content: &str) -> Status {
    Status::new(body(7, content))
}

pub fn filter(id: i64, keywords: &[(&str, bool)]) -> Filter {
    let keyword = |(at, (keyword, whole_word)): (usize, &(&str, bool))| FilterKeyword {
        id: FilterKeywordId::new(i64::try_from(at).unwrap() + 1),
        keyword: (*keyword).to_owned(),
        whole_word: *whole_word,
    };
    let head = FilterHead::new(FilterId::new(id), &format!("Filter {id}"));
    Filter::new(head, keywords.iter().enumerate().map(keyword).collect())
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
