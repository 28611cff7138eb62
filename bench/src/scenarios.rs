//! Scenarios of the load benchmark.

use anyhow::{Context as _, Result};

use crate::people::Person;

/// Number of followers of the posting account.
const FOLLOWERS: i64 = 25;
/// Name of the scenario of home timelines.
pub const HOME: &str = "home";
/// Name of the scenario in which one account posts.
pub const POSTING: &str = "post";
/// Name of the scenario with reads and writes.
pub const MIXED: &str = "mixed";
/// Maximum number of readers in the mixed scenario, whose requests are in the memory of wrk.
const MIXED_READERS: usize = 2000;
/// Text of every post, as a form field. `{}` is replaced by a unique number.
const POST: &str = "status=The+same+words+every+time,+about+a+walk+along+the+river.+%23walk+{}";

/// Kind of request, with several variants that take turns.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub name: &'static str,
    /// What differs between worlds, such as a number of followers.
    pub detail: Option<String>,
    /// Not empty.
    pub requests: Vec<Request>,
}

/// HTTP request of a scenario.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    /// Access token of the caller; `None` for anonymous requests.
    pub token: Option<String>,
    /// Form to send. `{}` in it is replaced by a unique number. `None` makes a `GET` request.
    pub form: Option<String>,
}

impl Request {
    pub fn get(path: impl Into<String>, token: Option<&str>) -> Self {
        Self { path: path.into(), token: token.map(str::to_owned), form: None }
    }

    fn post(path: impl Into<String>, person: &Person, form: &str) -> Self {
        Self { path: path.into(), token: Some(person.token.clone()), form: Some(form.to_owned()) }
    }
}

/// Returns the scenarios of the baseline server.
pub fn of_floor() -> Vec<Scenario> {
    ["fixed", "rows"]
        .map(|name| Scenario {
            name,
            detail: None,
            requests: vec![Request::get(format!("/{name}"), None)],
        })
        .into()
}

/// Returns the most frequent requests of clients. The first `readers` accounts take turns.
pub fn of_siskin(people: &[Person], readers: usize) -> Result<Vec<Scenario>> {
    let readers = &people[..people.len().min(readers)];
    let mut all: Vec<Scenario> = READS
        .iter()
        .map(|read| Scenario {
            name: read.name(),
            detail: None,
            requests: readers
                .iter()
                .zip(0..)
                .map(|(one, place)| read.request(one, place))
                .collect(),
        })
        .collect();
    all.push(Scenario {
        name: "instance",
        detail: None,
        requests: vec![Request::get("/api/v2/instance", None)],
    });
    let author = people
        .iter()
        .min_by_key(|one| (one.followers - FOLLOWERS).abs())
        .context("there are no accounts")?;
    all.push(Scenario {
        name: POSTING,
        detail: Some(author.followers.to_string()),
        requests: vec![Request::post("/api/v1/statuses", author, POST)],
    });
    // It changes the data, so it comes last.
    all.push(mixed(&readers[..readers.len().min(MIXED_READERS)]));
    Ok(all)
}

/// Read of one account.
#[derive(Debug, Clone, Copy)]
enum Read {
    Home,
    Public,
    Tag,
    List,
    Account,
    Notifications,
    Groups,
    Context,
    Status,
    Search,
    Find,
}

/// Pairs of words that the generated texts contain, in several scripts: of one sentence, of two
/// sentences, and without spaces.
const WORDS: [&str; 6] = [
    "siskin+feeder",
    "sunrise+canal",
    "library+garden",
    "%22Small+servers%22",
    "Zug+p%C3%BCnktlich",
    "%E9%9B%BB%E8%BB%8A+%E5%BA%AD",
];

/// The scenarios of one kind of read, in the order of the table.
const READS: [Read; 11] = [
    Read::Home,
    Read::Public,
    Read::Tag,
    Read::List,
    Read::Account,
    Read::Notifications,
    Read::Groups,
    Read::Context,
    Read::Status,
    Read::Search,
    Read::Find,
];

/// The nine reads of each account between two of its writes, in the mixed scenario.
const MIXED_READS: [Read; 9] = [
    Read::Home,
    Read::Notifications,
    Read::Status,
    Read::Home,
    Read::Context,
    Read::Account,
    Read::Public,
    Read::List,
    Read::Tag,
];

impl Read {
    const fn name(self) -> &'static str {
        match self {
            Self::Home => HOME,
            Self::Public => "public",
            Self::Tag => "tag",
            Self::List => "list",
            Self::Account => "account",
            Self::Notifications => "notifications",
            Self::Groups => "grouped",
            Self::Context => "context",
            Self::Status => "status",
            Self::Search => "search",
            Self::Find => "find",
        }
    }

    /// Returns the request of the account at this place among the readers.
    fn request(self, one: &Person, place: usize) -> Request {
        let path = match self {
            Self::Home => "/api/v1/timelines/home".to_owned(),
            Self::Public => "/api/v1/timelines/public".to_owned(),
            Self::Tag => format!("/api/v1/timelines/tag/{}", one.tag),
            Self::List => format!("/api/v1/timelines/list/{}", one.list),
            Self::Account => format!("/api/v1/accounts/{}/statuses", one.followed),
            // Both pages have the same length.
            Self::Notifications => "/api/v1/notifications?limit=20".to_owned(),
            Self::Groups => "/api/v2/notifications?limit=20".to_owned(),
            Self::Context => format!("/api/v1/statuses/{}/context", one.status),
            Self::Status => format!("/api/v1/statuses/{}", one.status),
            Self::Search => "/api/v1/accounts/search?q=a&limit=20".to_owned(),
            Self::Find => {
                format!("/api/v2/search?q={}&type=statuses", WORDS[place % WORDS.len()])
            }
        };
        Request::get(path, Some(&one.token))
    }
}

/// Write of one account in the mixed scenario.
#[derive(Debug, Clone, Copy)]
enum Write {
    Post,
    Favourite,
    Unfavourite,
    Follow,
    Unfollow,
}

/// The writes in turn. All accounts send the first one before any sends the second one, so an
/// undone write was done long before.
const WRITES: [Write; 5] =
    [Write::Post, Write::Favourite, Write::Follow, Write::Unfavourite, Write::Unfollow];

impl Write {
    /// An account that knows no stranger favourites instead of following.
    fn request(self, one: &Person) -> Request {
        let status = |action| format!("/api/v1/statuses/{}/{action}", one.status);
        let path = match (self, &one.stranger) {
            (Self::Post, _) => return Request::post("/api/v1/statuses", one, POST),
            (Self::Follow, Some(id)) => format!("/api/v1/accounts/{id}/follow"),
            (Self::Unfollow, Some(id)) => format!("/api/v1/accounts/{id}/unfollow"),
            (Self::Favourite | Self::Follow, _) => status("favourite"),
            (Self::Unfavourite | Self::Unfollow, _) => status("unfavourite"),
        };
        Request::post(path, one, "")
    }
}

/// Returns the scenario of reads and writes: every tenth request is a write.
fn mixed(readers: &[Person]) -> Scenario {
    let turns = WRITES.iter().flat_map(|write| readers.iter().map(move |one| (write, one)));
    let requests = turns.flat_map(|(write, one)| {
        let reads = MIXED_READS.iter().map(|read| read.request(one, 0));
        reads.chain([write.request(one)])
    });
    Scenario { name: MIXED, detail: None, requests: requests.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(name: &str, stranger: Option<&str>) -> Person {
        Person {
            id: "1".to_owned(),
            username: name.to_owned(),
            token: name.to_owned(),
            followers: 1,
            followed: "1".to_owned(),
            stranger: stranger.map(str::to_owned),
            status: "2".to_owned(),
            tag: "birds".to_owned(),
            list: "3".to_owned(),
        }
    }

    #[test]
    fn every_tenth_mixed_request_is_a_write_and_what_is_done_is_undone() {
        let scenario = mixed(&[person("a", Some("7")), person("b", None)]);
        assert_eq!(scenario.requests.len(), 100);
        for (place, request) in scenario.requests.iter().enumerate() {
            assert_eq!(request.form.is_some(), place % 10 == 9, "{request:?}");
        }
        let writes = |token: &str| -> Vec<String> {
            let own = scenario.requests.iter().filter(|one| one.token.as_deref() == Some(token));
            own.filter(|one| one.form.is_some()).map(|one| one.path.clone()).collect()
        };
        assert_eq!(
            writes("a"),
            [
                "/api/v1/statuses",
                "/api/v1/statuses/2/favourite",
                "/api/v1/accounts/7/follow",
                "/api/v1/statuses/2/unfavourite",
                "/api/v1/accounts/7/unfollow",
            ]
        );
        assert!(writes("b").iter().all(|path| path.starts_with("/api/v1/statuses")));
    }
}
