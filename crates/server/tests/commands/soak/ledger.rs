//! A ledger: what the server acknowledged to one account, and the check that its state agrees.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rand::seq::IndexedRandom as _;

use super::{
    crowd::{Connection, Failure, text},
    post::{Post, key_of},
};

/// Actions on a status, with the field that shows each of them.
const ACTIONS: [(&str, &str); 3] =
    [("favourite", "favourited"), ("reblog", "reblogged"), ("bookmark", "bookmarked")];
/// Number of posts between two actions.
const POSTS_PER_ACT: usize = 3;
const PATIENCE: Duration = Duration::from_secs(60);

/// State that all accounts of a burst share.
#[derive(Debug, Default)]
pub struct Burst {
    /// Ids of existing statuses that every account may reply to or favourite.
    pub known: Mutex<Vec<String>>,
    /// Number of acknowledged posts.
    pub acknowledged: AtomicUsize,
    /// Set to `true` to end the burst.
    pub over: AtomicBool,
}

impl Burst {
    /// Waits until this number of posts is acknowledged. Panics if that takes very long.
    pub fn wait_for(&self, posts: usize) {
        let begun = Instant::now();
        while self.acknowledged.load(Ordering::Relaxed) < posts {
            assert!(begun.elapsed() < PATIENCE, "too few posts were published");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Posts and actions of one account.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Acknowledged posts with the returned ids.
    pub published: Vec<(String, Post)>,
    /// Posts without a response: they may or may not be published.
    pub open: Vec<Post>,
    /// Acknowledged actions: the field that shows them, and the status.
    pub acts: Vec<(&'static str, String)>,
    /// Error responses to posts.
    pub refusals: Vec<String>,
    /// Number of entries in `published` and `acts` that are checked already.
    checked: (usize, usize),
}

impl Ledger {
    /// Posts until the burst is over or the server is gone. `name` distinguishes this burst from
    /// others.
    pub fn write(&mut self, connection: &Connection<'_>, name: &str, burst: &Burst) {
        for number in 1.. {
            if burst.over.load(Ordering::Relaxed) || !self.post(connection, name, number, burst) {
                return;
            }
            if number.is_multiple_of(POSTS_PER_ACT) && !self.act(connection, burst) {
                return;
            }
        }
    }

    /// Publishes a post. Returns `false` once the server is gone.
    fn post(
        &mut self,
        connection: &Connection<'_>,
        name: &str,
        number: usize,
        burst: &Burst,
    ) -> bool {
        let author = connection.person.number;
        let key = format!("{name}-{author}-{number}");
        let post = Post::new(key, author, &burst.known.lock().unwrap());
        match connection.publish(&post) {
            Ok(status) => {
                post.assert_whole(&status);
                let id = text(&status["id"]);
                if post.is_open() {
                    burst.known.lock().unwrap().push(id.clone());
                }
                self.published.push((id, post));
                burst.acknowledged.fetch_add(1, Ordering::Relaxed);
                true
            }
            Err(Failure::Refused(status, body)) => {
                self.refusals.push(format!("{status} {body}"));
                self.open.push(post);
                true
            }
            Err(Failure::Unanswered(_)) => {
                self.open.push(post);
                false
            }
        }
    }

    fn act(&mut self, connection: &Connection<'_>, burst: &Burst) -> bool {
        let status = burst.known.lock().unwrap().choose(&mut rand::rng()).cloned();
        let (Some(status), Some((action, flag))) = (status, ACTIONS.choose(&mut rand::rng()))
        else {
            return true;
        };
        match connection.act(action, &status) {
            Ok(_) => self.acts.push((*flag, status)),
            Err(Failure::Refused(status, body)) => self.refusals.push(format!("{status} {body}")),
            Err(Failure::Unanswered(_)) => return false,
        }
        true
    }

    /// Checks that each acknowledged post exists once and complete, and that there are no unknown
    /// posts. Open posts may exist once or not at all; they are sent again, twice. Returns the
    /// number of open posts that had been published.
    pub fn settle(&mut self, connection: &Connection<'_>) -> usize {
        let found = self.check(connection);
        for post in std::mem::take(&mut self.open) {
            let publish = || text(&connection.publish(&post).unwrap()["id"]);
            let (id, again) = (publish(), publish());
            assert_eq!(id, again, "{} is published twice", post.key);
            if let Some(before) = found.get(&post.key) {
                assert_eq!(&id, before, "{} was published already", post.key);
            }
            self.published.push((id, post));
        }
        self.check(connection);
        found.len()
    }

    /// Returns the open posts that exist, by their keys.
    fn check(&mut self, connection: &Connection<'_>) -> HashMap<String, String> {
        let mut stored = own_statuses(connection);
        for (id, post) in &self.published {
            let status = stored.remove(&post.key).unwrap_or_else(|| panic!("{post:?} is lost"));
            assert_eq!(status["id"], **id, "{post:?}");
            post.assert_whole(&status);
        }
        let mut found = HashMap::new();
        for post in &self.open {
            if let Some(status) = stored.remove(&post.key) {
                post.assert_whole(&status);
                found.insert(post.key.clone(), text(&status["id"]));
            }
        }
        assert!(stored.is_empty(), "no client wrote {stored:?}");
        self.check_details(connection);
        found
    }

    /// Checks the posts and actions that are not checked yet.
    fn check_details(&mut self, connection: &Connection<'_>) {
        let (posts, acts) = self.checked;
        for (id, post) in &self.published[posts..] {
            let path = format!("/api/v1/statuses/{id}");
            post.assert_whole(&connection.get(&path));
            assert_eq!(connection.get(&format!("{path}/source"))["text"], *post.text);
        }
        for (flag, id) in &self.acts[acts..] {
            let status = connection.get(&format!("/api/v1/statuses/{id}"));
            assert_eq!(status[*flag], true, "{status}");
        }
        self.checked = (self.published.len(), self.acts.len());
    }
}

/// Returns the statuses of an account by key. Panics if a status or a reblog exists twice.
pub fn own_statuses(connection: &Connection<'_>) -> HashMap<String, serde_json::Value> {
    let path = format!("/api/v1/accounts/{}/statuses?limit=40", connection.person.id);
    let (mut own, mut reblogged) = (HashMap::new(), HashSet::new());
    for status in connection.list(&path) {
        if status["reblog"].is_null() {
            let twice = own.insert(key_of(&status).to_owned(), status);
            assert!(twice.is_none(), "twice: {twice:?}");
        } else {
            assert!(reblogged.insert(text(&status["reblog"]["id"])), "twice: {status}");
        }
    }
    own
}

/// Checks that the account has one notification for each post that mentions it, and no others.
pub fn check_mentions(connection: &Connection<'_>, ledgers: &[Ledger]) {
    let mentions = connection.list("/api/v1/notifications?types[]=mention&limit=80");
    let mentioned_in: Vec<String> = mentions.iter().map(|one| text(&one["status"]["id"])).collect();
    let mentioning = ledgers
        .iter()
        .flat_map(|ledger| &ledger.published)
        .filter(|(_, post)| post.mentions(&connection.person.name))
        .map(|(id, _)| id.clone());
    assert_eq!(
        mentioned_in.len(),
        mentioned_in.iter().collect::<HashSet<_>>().len(),
        "notified twice"
    );
    assert_eq!(mentioned_in.into_iter().collect::<HashSet<_>>(), mentioning.collect());
}
