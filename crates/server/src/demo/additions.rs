//! Writes the actions of [`Moderation`](super::moderation::Moderation) that need several calls.

use std::{fmt::Write as _, ops::Range};

use siskin_entities::{Actor, Protocol, StatusDraft, StatusSource, relationship::FollowOptions};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Tx, lists as list_rows, search,
    statuses::{self as rows, NewStatus},
    tags::{self, TypedTag},
};
use siskin_services::{
    Instance, Result,
    accounts::{self, RemoteAccount},
    feeds,
    filters::{self, FilterDraft},
    instance_domains,
    lists::{self, ListForm},
    relationships,
};
use siskin_text::Hashtag;

use super::action::RemoteStatus;

/// Creates an account of another server.
pub fn join_remote(
    tx: &mut Tx<'_>,
    instance: &Instance,
    username: &str,
    domain: &str,
) -> Result<AccountId> {
    let remote = RemoteAccount {
        id: None,
        username: username.to_owned(),
        domain: domain.to_owned(),
        protocol: Protocol::ActivityPub,
    };
    Ok(accounts::create_remote(tx, instance, &remote)?.id)
}

/// Blocks domains without accounts, most of them completely.
pub fn block_domains(tx: &mut Tx<'_>, instance: &Instance, domains: Range<usize>) -> Result<()> {
    let mut list = String::new();
    for number in domains {
        let severity = if number % 4 == 0 { "silence" } else { "suspend" };
        let _ = writeln!(list, "blocked{number}.example,{severity}");
    }
    let lines = instance_domains::parse(&instance.urls, list.as_bytes())?;
    instance_domains::apply(tx, Actor::Operator, &lines).map(drop)
}

/// Follows a remote account. Its approval, which would come from its server, follows at once.
pub fn follow_remote(
    tx: &mut Tx<'_>,
    threshold: u32,
    by: AccountId,
    target: AccountId,
) -> Result<()> {
    let options = FollowOptions::default();
    relationships::follow(tx, threshold, by, &target.to_string(), &options)?;
    relationships::authorize(tx, target, &by.to_string()).map(drop)
}

/// Inserts a public status of a remote account, as if its server had delivered it. There is no use
/// case for it.
pub fn publish_remote(tx: &mut Tx<'_>, status: &RemoteStatus) -> Result<()> {
    let RemoteStatus { by, domain, text, tag, language } = status;
    let tag = tag.and_then(Hashtag::parse);
    let text = match &tag {
        Some(tag) => format!("{text} #{}", tag.display),
        None => text.to_owned(),
    };
    let typed = tag.map(|tag| TypedTag { name: tag.name, display_name: tag.display });
    let tags = tags::find_or_insert(tx, typed.as_slice())?;
    let id = StatusId::new(tx.next_id());
    rows::insert(
        tx,
        &NewStatus {
            id,
            account: *by,
            uri: &format!("https://{domain}/statuses/{id}"),
            content: &format!("<p>{text}</p>"),
            draft: &StatusDraft {
                source: StatusSource {
                    language: Some((*language).to_owned()),
                    ..StatusSource::new(text)
                },
                ..StatusDraft::default()
            },
            in_reply_to: None,
            quote: None,
            application: None,
            mentions: &[],
            tags: &tags,
        },
    )?;
    search::index(tx, &[id])?;
    feeds::fan_out(tx, id)
}

/// Creates a filter with its keywords.
pub fn filter(tx: &mut Tx<'_>, by: AccountId, draft: &FilterDraft) -> Result<()> {
    let new = filters::prepare_new(draft.clone())?;
    filters::create(tx, by, &new).map(drop)
}

/// Creates a list of those of `members` that the account follows.
pub fn list(tx: &mut Tx<'_>, by: AccountId, form: &ListForm, members: &[AccountId]) -> Result<()> {
    let list = lists::create(tx, by, form)?;
    let mut members = list_rows::followed(tx, by, members)?;
    members.sort_unstable_by_key(|member| member.account);
    list_rows::add_members(tx, list.id, &members)?;
    Ok(())
}
