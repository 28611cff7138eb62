//! What one person did, as far as the server told them, and whether it became of it what should.

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

/// What can be done with a status, and where that shows.
const ACTIONS: [(&str, &str); 3] =
    [("favourite", "favourited"), ("reblog", "reblogged"), ("bookmark", "bookmarked")];
/// After how many posts one of them is done.
const POSTS_PER_ACT: usize = 3;
const PATIENCE: Duration = Duration::from_secs(60);

/// What all people of a burst share.
#[derive(Debug, Default)]
pub struct Burst {
    /// Ids of statuses that are there and that anybody may answer or favourite.
    pub known: Mutex<Vec<String>>,
    /// How many posts were acknowledged.
    pub acknowledged: AtomicUsize,
    /// Whether to end it.
    pub over: AtomicBool,
}

impl Burst {
    /// Waits until so many posts were acknowledged; panics where that takes very long.
    pub fn wait_for(&self, posts: usize) {
        let begun = Instant::now();
        while self.acknowledged.load(Ordering::Relaxed) < posts {
            assert!(begun.elapsed() < PATIENCE, "hardly anything is published");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// One person's posts and acts.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Acknowledged, with the id that was answered.
    pub published: Vec<(String, Post)>,
    /// Sent, but whether they are published is not known.
    pub open: Vec<Post>,
    /// Acknowledged: where it shows, and the status.
    pub acts: Vec<(&'static str, String)>,
    /// What the server said instead of publishing.
    pub refusals: Vec<String>,
    /// How many of `published` and of `acts` were looked at already.
    seen: (usize, usize),
}

impl Ledger {
    /// Posts until the burst is over or the server is gone; `name` tells this burst from others.
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

    /// False once the server is gone.
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
        let (Some(status), Some((action, shown))) = (status, ACTIONS.choose(&mut rand::rng()))
        else {
            return true;
        };
        match connection.act(action, &status) {
            Ok(_) => self.acts.push((*shown, status)),
            Err(Failure::Refused(status, body)) => self.refusals.push(format!("{status} {body}")),
            Err(Failure::Unanswered(_)) => return false,
        }
        true
    }

    /// Checks that what was acknowledged is there, whole and once, that nothing else is, and that
    /// open posts are there once or not at all; sends those again, twice. Returns how many of
    /// them had been published.
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

    /// Returns the open posts that are there, by their keys.
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
        assert!(stored.is_empty(), "nobody wrote {stored:?}");
        self.look_closely(connection);
        found
    }

    /// At what was not looked at before.
    fn look_closely(&mut self, connection: &Connection<'_>) {
        let (posts, acts) = self.seen;
        for (id, post) in &self.published[posts..] {
            let path = format!("/api/v1/statuses/{id}");
            post.assert_whole(&connection.get(&path));
            assert_eq!(connection.get(&format!("{path}/source"))["text"], *post.text);
        }
        for (shown, id) in &self.acts[acts..] {
            let status = connection.get(&format!("/api/v1/statuses/{id}"));
            assert_eq!(status[*shown], true, "{status}");
        }
        self.seen = (self.published.len(), self.acts.len());
    }
}

/// What a person wrote, by key; each is there once, and so is each reblog.
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

/// Checks that everybody was told of the posts that mention them, once, and of no others.
pub fn check_mentions(connection: &Connection<'_>, ledgers: &[Ledger]) {
    let told = connection.list("/api/v1/notifications?types[]=mention&limit=80");
    let told_of: Vec<String> = told.iter().map(|one| text(&one["status"]["id"])).collect();
    let mentioning = ledgers
        .iter()
        .flat_map(|ledger| &ledger.published)
        .filter(|(_, post)| post.mentions(&connection.person.name))
        .map(|(id, _)| id.clone());
    assert_eq!(told_of.len(), told_of.iter().collect::<HashSet<_>>().len(), "told twice");
    assert_eq!(told_of.into_iter().collect::<HashSet<_>>(), mentioning.collect());
}
