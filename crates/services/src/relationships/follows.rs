//! Follows: creation, approval and refusal of requests, and end from either side.

use serde::{Deserialize, Serialize};
use siskin_entities::{
    Protocol, Relationship,
    account::Account,
    relationship::{Action, FollowOptions, Following, Relations},
};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, accounts as account_rows, relationships as rows};
use siskin_policy::limits::max_follows;
use siskin_text::language;

use super::{NOT_ALLOWED, account_id, act, act_on, known, relationship, save};
use crate::{
    Error, Result,
    jobs::{self, Job},
};

/// Builds the options of a follow, with languages in their stored form.
///
/// # Errors
/// [`Error::Invalid`] for an unknown language.
pub fn follow_options(
    reblogs: Option<bool>,
    notify: Option<bool>,
    languages: Option<&[String]>,
) -> Result<FollowOptions> {
    let languages = languages.map(normal_languages).transpose()?;
    Ok(FollowOptions { reblogs, notify, languages })
}

fn normal_languages(codes: &[String]) -> Result<Vec<String>> {
    let mut normal: Vec<String> = Vec::new();
    for code in codes.iter().filter(|code| !code.trim().is_empty()) {
        let known = language::normalise(code)
            .ok_or_else(|| Error::validation("Languages are not all known"))?;
        if normal.iter().all(|code| code != known) {
            normal.push(known.to_owned());
        }
    }
    Ok(normal)
}

/// Follows an account, sends it a follow request, or changes the options of the follow. `threshold`
/// is the number of accounts that every user may follow, even with few followers.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable or is suspended; [`Error::Forbidden`]
/// for the account itself, for an account that moved, and if one blocks the other or its server;
/// [`Error::Invalid`] for an account of the earlier protocol OStatus and beyond the limit of
/// follows.
pub fn follow(
    tx: &mut Tx<'_>,
    threshold: u32,
    actor: AccountId,
    target: &str,
    options: &FollowOptions,
) -> Result<Relationship> {
    let target = account_id(target)?;
    account_rows::lock(tx, &[actor, target])?;
    let follower = account_rows::find(tx, actor)?.ok_or(Error::NotFound)?;
    let target = known(tx, target)?;
    require_followable(tx, actor, &target)?;
    let before = rows::relations(tx, actor, target.id)?;
    if before.following == Following::No {
        require_room(&follower, threshold)?;
    }
    let action = Action::Follow {
        options: options.clone(),
        needs_approval: needs_approval(&follower, &target),
    };
    save(tx, actor, target.id, &before, &action)?;
    relationship(tx, actor, target.id)
}

/// Stops following an account, or withdraws the follow request.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable.
pub fn unfollow(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    act_on(tx, actor, target, &Action::Unfollow)
}

/// Approves the follow request of an account. Does nothing if it is already a follower.
///
/// # Errors
/// [`Error::NotFound`] if it has neither requested to follow nor follows.
pub fn authorize(tx: &mut Tx<'_>, actor: AccountId, requester: &str) -> Result<Relationship> {
    let has_request = |relations: &Relations| relations.followed_by != Following::No;
    respond(tx, actor, requester, has_request, &Action::Authorize)
}

/// Rejects the follow request of an account.
///
/// # Errors
/// [`Error::NotFound`] if there is no request.
pub fn reject(tx: &mut Tx<'_>, actor: AccountId, requester: &str) -> Result<Relationship> {
    let has_request =
        |relations: &Relations| matches!(relations.followed_by, Following::Requested(_));
    respond(tx, actor, requester, has_request, &Action::Reject)
}

fn respond(
    tx: &mut Tx<'_>,
    actor: AccountId,
    requester: &str,
    has_request: impl Fn(&Relations) -> bool,
    action: &Action,
) -> Result<Relationship> {
    let requester = account_id(requester)?;
    known(tx, requester)?;
    account_rows::lock(tx, &[actor, requester])?;
    let before = rows::relations(tx, actor, requester)?;
    if !has_request(&before) {
        return Err(Error::NotFound);
    }
    save(tx, actor, requester, &before, action)?;
    relationship(tx, actor, requester)
}

/// Removes a follower.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable.
pub fn remove_follower(tx: &mut Tx<'_>, actor: AccountId, follower: &str) -> Result<Relationship> {
    act_on(tx, actor, follower, &Action::RemoveFollower)
}

/// Number of follow requests that are accepted in one transaction. Each costs some statements, and
/// other writers must not wait long.
const ACCEPT_BATCH: usize = 50;

/// Job that accepts the follow requests of an account that was unlocked, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptRequests {
    pub account: AccountId,
}

impl Job for AcceptRequests {
    const KIND: &'static str = "relationships.let_in";
}

/// Runs one step of [`AcceptRequests`], and enqueues another job for the rest. Does nothing if the
/// account was locked again.
///
/// # Errors
/// Storage errors only.
pub fn accept_requests(tx: &mut Tx<'_>, job: &AcceptRequests) -> Result<()> {
    let account = account_rows::find(tx, job.account)?;
    if account.is_none_or(|account| account.locked) {
        return Ok(());
    }
    let more = i64::try_from(ACCEPT_BATCH).unwrap_or(i64::MAX).saturating_add(1);
    let waiting = rows::requests_to(tx, job.account, more)?;
    for requester in waiting.iter().take(ACCEPT_BATCH) {
        act(tx, job.account, *requester, &Action::Authorize)?;
    }
    if waiting.len() > ACCEPT_BATCH {
        jobs::enqueue(tx, job)?;
    }
    Ok(())
}

fn require_followable(conn: &mut Conn, actor: AccountId, target: &Account) -> Result<()> {
    if target.state.suspended {
        Err(Error::NotFound)
    } else if target.id == actor {
        Err(Error::forbidden("You cannot follow yourself"))
    } else if target.protocol == Protocol::OStatus {
        Err(Error::invalid("Accounts that use the old protocol OStatus cannot be followed"))
    } else if target.moved.is_some() {
        Err(Error::forbidden("This account has moved, follow the one it moved to"))
    } else if rows::any_block_between(conn, actor, target.id)? {
        Err(Error::forbidden(NOT_ALLOWED))
    } else {
        Ok(())
    }
}

/// Returns `true` if the follow needs approval. Locked accounts decide themselves, and remote
/// servers decide for their accounts. A silenced follower needs approval from every account.
fn needs_approval(follower: &Account, target: &Account) -> bool {
    target.locked || !target.is_local() || follower.state.silenced
}

fn require_room(follower: &Account, threshold: u32) -> Result<()> {
    let followers = u64::try_from(follower.followers_count).unwrap_or(0);
    let limit = max_follows(u64::from(threshold), followers);
    let following = u64::try_from(follower.following_count).unwrap_or(0);
    if following < limit {
        return Ok(());
    }
    Err(Error::invalid(format!("You cannot follow more than {limit} accounts")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_normalised_and_unique() {
        let of = |codes: &[&str]| {
            let codes: Vec<String> = codes.iter().map(|code| (*code).to_owned()).collect();
            follow_options(None, None, Some(&codes)).map(|options| options.languages)
        };
        assert_eq!(of(&["EN", "deu", "en"]).unwrap(), Some(vec!["en".into(), "de".into()]));
        assert_eq!(of(&[""]).unwrap(), Some(vec![]));
        assert!(of(&["klingon?"]).is_err());
    }
}
