//! List of the accounts that a user follows, as a CSV file that Mastodon and compatible servers
//! read and write. Its columns are `Account address`, `Show boosts`, `Notify on new posts` and
//! `Languages`.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::relationship::FollowOptions;
use siskin_ids::{AccountId, FollowId};
use siskin_persistence::{
    Conn, Tx, accounts as account_rows,
    relationships::{self as rows, FollowRecord},
};
use siskin_text::{Handle, language, normalise_domain, username_key};

use crate::{
    Error, Instance, Result,
    jobs::{self, Job},
    relationships,
};

pub(crate) const COLUMNS: [&str; 4] =
    ["Account address", "Show boosts", "Notify on new posts", "Languages"];
/// Maximum length of an imported list, in lines.
pub const MAX_LINES: usize = 20_000;
/// Maximum length of an imported list, in bytes.
pub const MAX_BYTES: usize = 2 << 20;
/// Number of follows that are read at once.
const READ_AT_ONCE: i64 = 1000;
/// Number of accounts that are followed in one transaction, so that other writers get their turn.
const BATCH_SIZE: usize = 20;
/// Delay between two parts of an import. Email and all other jobs run in between, even if the list
/// is long.
const PAUSE: Duration = Duration::from_millis(250);

/// Line of a list: an account and the options of the follow. Missing options keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub handle: String,
    pub reblogs: Option<bool>,
    pub notify: Option<bool>,
    pub languages: Option<Vec<String>>,
}

/// Job that follows some accounts of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFollows {
    pub account: AccountId,
    /// Number of accounts that every user may follow, even with few followers.
    pub threshold: u32,
    pub lines: Vec<Line>,
}

impl Job for ImportFollows {
    const KIND: &'static str = "follow_them";
}

/// Returns the list of all accounts that `account` follows, the oldest follow first. `domain` is
/// the domain of this server.
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

/// Returns the columns of a follow.
pub(crate) fn line(follow: &FollowRecord, domain: &str) -> [String; 4] {
    let address = format!("{}@{}", follow.username, follow.domain.as_deref().unwrap_or(domain));
    let languages = follow.languages.clone().unwrap_or_default().join(", ");
    [address, follow.show_reblogs.to_string(), follow.notify.to_string(), languages]
}

/// Parses a list. Ignores lines without a valid account address. A header names the columns, in any
/// order. Without a header the columns have the usual order. All columns but the address are
/// optional.
///
/// # Errors
/// [`Error::Invalid`] with a message if the file is no list, is too long, or is a list of something
/// else.
pub fn parse(file: &[u8]) -> Result<Vec<Line>> {
    if file.len() > MAX_BYTES {
        return Err(Error::invalid("This file is too long."));
    }
    let text =
        std::str::from_utf8(file).map_err(|_| Error::invalid("The file is not UTF-8 text."))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let (mut columns, mut lines) = (Columns::USUAL, Vec::new());
    for (number, record) in reader.records().enumerate() {
        let record = record.map_err(|_| Error::invalid("The file is not valid CSV."))?;
        if number == 0 {
            require_follows(&record)?;
            if let Some(named) = Columns::named(&record)? {
                columns = named;
                continue;
            }
        }
        lines.extend(columns.line(&record));
        if lines.len() > MAX_LINES {
            return Err(Error::invalid(format!("The list has more than {MAX_LINES} lines.")));
        }
    }
    if lines.is_empty() {
        return Err(Error::invalid("The file contains no addresses."));
    }
    Ok(lines)
}

/// Refuses other lists that servers export, such as blocks and mutes.
fn require_follows(first: &csv::StringRecord) -> Result<()> {
    let has = |name: &str| first.iter().any(|cell| cell.eq_ignore_ascii_case(name));
    let cell = |index| first.get(index).unwrap_or_default();
    let is_address = |text: &str| text.contains('@') && Handle::parse(text).is_some();
    let what = if has("Hide notifications") {
        "muted accounts"
    } else if has("#domain") || has("#severity") || is_domain(cell(0)) {
        "blocked servers"
    } else if has("List name") || (!is_address(cell(0)) && is_address(cell(1))) {
        "lists and their members"
    } else if cell(0).starts_with("https://") || cell(0).starts_with("http://") {
        "bookmarks"
    } else {
        return Ok(());
    };
    Err(Error::invalid(format!("This is a list of {what}, not of the accounts that you follow.")))
}

/// Returns `true` if the text is the domain of a server without an account.
fn is_domain(text: &str) -> bool {
    !text.contains(['@', ' ']) && text.contains('.') && normalise_domain(text).is_some()
}

/// Position of each column in a line.
struct Columns([Option<usize>; COLUMNS.len()]);

impl Columns {
    const USUAL: Self = Self([Some(0), Some(1), Some(2), Some(3)]);

    /// Parses a header. Returns `None` if the line is none.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the header has no address column.
    fn named(first: &csv::StringRecord) -> Result<Option<Self>> {
        let index = |name: &str| first.iter().position(|cell| cell.eq_ignore_ascii_case(name));
        let found = COLUMNS.map(index);
        if found.iter().all(Option::is_none) {
            return Ok(None);
        }
        if found[0].is_none() {
            let message =
                format!("The file has no column with the name \u{201c}{}\u{201d}.", COLUMNS[0]);
            return Err(Error::invalid(message));
        }
        Ok(Some(Self(found)))
    }

    fn line(&self, record: &csv::StringRecord) -> Option<Line> {
        let cell = |column: usize| {
            let text = self.0[column].and_then(|index| record.get(index));
            text.filter(|text: &&str| !text.is_empty())
        };
        let handle = cell(0)?;
        Handle::parse(handle)?;
        let languages = cell(3).map(|codes| {
            codes.split(',').filter_map(language::normalise).map(str::to_owned).collect::<Vec<_>>()
        });
        Some(Line {
            handle: handle.to_owned(),
            reblogs: cell(1).and_then(yes_or_no),
            notify: cell(2).and_then(yes_or_no),
            languages: languages.filter(|languages| !languages.is_empty()),
        })
    }
}

fn yes_or_no(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Some(true),
        "false" | "0" | "no" => Some(false),
        _ => None,
    }
}

/// Enqueues jobs that follow the accounts on the list. Each job follows some of them, and the jobs
/// run one after the other.
///
/// # Errors
/// Storage errors only.
pub fn import(tx: &mut Tx<'_>, account: AccountId, threshold: u32, lines: &[Line]) -> Result<()> {
    let mut due = tx.now();
    for some in lines.chunks(BATCH_SIZE) {
        jobs::enqueue_at(tx, &ImportFollows { account, threshold, lines: some.to_vec() }, due)?;
        due = due.after(PAUSE);
    }
    Ok(())
}

/// Follows the accounts that this server knows. Skips accounts that cannot be followed.
///
/// # Errors
/// Storage errors only.
pub fn import_follows(tx: &mut Tx<'_>, job: &ImportFollows) -> Result<()> {
    let here = Instance::stored(tx)?;
    for line in &job.lines {
        let Some(target) = named(tx, &line.handle, here.as_ref())? else { continue };
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

fn named(conn: &mut Conn, typed: &str, here: Option<&Instance>) -> Result<Option<AccountId>> {
    let Some(handle) = Handle::parse(typed) else { return Ok(None) };
    let is_own = |domain: &str| here.is_some_and(|here| here.urls.is_own_domain(domain));
    let domain = handle.domain.as_deref().filter(|domain| !is_own(domain));
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
    fn lists_of_other_servers_are_parsed() {
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
    fn addresses_are_enough_and_invalid_lines_are_ignored() {
        let file = "@ann@a.example\n\nnot an address,true\nbob,maybe,,xx-nope\n";
        let read = parse(file.as_bytes()).unwrap();
        assert_eq!(read, [line("@ann@a.example", None, None, &[]), line("bob", None, None, &[])]);
    }

    #[test]
    fn columns_are_found_by_their_header() {
        let file = "Languages,notify on new posts,Comment,ACCOUNT ADDRESS\n\
                    \"en, de\",true,true,ann@a.example\n,,,bob\n";
        let read = parse(file.as_bytes()).unwrap();
        let ann = line("ann@a.example", None, Some(true), &["en", "de"]);
        assert_eq!(read, [ann, line("bob", None, None, &[])]);
        let refused = parse(b"Show boosts,Languages\ntrue,en\n").unwrap_err().to_string();
        assert!(refused.contains("Account address"), "{refused}");
    }

    #[test]
    fn another_kind_of_list_is_refused_by_name() {
        for (file, what) in [
            ("Account address,Hide notifications\nann@a.example,true\n", "muted accounts"),
            ("#domain,#severity\na.example,suspend\n", "blocked servers"),
            ("a.example\nb.example\n", "blocked servers"),
            ("Friends,ann@a.example\nFriends,bob@b.example\n", "lists and their members"),
            ("List name,Account address\nFriends,ann@a.example\n", "lists and their members"),
            ("https://a.example/users/ann/statuses/1\n", "bookmarks"),
        ] {
            let refused = parse(file.as_bytes()).unwrap_err().to_string();
            let expected =
                format!("This is a list of {what}, not of the accounts that you follow.");
            assert_eq!(refused, expected, "{file}");
        }
    }

    #[test]
    fn a_file_that_is_no_list_is_refused() {
        for file in
            [&b""[..], b"Account address,Show boosts\n", b"\xff\xfe\x00", b"\x89PNG\r\n\x1a\n"]
        {
            assert!(matches!(parse(file), Err(Error::Invalid(_))), "{file:?}");
        }
        let long = "a@b.example\n".repeat(MAX_LINES + 1);
        assert!(parse(long.as_bytes()).is_err());
        assert!(parse(&vec![b'a'; MAX_BYTES + 1]).is_err());
    }
}
