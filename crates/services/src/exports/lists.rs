//! Lists of an account as CSV files, in the formats of Mastodon. They are read in chunks, because
//! some are long.

use siskin_entities::Timestamp;
use siskin_ids::{AccountId, FollowId};
use siskin_persistence::{
    Conn,
    exports::{self as rows, ExportedAccount},
    lists, relationships,
};

use crate::{Error, Result, follow_list};

/// Maximum number of lines in a chunk.
const CHUNK: i64 = 1000;

/// A list of an account that its owner can export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportedList {
    Follows,
    /// Lists with their members.
    Lists,
    Blocks,
    Mutes,
    DomainBlocks,
    Bookmarks,
}

/// Position in a list, at which a chunk begins. The default is its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Id of the list of accounts; 0 for other lists.
    list: i64,
    /// Id of the last row that was read; 0 for none.
    row: i64,
}

/// A chunk of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// Lines in CSV.
    pub text: String,
    /// Position of the next chunk. `None` at the end of the list.
    pub next: Option<Position>,
}

impl ExportedList {
    /// All lists.
    pub const ALL: [Self; 6] = [
        Self::Follows,
        Self::Lists,
        Self::Blocks,
        Self::Mutes,
        Self::DomainBlocks,
        Self::Bookmarks,
    ];

    /// Returns the name of the file, as on Mastodon.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Follows => "following_accounts.csv",
            Self::Lists => "lists.csv",
            Self::Blocks => "blocked_accounts.csv",
            Self::Mutes => "muted_accounts.csv",
            Self::DomainBlocks => "blocked_domains.csv",
            Self::Bookmarks => "bookmarks.csv",
        }
    }

    /// Returns the first line of the file. Some lists have none.
    ///
    /// # Errors
    /// None that can be expected.
    pub fn header(self) -> Result<String> {
        match self {
            Self::Follows => csv_of([follow_list::COLUMNS]),
            Self::Mutes => csv_of([["Account address", "Hide notifications"]]),
            Self::Lists | Self::Blocks | Self::DomainBlocks | Self::Bookmarks => Ok(String::new()),
        }
    }

    /// Returns the chunk of the list of an account that begins at this position, the oldest row
    /// first. `domain` is the domain of this server. Mutes that ended before `now` are left out.
    ///
    /// # Errors
    /// Storage errors only.
    pub fn lines(
        self,
        conn: &mut Conn,
        account: AccountId,
        domain: &str,
        now: Timestamp,
        from: Position,
    ) -> Result<Lines> {
        let after = from.row;
        match self {
            Self::Follows => {
                let found =
                    relationships::follows_after(conn, account, FollowId::new(after), CHUNK)?;
                let last = found.last().map(|follow| follow.id.get());
                let lines = found.iter().map(|follow| follow_list::line(follow, domain));
                Ok(chunk(found.len(), last, csv_of(lines)?))
            }
            Self::Lists => members(conn, account, domain, from),
            Self::Blocks => {
                let found = rows::blocks_after(conn, account, after, CHUNK)?;
                let last = found.last().map(|block| block.row);
                let lines = found.iter().map(|one| [address(one, domain)]);
                Ok(chunk(found.len(), last, csv_of(lines)?))
            }
            Self::Mutes => {
                let found = rows::mutes_after(conn, account, now, after, CHUNK)?;
                let last = found.last().map(|mute| mute.row);
                let lines = found.iter().map(|mute| {
                    let domain = mute.domain.as_deref().unwrap_or(domain);
                    let address = format!("{}@{domain}", mute.username);
                    [address, mute.hides_notifications.to_string()]
                });
                Ok(chunk(found.len(), last, csv_of(lines)?))
            }
            Self::DomainBlocks => texts(&rows::domain_blocks_after(conn, account, after, CHUNK)?),
            Self::Bookmarks => texts(&rows::bookmarks_after(conn, account, after, CHUNK)?),
        }
    }
}

/// Returns the lines of members of the list at this position, or of the next one.
fn members(conn: &mut Conn, account: AccountId, domain: &str, from: Position) -> Result<Lines> {
    let mut lists = lists::of_owner(conn, account)?.into_iter();
    let list = lists.by_ref().find(|list| list.id.get() >= from.list);
    let Some(list) = list else { return Ok(Lines { text: String::new(), next: None }) };
    // If the list was deleted in the meantime, the next one begins with its first member.
    let after = if list.id.get() == from.list { from.row } else { 0 };
    let found = rows::members_after(conn, list.id, after, CHUNK)?;
    // A title may begin as a formula of a spreadsheet does. It stays as it is: it is a text of the
    // owner alone, and another server would take a mark for a part of it.
    let lines = found.iter().map(|one| [list.title.clone(), address(one, domain)]);
    let text = csv_of(lines)?;
    let next = match found.last() {
        Some(last) if is_full(found.len()) => Some(Position { list: list.id.get(), row: last.row }),
        _ => lists.next().map(|next| Position { list: next.id.get(), row: 0 }),
    };
    Ok(Lines { text, next })
}

fn address(account: &ExportedAccount, domain: &str) -> String {
    format!("{}@{}", account.username, account.domain.as_deref().unwrap_or(domain))
}

/// Returns the chunk of rows with one text each.
fn texts(found: &[(i64, String)]) -> Result<Lines> {
    let last = found.last().map(|(row, _)| *row);
    Ok(chunk(found.len(), last, csv_of(found.iter().map(|(_, text)| [text]))?))
}

fn chunk(count: usize, last: Option<i64>, text: String) -> Lines {
    let next = last.filter(|_| is_full(count)).map(|row| Position { list: 0, row });
    Lines { text, next }
}

fn is_full(count: usize) -> bool {
    i64::try_from(count).is_ok_and(|count| count >= CHUNK)
}

fn csv_of<R, F>(records: impl IntoIterator<Item = R>) -> Result<String>
where
    R: IntoIterator<Item = F>,
    F: AsRef<[u8]>,
{
    let mut lines = csv::Writer::from_writer(Vec::new());
    for record in records {
        lines.write_record(record).map_err(Error::internal)?;
    }
    let bytes = lines.into_inner().map_err(|error| Error::internal(error.to_string()))?;
    String::from_utf8(bytes).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_with_several_columns_have_a_header() {
        let headers = ExportedList::ALL.map(|list| list.header().unwrap());
        assert_eq!(
            headers,
            [
                "Account address,Show boosts,Notify on new posts,Languages\n",
                "",
                "",
                "Account address,Hide notifications\n",
                "",
                ""
            ]
        );
    }

    #[test]
    fn texts_are_quoted_where_necessary() {
        let record = ["Birds, \"big\"", "ann@a.example"];
        assert_eq!(csv_of([record]).unwrap(), "\"Birds, \"\"big\"\"\",ann@a.example\n");
        assert_eq!(csv_of::<[&str; 1], &str>([]).unwrap(), "");
    }

    #[test]
    fn a_full_chunk_has_a_successor() {
        let full = usize::try_from(CHUNK).unwrap();
        let next = |count| chunk(count, Some(7), String::new()).next;
        assert_eq!(next(full), Some(Position { list: 0, row: 7 }));
        assert_eq!(next(full - 1), None);
    }
}
