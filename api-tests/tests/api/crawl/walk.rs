//! A crawl over every GET route, as one viewer.

use std::collections::BTreeMap;

use serde_json::Value;
use siskin_entities::TextName;
use siskin_services::exports::ExportedList;

use super::routes;
use crate::support::{Client, Response};

/// Maximum number of pages. With two entries per page, every list ends long before.
const MAX_PAGES: usize = 50;

/// Number of accounts with statuses: alice and bob.
const WRITERS: usize = 2;

/// Routes that answer with a page, or with a document for other servers.
const NEGOTIATED: [&str; 4] =
    ["/@{handle}", "/@{handle}/{id}", "/users/{username}", "/users/{username}/statuses/{id}"];

/// Values for the parameters and queries of routes.
#[derive(Debug, Clone, Default)]
pub struct RouteValues {
    pub accounts: Vec<String>,
    pub statuses: Vec<String>,
    pub polls: Vec<String>,
    pub scheduled: Vec<String>,
    pub filters: Vec<String>,
    pub filter_keywords: Vec<String>,
    pub filter_statuses: Vec<String>,
    /// Exports and archives of Alice.
    pub exports: Vec<String>,
    pub archives: Vec<String>,
    pub notifications: Vec<String>,
    /// Keys of groups of notifications.
    pub notification_groups: Vec<String>,
    pub notification_requests: Vec<String>,
    pub media: Vec<String>,
    pub lists: Vec<String>,
    pub reports: Vec<String>,
    pub strikes: Vec<String>,
    /// Blocks and allows of servers.
    pub domain_blocks: Vec<String>,
    pub domain_allows: Vec<String>,
    pub email_domain_blocks: Vec<String>,
    pub canonical_email_blocks: Vec<String>,
    pub ip_blocks: Vec<String>,
    /// Codes of invites.
    pub invites: Vec<String>,
    /// Dates of the terms of service.
    pub terms: Vec<String>,
    pub hashtags: Vec<String>,
    pub files: Vec<String>,
    pub handles: Vec<String>,
    /// Addresses of the pages of statuses.
    pub pages: Vec<String>,
    pub searches: Vec<String>,
    /// Addresses of pages that trend.
    pub links: Vec<String>,
    /// Queries of the consent page.
    pub authorizations: Vec<String>,
}

/// A response and its request.
#[derive(Debug)]
pub struct Visit {
    /// Route as registered.
    pub route: String,
    /// Path with its query.
    pub path: String,
    pub response: Response,
}

impl Visit {
    /// Returns the body if it is JSON. Lines of JSON become an array.
    pub fn json(&self) -> Option<Value> {
        let kind = self.response.header("content-type").unwrap_or_default();
        if kind.contains("ndjson") {
            let text = self.response.text();
            return Some(
                text.lines().map(|line| -> Value { serde_json::from_str(line).unwrap() }).collect(),
            );
        }
        kind.contains("json").then(|| self.response.json())
    }
}

/// Visits every GET route with every value. Follows lists to their end, two entries per page, and
/// back.
pub async fn walk(visitor: &Client, route_values: &RouteValues) -> Vec<Visit> {
    walk_some(visitor, route_values, |_| true).await
}

/// Like [`walk`], but visits only the routes for which `is_wanted` returns `true`.
pub async fn walk_some(
    visitor: &Client,
    route_values: &RouteValues,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Visit> {
    let mut visits = Vec::new();
    for route in routes::read().into_iter().filter(|route| is_wanted(&route.path)) {
        for path in route_values.paths(&route.path) {
            let from_its_end = format!("{path}&min_id=1");
            if NEGOTIATED.contains(&route.path.as_str()) {
                let response = visitor.document(&path).await;
                let path = format!("{path} as a document");
                visits.push(Visit { route: route.path.clone(), path, response });
            }
            let visited = visit(visitor, &route.path, path).await;
            let is_list =
                visited.first().is_some_and(|first| first.response.link("prev").is_some());
            visits.extend(visited);
            if is_list {
                visits.extend(visit(visitor, &route.path, from_its_end).await);
            }
        }
    }
    visits
}

async fn visit(visitor: &Client, route: &str, path: String) -> Vec<Visit> {
    let (mut visits, mut next) = (Vec::new(), Some(path));
    while let Some(path) = next {
        assert!(visits.len() < MAX_PAGES, "{route} has no end: {path}");
        let response = visitor.get(&path).await;
        next = response.link("next").filter(|_| response.status == 200);
        visits.push(Visit { route: route.to_owned(), path, response });
    }
    visits
}

impl RouteValues {
    /// Returns the addresses at which to visit a route.
    ///
    /// Panics if a parameter has no values: add those of a new kind here.
    fn paths(&self, route: &str) -> Vec<String> {
        let paths = self.filled(route);
        let queries = self.queries(route);
        paths
            .iter()
            .flat_map(|path| queries.iter().map(move |query| format!("{path}?{query}")))
            .collect()
    }

    /// Returns a route with all values in place of its parameters.
    fn filled(&self, route: &str) -> Vec<String> {
        let Some((before, rest)) = route.rsplit_once('{') else { return vec![route.to_owned()] };
        let (name, after) = rest.split_once('}').unwrap();
        let values = self.values(before, name).unwrap_or_else(|| {
            panic!("provide a value for {name} in {route}, so that the crawl visits the route")
        });
        // A second parameter belongs to the entity in the first one: accounts with statuses come
        // first.
        let beginnings = self.filled(before);
        beginnings
            .iter()
            .take(if before.contains('{') { WRITERS } else { 1 })
            .flat_map(|before| values.iter().map(move |value| format!("{before}{value}{after}")))
            .collect()
    }

    /// Returns the values for `name`, which follows `before` in a route.
    fn values(&self, before: &str, name: &str) -> Option<Vec<String>> {
        Some(match (before, name) {
            ("/api/v1/accounts/" | "/api/v1/admin/accounts/" | "/admin/accounts/", "id") => {
                self.accounts.clone()
            }
            ("/api/v1/statuses/", "id") => self.statuses.clone(),
            ("/api/v1/polls/", "id") => self.polls.clone(),
            ("/api/v1/scheduled_statuses/", "id") => self.scheduled.clone(),
            ("/api/v2/filters/", "id" | "filter_id") | ("/settings/filters/", "id") => {
                self.filters.clone()
            }
            ("/settings/export/posts/", "id") => self.exports.clone(),
            ("/settings/export/archives/", "id") => self.archives.clone(),
            ("/settings/export/", "list") => {
                ExportedList::ALL.map(|list| list.file_name().to_owned()).to_vec()
            }
            (
                "/api/v1/filters/" | "/api/v1/filters/keywords/" | "/api/v2/filters/keywords/",
                "id",
            ) => self.filter_keywords.clone(),
            ("/api/v2/filters/statuses/", "id") => self.filter_statuses.clone(),
            ("/api/v1/notifications/", "id") => self.notifications.clone(),
            ("/api/v2/notifications/", "group_key") => self.notification_groups.clone(),
            ("/api/v1/notifications/requests/", "id") => self.notification_requests.clone(),
            ("/api/v1/media/", "id") => self.media.clone(),
            ("/api/v1/lists/", "id") | ("/api/v1/timelines/list/", "list_id") => self.lists.clone(),
            ("/api/v1/admin/domain_blocks/" | "/admin/domains/", "id") => {
                self.domain_blocks.clone()
            }
            ("/api/v1/admin/domain_allows/", "id") => self.domain_allows.clone(),
            ("/api/v1/admin/email_domain_blocks/", "id") => self.email_domain_blocks.clone(),
            ("/api/v1/admin/canonical_email_blocks/", "id") => self.canonical_email_blocks.clone(),
            ("/api/v1/admin/ip_blocks/" | "/admin/networks/", "id") => self.ip_blocks.clone(),
            // Without a session these pages lead to sign-in for all ids.
            ("/admin/announcements/" | "/admin/rules/" | "/admin/warning-presets/", "id")
            | ("/admin/emojis/", "shortcode") => vec!["1".to_owned()],
            ("/invite/", "code") => self.invites.clone(),
            // There are no providers.
            ("/auth/external/", "provider") => vec!["unknown".to_owned()],
            ("/terms-of-service/" | "/api/v1/instance/terms_of_service/", "date") => {
                self.terms.clone()
            }
            ("/api/v1/admin/instance_texts/" | "/admin/texts/", "name") => {
                TextName::ALL.map(|name| name.as_str().to_owned()).to_vec()
            }
            ("/api/v1/admin/roles/" | "/admin/roles/", "id") => {
                ["-99", "1", "2", "3"].map(str::to_owned).to_vec()
            }
            ("/api/v1/admin/reports/" | "/admin/reports/", "id") => self.reports.clone(),
            ("/api/v1/strikes/" | "/disputes/strikes/", "id")
            | ("/api/v1/admin/accounts/{id}/strikes/", "strike_id") => self.strikes.clone(),
            ("/api/v1/timelines/tag/", "hashtag")
            | ("/api/v1/tags/" | "/tags/" | "/@{handle}/tagged/", "name") => self.hashtags.clone(),
            ("/@", "handle") | ("/users/", "username") => self.usernames(),
            ("/@{handle}/" | "/users/{username}/statuses/", "id") => self.statuses.clone(),
            ("/media/", "name") => self.files.clone(),
            ("/nodeinfo/", "version") => vec!["2.0".to_owned(), "2.1".to_owned()],
            _ => return None,
        })
    }

    fn usernames(&self) -> Vec<String> {
        let name = |handle: &String| handle.split('@').next().unwrap().to_owned();
        self.handles.iter().map(name).collect()
    }

    /// Returns the queries for a route. It must answer 200 to at least one of them.
    fn queries(&self, route: &str) -> Vec<String> {
        let each = |values: &[String], form: &dyn Fn(&String) -> String| -> Vec<String> {
            values.iter().map(form).collect()
        };
        match route {
            "/.well-known/webfinger" => {
                each(&self.handles, &|handle| format!("resource=acct:{handle}"))
            }
            "/authorize_interaction" => each(&self.pages, &|page| format!("uri={page}")),
            "/users/{username}/outbox"
            | "/users/{username}/followers"
            | "/users/{username}/following"
            | "/users/{username}/statuses/{id}/replies" => {
                vec!["page=true".to_owned(), String::new()]
            }
            "/api/v1/timelines/link" => each(&self.links, &|link| format!("limit=2&url={link}")),
            "/api/oembed" => each(&self.pages, &|page| format!("url={page}")),
            "/oauth/authorize" => self.authorizations.clone(),
            "/api/v1/accounts/lookup" => each(&self.handles, &|handle| format!("acct={handle}")),
            "/api/v1/accounts"
            | "/api/v1/accounts/familiar_followers"
            | "/api/v1/accounts/relationships"
            | "/api/v1/relationships" => {
                vec![each(&self.accounts, &|id| format!("id[]={id}")).join("&")]
            }
            "/api/v1/accounts/search" => each(&self.searches, &|q| format!("q={q}&limit=2")),
            "/api/v1/directory" => vec!["limit=2".to_owned(), "order=new&local=true".to_owned()],
            "/api/v1/markers" => vec!["timeline[]=home&timeline[]=notifications".to_owned()],
            "/api/v2/search" => {
                let found = |q: &String| {
                    [
                        format!("q={q}"),
                        format!("q={q}&type=accounts&limit=2"),
                        format!("q={q}&type=statuses&limit=2"),
                        format!("q={q}+in:library&type=statuses"),
                        format!("q=-{q}+from:alice&type=statuses&offset=1"),
                        format!("q=%23{q}&type=hashtags"),
                    ]
                };
                self.searches.iter().flat_map(found).collect()
            }
            "/api/v1/accounts/{id}/statuses" => {
                let mut queries = each(&self.hashtags, &|name| format!("tagged={name}"));
                queries.extend(["limit=2".to_owned(), "exclude_reblogs=true".to_owned()]);
                queries
            }
            "/api/v1/timelines/tag/{hashtag}" => {
                each(&self.hashtags, &|name| format!("limit=2&any[]={name}"))
            }
            _ => vec!["limit=2".to_owned()],
        }
    }
}

/// Returns the lowest status that each route returned to any viewer.
pub fn best_answers<'v>(visits: impl Iterator<Item = &'v Visit>) -> BTreeMap<&'v str, u16> {
    let mut best = BTreeMap::new();
    for visit in visits {
        let status = best.entry(visit.route.as_str()).or_insert(visit.response.status);
        *status = visit.response.status.min(*status);
    }
    best
}
