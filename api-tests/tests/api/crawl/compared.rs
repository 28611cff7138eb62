//! Responses of a crawl, in a form that can be compared with those of another one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use regex::Regex;
use serde_json::Value;

use super::walk::Visit;

/// Number of characters of a difference that are printed.
const EXCERPT: usize = 200;

/// A response without what differs from one request to the next: most headers, the CSRF tokens of
/// forms, and times on pages that are relative to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lasting {
    /// Route as registered.
    pub(super) route: String,
    pub(super) status: u16,
    pub(super) link: Option<String>,
    pub(super) body: String,
}

/// Responses by viewer and path.
pub(super) type Crawl = BTreeMap<(String, String), Lasting>;

impl Lasting {
    /// Returns the body of a response with JSON. `None` for every other response.
    pub(super) fn json(&self) -> Option<Value> {
        serde_json::from_str(&self.body).ok()
    }
}

/// Adds the responses to one viewer.
pub(super) fn add(crawl: &mut Crawl, viewer: &str, visits: Vec<Visit>) {
    for Visit { route, path, response } in visits {
        let link = response.header("link").map(str::to_owned);
        let lasting =
            Lasting { route, status: response.status, link, body: body(&response.text()) };
        crawl.insert((viewer.to_owned(), path), lasting);
    }
}

fn body(text: &str) -> String {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(authenticity_token" value|csrf-token" content)="[^"]*""#).unwrap()
    });
    static TIME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(<time [^>]*>)[^<]*").unwrap());
    TIME.replace_all(&TOKEN.replace_all(text, "$1"), "$1").into_owned()
}

/// Checks that two crawls got the same responses.
pub(super) fn assert_same(before: &Crawl, after: &Crawl) {
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let differs = |key: &&&(String, String)| before.get(**key) != after.get(**key);
    let differences: Vec<String> = keys
        .iter()
        .filter(differs)
        .map(|key| {
            let (viewer, path) = key;
            format!("{path} for {viewer}: {}", difference(before.get(*key), after.get(*key)))
        })
        .collect();
    assert!(differences.is_empty(), "{differences:#?}");
}

fn difference(before: Option<&Lasting>, after: Option<&Lasting>) -> String {
    let (Some(before), Some(after)) = (before, after) else {
        return format!("visited before: {}, after: {}", before.is_some(), after.is_some());
    };
    if (before.status, &before.link) != (after.status, &after.link) {
        return format!(
            "{} {:?} became {} {:?}",
            before.status, before.link, after.status, after.link
        );
    }
    let same = before.body.chars().zip(after.body.chars()).take_while(|(a, b)| a == b).count();
    let excerpt = |text: &str| -> String {
        text.chars().skip(same.saturating_sub(EXCERPT / 2)).take(EXCERPT).collect()
    };
    format!("…{}… became …{}…", excerpt(&before.body), excerpt(&after.body))
}

#[test]
fn only_tokens_and_relative_times_are_left_out() {
    let page = |token: &str, time: &str, text: &str| {
        format!(
            "<meta name=\"csrf-token\" content=\"{token}\"><input type=\"hidden\" \
             name=\"authenticity_token\" value=\"{token}\"><time datetime=\"1\">{time}</time>{text}"
        )
    };
    let one = body(&page("a", "just now", "x"));
    assert_eq!(one, body(&page("b", "2 minutes ago", "x")));
    assert_ne!(one, body(&page("a", "just now", "y")));
    assert!(one.contains("datetime=\"1\""), "{one}");
}
