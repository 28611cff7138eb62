//! Polls.

use siskin_entities::Timestamp;

use super::{Member, ReadError, limits, texts, time::time_of};
use crate::json::{Members, Value};

/// Option of a poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollOption {
    /// Text, which is also what a vote names.
    pub name: String,
    /// Claimed number of votes.
    pub votes: u64,
}

/// Poll of another server. Its votes are claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePoll {
    /// Options in their order, at most [`limits::POLL_OPTIONS`].
    pub options: Vec<PollOption>,
    /// Whether one may choose several options.
    pub is_multiple: bool,
    /// Time when it ends or ended; `None` if it has no end.
    pub ends_at: Option<Timestamp>,
    /// Whether its server says that it has ended, without a time.
    pub is_closed: bool,
    /// Claimed number of voters; `None` if unknown.
    pub voters: Option<u64>,
}

/// Returns the poll of a question. Returns `None` if it has no options, as questions of forums.
///
/// # Errors
/// Returns [`ReadError::TooLong`] for more than [`limits::MAX_POLL_OPTIONS`].
pub(super) fn poll(members: Members<'_>) -> Result<Option<RemotePoll>, ReadError> {
    let is_multiple = members.get("anyOf").is_some();
    let name = if is_multiple { "anyOf" } else { "oneOf" };
    if members.items(name).count() > limits::MAX_POLL_OPTIONS {
        return Err(ReadError::TooLong(Member::Options));
    }
    let options: Vec<PollOption> =
        members.objects(name).filter_map(option).take(limits::POLL_OPTIONS).collect();
    if options.is_empty() {
        return Ok(None);
    }
    // Misskey writes the planned end into `closed`.
    let ends_at = time_of(members, "endTime").or_else(|| time_of(members, "closed"));
    let is_closed = members.first("closed").and_then(Value::as_bool).unwrap_or_default();
    let voters = members.count("votersCount").map(|count| count.min(limits::COUNT));
    Ok(Some(RemotePoll { options, is_multiple, ends_at, is_closed, voters }))
}

fn option(members: Members<'_>) -> Option<PollOption> {
    let (name, _) = members.natural("name")?;
    let votes = members.object("replies").and_then(|it| it.count("totalItems")).unwrap_or(0);
    // A vote repeats the name, so it stays as it was sent, except for its length.
    texts::line(name, limits::NAME_CHARACTERS)?;
    let name = name.chars().take(limits::NAME_CHARACTERS).collect();
    Some(PollOption { name, votes: votes.min(limits::COUNT) })
}
