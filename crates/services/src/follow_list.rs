//! The list of those whom a person follows, as a file that other servers of this kind read and
//! write: CSV with the columns `Account address`, `Show boosts`, `Notify on new posts` and
//! `Languages`.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::relationship::FollowOptions;
use siskin_ids::{AccountId, FollowId};
use siskin_persistence::{
    Conn, Tx, accounts as account_rows,
    relationships::{self as rows, FollowRecord},
};
use siskin_text::{Handle, language, username_key};

use crate::{
    Error, Instance, Result,
    jobs::{self, Job},
    relationships,
};

const COLUMNS: [&str; 4] = ["Account address", "Show boosts", "Notify on new posts", "Languages"];
/// The longest list that is read, in lines.
pub const MOST_LINES: usize = 20_000;
/// The longest list that is read, in bytes.
pub const MOST_BYTES: usize = 2 << 20;
/// How many follows are read at once.
const READ_AT_ONCE: i64 = 1000;
/// How many are followed in one transaction: others write in between.
const AT_ONCE: usize = 20;
/// How long after one part the next one is due: mail and all other work goes in between, however
/// long a list is.
const PAUSE: Duration = Duration::from_millis(250);

/// A line of a list: whom to follow, and how. What is not said stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub handle: String,
    pub reblogs: Option<bool>,
    pub notify: Option<bool>,
    pub languages: Option<Vec<String>>,
}

/// Follow some accounts of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowThem {
    pub account: AccountId,
    /// How many accounts anyone may follow, however few follow them.
    pub threshold: u32,
    pub lines: Vec<Line>,
}

impl Job for FollowThem {
    const KIND: &'static str = "follow_them";
}

/// The list of all whom `account` follows, the oldest follow first. `domain` is that of this
/// server.
///
/// # Errors
/// Storage errors only.
pub fn export(conn: &mut Conn, account: AccountId, domain: &str) -> Result<String> {
    let mut list = csv::Writer::from_writer(Vec::new());
    list.write_record(COLUMNS).map_err(Error::internal)?;
    let mut after = FollowId::new(0);
    loop {
        let some = rows::follows_after(conn, account, after, READ_AT_ONCE)?;
        let Some(last) = some.last() else { break };
        after = last.id;
        for follow in &some {
            list.write_record(line(follow, domain)).map_err(Error::internal)?;
        }
    }
    let bytes = list.into_inner().map_err(|error| Error::internal(error.to_string()))?;
    String::from_utf8(bytes).map_err(Error::internal)
}

fn line(follow: &FollowRecord, domain: &str) -> [String; 4] {
    let address = format!("{}@{}", follow.username, follow.domain.as_deref().unwrap_or(domain));
    let languages = follow.languages.clone().unwrap_or_default().join(", ");
    [address, follow.show_reblogs.to_string(), follow.notify.to_string(), languages]
}

/// Reads a list; lines that name nobody are left out. The line with the names of the columns may
/// be missing, and so may all columns but the first.
///
/// # Errors
/// [`Error::Invalid`] in words for what is no list, or too long a one.
pub fn parse(file: &[u8]) -> Result<Vec<Line>> {
    if file.len() > MOST_BYTES {
        return Err(Error::invalid("This file is too long."));
    }
    let text =
        std::str::from_utf8(file).map_err(|_| Error::invalid("This is no text in UTF-8."))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|_| Error::invalid("This is no list in CSV."))?;
        lines.extend(read_line(&record));
        if lines.len() > MOST_LINES {
            return Err(Error::invalid(format!("The list has more than {MOST_LINES} lines.")));
        }
    }
    if lines.is_empty() {
        return Err(Error::invalid("There are no addresses in this file."));
    }
    Ok(lines)
}

fn read_line(record: &csv::StringRecord) -> Option<Line> {
    let column = |index| record.get(index).filter(|text: &&str| !text.is_empty());
    let handle = column(0)?;
    Handle::parse(handle)?;
    let languages = column(3).map(|codes| {
        codes.split(',').filter_map(language::normalise).map(str::to_owned).collect::<Vec<_>>()
    });
    Some(Line {
        handle: handle.to_owned(),
        reblogs: column(1).and_then(yes_or_no),
        notify: column(2).and_then(yes_or_no),
        languages: languages.filter(|languages| !languages.is_empty()),
    })
}

fn yes_or_no(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Some(true),
        "false" | "0" | "no" => Some(false),
        _ => None,
    }
}

/// Has `account` follow those on the list, some with each job, and these one after the other.
///
/// # Errors
/// Storage errors only.
pub fn import(tx: &mut Tx<'_>, account: AccountId, threshold: u32, lines: &[Line]) -> Result<()> {
    let mut due = tx.now();
    for some in lines.chunks(AT_ONCE) {
        jobs::enqueue_at(tx, &FollowThem { account, threshold, lines: some.to_vec() }, due)?;
        due = due.after(PAUSE);
    }
    Ok(())
}

/// Follows those of whom this server knows; whoever cannot be followed is left out.
///
/// # Errors
/// Storage errors only.
pub fn follow_them(tx: &mut Tx<'_>, job: &FollowThem) -> Result<()> {
    let domain = Instance::remembered(tx)?.and_then(|base| Instance::at(&base, false));
    let domain = domain.as_ref().map_or("", |here| here.urls.domain());
    for line in &job.lines {
        let Some(target) = named(tx, &line.handle, domain)? else { continue };
        let options = FollowOptions {
            reblogs: line.reblogs,
            notify: line.notify,
            languages: line.languages.clone(),
        };
        let followed =
            relationships::follow(tx, job.threshold, job.account, &target.to_string(), &options);
        match followed {
            Ok(_) | Err(Error::NotFound | Error::Forbidden(_) | Error::Invalid(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn named(conn: &mut Conn, typed: &str, here: &str) -> Result<Option<AccountId>> {
    let Some(handle) = Handle::parse(typed) else { return Ok(None) };
    let domain = handle.domain.as_deref().filter(|domain| *domain != here);
    let found = account_rows::find_by_handle(conn, &username_key(&handle.username), domain)?;
    Ok(found.filter(|account| account.state.reachable).map(|account| account.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(handle: &str, reblogs: Option<bool>, notify: Option<bool>, languages: &[&str]) -> Line {
        let languages: Vec<String> = languages.iter().map(|code| (*code).to_owned()).collect();
        Line {
            handle: handle.to_owned(),
            reblogs,
            notify,
            languages: Some(languages).filter(|languages| !languages.is_empty()),
        }
    }

    #[test]
    fn lists_of_other_servers_are_read() {
        let file = "\u{feff}Account address,Show boosts,Notify on new posts,Languages\r\n\
                    ann@a.example,false,true,\"en, de\"\r\nbob@b.example,true,false,\r\n";
        assert_eq!(
            parse(file.as_bytes()).unwrap(),
            [
                line("ann@a.example", Some(false), Some(true), &["en", "de"]),
                line("bob@b.example", Some(true), Some(false), &[]),
            ]
        );
    }

    #[test]
    fn addresses_alone_are_enough_and_nonsense_is_left_out() {
        let file = "@ann@a.example\n\nnot an address,true\nbob,maybe,,xx-nope\n";
        let read = parse(file.as_bytes()).unwrap();
        assert_eq!(read, [line("@ann@a.example", None, None, &[]), line("bob", None, None, &[])]);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for file in
            [&b""[..], b"Account address,Show boosts\n", b"\xff\xfe\x00", b"\x89PNG\r\n\x1a\n"]
        {
            assert!(matches!(parse(file), Err(Error::Invalid(_))), "{file:?}");
        }
        let long = "a@b.example\n".repeat(MOST_LINES + 1);
        assert!(parse(long.as_bytes()).is_err());
        assert!(parse(&vec![b'a'; MOST_BYTES + 1]).is_err());
    }
}
