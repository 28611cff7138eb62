//! The authorisation matrix: who may call which route. `authorization.tsv` has a row for each
//! route; these tests compare it with the sources, and call each route as each kind of caller.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use reqwest::Method;
use siskin_services::accounts::{self, Decision, NewAccount};
use siskin_test_support::builders::PASSWORD;

use super::routes;
use crate::{
    oauth::sign_in,
    support::{Client, STAFF_SCOPES, TestApp, User},
};

const TABLE: &str = include_str!("authorization.tsv");
/// Value of all parameters of routes: an id that does not exist.
const UNKNOWN: &str = "115600000000000001";
/// All scopes that a client can have.
const ALL_SCOPES: &str = "read write follow push profile admin:read admin:write";

/// Routes for accounts that wait for their confirmation: to name their application, and to get the
/// email again.
const OPEN: [&str; 2] = ["/api/v1/apps/verify_credentials", "/api/v1/emails/confirmations"];
/// Refuses users with a confirmed address.
const RESEND: &str = "/api/v1/emails/confirmations";
/// Refuses applications as if they had no token, because a stream belongs to an account.
const STREAMS: &str = "/api/v1/streaming";

/// Permissions of the default roles, for [`Row::allows`].
const MODERATOR: &[&str] =
    &["view_dashboard", "view_audit_log", "manage_users", "manage_reports", "manage_taxonomies"];
const NOT_OF_ADMINS: &[&str] = &["administrator", "devops"];
/// Callers by their roles, in the order of [`Row::allowed_roles`].
const ROLES: [&str; 4] = ["a user without a role", "a moderator", "an admin", "an owner"];

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Caller {
    Public,
    App,
    User,
    Staff,
    Session,
    Form,
    Client,
}

#[derive(Debug)]
struct Row {
    method: Method,
    path: String,
    caller: Caller,
    scopes: Scopes,
    /// One of these is sufficient.
    permissions: Vec<String>,
}

/// Scopes that a token needs.
#[derive(Debug, PartialEq, Eq)]
enum Scopes {
    /// The route does not look at a token.
    NoToken,
    AnyToken,
    OneOf(Vec<String>),
    AllOf(Vec<String>),
}

static ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| TABLE.lines().filter(|line| !line.starts_with('#')).map(Row::parse).collect());

impl Row {
    fn parse(line: &str) -> Self {
        let fields: Vec<&str> = line.split('\t').collect();
        let [route, caller, scopes, permissions] = fields[..] else { panic!("{line}") };
        let (method, path) = route.split_once(' ').unwrap();
        let permissions = permissions.split('|').filter(|name| *name != "-").map(str::to_owned);
        Self {
            method: method.parse().unwrap(),
            path: path.to_owned(),
            caller: match caller {
                "public" => Caller::Public,
                "app" => Caller::App,
                "user" => Caller::User,
                "staff" => Caller::Staff,
                "session" => Caller::Session,
                "form" => Caller::Form,
                "client" => Caller::Client,
                other => panic!("unknown caller {other}: {line}"),
            },
            scopes: Scopes::parse(scopes),
            permissions: permissions.collect(),
        }
    }

    fn key(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Sends the request without a body, and returns the status. Leaves a stream at once.
    async fn status(&self, client: &Client) -> u16 {
        let segment = |part: &str| match part.split_once('{') {
            Some((before, _)) => format!("{before}{UNKNOWN}"),
            None => part.to_owned(),
        };
        let path: Vec<String> = self.path.split('/').map(segment).collect();
        let request = client.request(self.method.clone(), &path.join("/"));
        request.send().await.unwrap().status().as_u16()
    }

    /// Returns `true` if a role with these permissions is sufficient.
    fn allows(&self, has: impl Fn(&str) -> bool) -> bool {
        self.permissions.iter().any(|permission| has(permission))
    }

    /// Returns whether no role, a moderator, an admin and an owner are sufficient.
    fn allowed_roles(&self) -> [bool; 4] {
        let moderates = self.allows(|name| MODERATOR.contains(&name));
        let administers = self.allows(|name| !NOT_OF_ADMINS.contains(&name));
        [false, moderates, administers, true]
    }
}

impl Scopes {
    fn parse(text: &str) -> Self {
        let split = |by| text.split(by).map(str::to_owned).collect();
        match text {
            "-" => Self::NoToken,
            "any" => Self::AnyToken,
            _ if text.contains('+') => Self::AllOf(split('+')),
            _ => Self::OneOf(split('|')),
        }
    }

    /// Returns all minimal sets of scopes that are sufficient, each separated by spaces.
    fn sufficient(&self) -> Vec<String> {
        match self {
            Self::NoToken => Vec::new(),
            Self::AnyToken => vec!["profile".to_owned()],
            Self::OneOf(scopes) => scopes.clone(),
            Self::AllOf(scopes) => vec![scopes.join(" ")],
        }
    }

    /// Returns the largest sets out of `known` that are not sufficient.
    fn insufficient(&self, known: &[String]) -> Vec<String> {
        let without = |required: &[String]| {
            let is_other = |scope: &&String| !required.iter().any(|one| covers(scope, one));
            known.iter().filter(is_other).cloned().collect::<Vec<_>>().join(" ")
        };
        match self {
            Self::NoToken | Self::AnyToken => Vec::new(),
            Self::OneOf(scopes) => vec![without(scopes)],
            Self::AllOf(scopes) => {
                scopes.iter().map(|scope| without(std::slice::from_ref(scope))).collect()
            }
        }
    }
}

/// Returns `true` if a token with `scope` may do what needs `required`.
fn covers(scope: &str, required: &str) -> bool {
    let is_parent = required.strip_prefix(scope).is_some_and(|rest| rest.starts_with(':'));
    let is_follow = scope == "follow"
        && ["blocks", "follows", "mutes"].iter().any(|end| required.ends_with(&format!(":{end}")))
        && !required.starts_with("admin:");
    scope == required || is_parent || is_follow
}

/// What a caller gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Everything but a refusal of the caller, and a fault of the server.
    Allowed,
    Exactly(u16),
    /// Every error, and the way to the page for signing in.
    NoSuccess,
}

impl Expected {
    fn is(self, status: u16) -> bool {
        match self {
            Self::Allowed => ![401, 403, 500].contains(&status),
            Self::Exactly(expected) => status == expected,
            Self::NoSuccess => (300..500).contains(&status),
        }
    }
}

/// Returns what a caller without a token gets.
fn without_token(row: &Row) -> Expected {
    match row.caller {
        Caller::Public => Expected::Allowed,
        Caller::App | Caller::User | Caller::Staff => Expected::Exactly(401),
        Caller::Session | Caller::Form | Caller::Client => Expected::NoSuccess,
    }
}

/// Returns what a caller with an unknown token gets.
fn with_unknown_token(row: &Row) -> Expected {
    match row.caller {
        Caller::Public if row.scopes != Scopes::NoToken => Expected::Exactly(401),
        _ => without_token(row),
    }
}

/// Returns what an application gets that acts for no user.
fn for_application(row: &Row) -> Expected {
    match row.caller {
        _ if row.path == RESEND => Expected::Exactly(422),
        _ if row.path.starts_with(STREAMS) && row.caller == Caller::User => Expected::Exactly(401),
        Caller::Public | Caller::App => Expected::Allowed,
        Caller::User | Caller::Staff => Expected::Exactly(422),
        Caller::Session | Caller::Form | Caller::Client => Expected::NoSuccess,
    }
}

/// Returns what a user without a role gets, by a token with sufficient scopes.
fn for_user(row: &Row) -> Expected {
    match row.caller {
        Caller::Staff => Expected::Exactly(403),
        _ if row.path == RESEND => Expected::Exactly(403),
        _ => Expected::Allowed,
    }
}

/// Returns what a user gets who may not act, by a token with all scopes.
fn for_inactive(row: &Row) -> Expected {
    match row.caller {
        Caller::Public if row.scopes == Scopes::NoToken => Expected::Allowed,
        Caller::Public | Caller::App | Caller::User | Caller::Staff => Expected::Exactly(403),
        Caller::Session | Caller::Form | Caller::Client => Expected::NoSuccess,
    }
}

/// Wrong responses, and tokens by their scopes.
struct Check<'a> {
    app: &'a TestApp,
    user: User,
    tokens: BTreeMap<String, Client>,
    faults: Vec<String>,
}

impl<'a> Check<'a> {
    async fn new(app: &'a TestApp) -> Self {
        let user = app.user("plain").await;
        Self { app, user, tokens: BTreeMap::new(), faults: Vec::new() }
    }

    /// Returns a client with a token of the user with these scopes.
    async fn token(&mut self, scopes: &str) -> Client {
        if !self.tokens.contains_key(scopes) {
            let client = self.app.user_with_scopes(&self.user, scopes).await;
            self.tokens.insert(scopes.to_owned(), client);
        }
        self.tokens[scopes].clone()
    }

    async fn call(&mut self, row: &Row, who: &str, client: &Client, expected: Expected) {
        let status = row.status(client).await;
        if !expected.is(status) {
            self.faults.push(format!("{}: {who} gets {status}, not {expected:?}", row.key()));
        }
    }

    fn assert_none(self) {
        assert!(self.faults.is_empty(), "{:#?}", self.faults);
    }
}

/// Returns all scopes that the server knows.
async fn known_scopes(app: &TestApp) -> Vec<String> {
    let metadata = app.anonymous().get("/.well-known/oauth-authorization-server").await.ok();
    let scopes = metadata["scopes_supported"].as_array().unwrap().iter();
    scopes.map(|scope| scope.as_str().unwrap().to_owned()).collect()
}

/// Creates an owner who is not `confirmed` or not `approved`, with a token for all scopes.
async fn owner(app: &TestApp, name: &str, confirmed: bool, approved: bool) -> User {
    let new = NewAccount {
        confirmed,
        approved,
        role: Some("Owner".to_owned()),
        ..NewAccount::by_operator(name, &format!("{name}@example.com"), PASSWORD)
    };
    let instance = app.app().instance().clone();
    let prepared = tokio::task::spawn_blocking(move || accounts::prepare(&instance, new)).await;
    let prepared = prepared.unwrap().unwrap();
    let created = app.app().write(move |tx| accounts::apply(tx, &prepared)).await.unwrap();
    let user =
        User { id: created.id.to_string(), username: name.to_owned(), client: app.anonymous() };
    let client = app.user_with_scopes(&user, ALL_SCOPES).await;
    User { client, ..user }
}

/// Returns a browser in which this user is signed in.
async fn browser(app: &TestApp, user: &User) -> Client {
    let browser = app.browser();
    let login = format!("{}@example.com", user.username);
    assert_eq!(sign_in(&browser, &login, PASSWORD).await.status, 302);
    browser
}

async fn decide(app: &TestApp, user: &User, decision: Decision) {
    let account = user.id.parse().unwrap();
    app.app().write(move |tx| accounts::decide(tx, account, decision)).await.unwrap();
}

#[test]
fn every_route_has_a_row() {
    let listed: Vec<String> = ROWS.iter().map(Row::key).collect();
    let rows: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(rows.len(), listed.len(), "a route has two rows");
    let key = |route: routes::Route| format!("{} {}", route.method, route.path);
    let registered: BTreeSet<String> = routes::all().into_iter().map(key).collect();
    let missing: Vec<_> = registered.difference(&rows).collect();
    let superfluous: Vec<_> = rows.difference(&registered).collect();
    assert!(missing.is_empty(), "add rows to authorization.tsv: {missing:#?}");
    assert!(superfluous.is_empty(), "no such route: {superfluous:#?}");
}

#[test]
fn rows_are_plausible() {
    for row in ROWS.iter() {
        let is_plausible = match row.caller {
            Caller::Staff => !row.permissions.is_empty(),
            Caller::Session => true,
            _ => row.permissions.is_empty(),
        };
        assert!(is_plausible, "{}", row.key());
        let takes_token = row.scopes != Scopes::NoToken;
        let needs_token = matches!(row.caller, Caller::App | Caller::User | Caller::Staff);
        assert!(takes_token || !needs_token, "{}", row.key());
        let is_admin = row.path.starts_with("/api/") && row.path.contains("/admin/");
        assert!(!is_admin || row.caller == Caller::Staff, "{}", row.key());
        let is_page_of_staff = row.path == "/admin" || row.path.starts_with("/admin/");
        let is_guarded = row.caller == Caller::Session && !row.permissions.is_empty();
        assert!(!is_page_of_staff || is_guarded, "{}", row.key());
    }
}

#[test]
fn parents_cover_their_children() {
    for (scope, required) in [
        ("read", "read:statuses"),
        ("admin:read", "admin:read:reports"),
        ("follow", "write:mutes"),
        ("push", "push"),
    ] {
        assert!(covers(scope, required), "{scope} {required}");
        assert_eq!(covers(required, scope), scope == required);
    }
    for (scope, required) in [
        ("read", "admin:read"),
        ("follow", "write:statuses"),
        ("follow", "admin:read:domain_blocks"),
        ("admin:read:reports", "admin:read"),
    ] {
        assert!(!covers(scope, required), "{scope} {required}");
    }
}

api_tests! {
    async fn callers_need_a_token_and_its_scopes(app: &TestApp) {
        app.app().change_setting("registrations".into(), "open".into()).await.unwrap();
        let known = known_scopes(app).await;
        let (anonymous, unknown) = (app.anonymous(), app.with_token("unknown"));
        let application = app.application(ALL_SCOPES).await;
        let mut check = Check::new(app).await;
        for row in ROWS.iter() {
            check.call(row, "an anonymous caller", &anonymous, without_token(row)).await;
            check.call(row, "an unknown token", &unknown, with_unknown_token(row)).await;
            check.call(row, "an application", &application, for_application(row)).await;
            for scopes in row.scopes.insufficient(&known) {
                let client = check.token(&scopes).await;
                let who = format!("a user with {scopes}");
                check.call(row, &who, &client, Expected::Exactly(403)).await;
            }
            for scopes in row.scopes.sufficient() {
                let client = check.token(&scopes).await;
                let who = format!("a user with {scopes}");
                check.call(row, &who, &client, for_user(row)).await;
            }
        }
        check.assert_none();
    }

    async fn staff_need_the_permission(app: &TestApp) {
        let moderator = app.staff("mo", "Moderator").await;
        let (admin, owner) = (app.staff("ada", "Admin").await, app.staff("boss", "Owner").await);
        let plain = app.user("alice").await;
        let plain = app.user_with_scopes(&plain, STAFF_SCOPES).await;
        let callers = [&plain, &moderator.client, &admin.client, &owner.client];
        let mut check = Check::new(app).await;
        for row in ROWS.iter().filter(|row| row.caller == Caller::Staff) {
            for ((who, client), is_allowed) in
                ROLES.iter().zip(callers).zip(row.allowed_roles())
            {
                let expected =
                    if is_allowed { Expected::Allowed } else { Expected::Exactly(403) };
                check.call(row, who, client, expected).await;
            }
        }
        check.assert_none();
    }

    // For others the pages of the staff do not exist.
    async fn pages_of_staff_need_the_permission(app: &TestApp) {
        let users = [
            app.user("alice").await,
            app.staff("mo", "Moderator").await,
            app.staff("ada", "Admin").await,
            app.staff("boss", "Owner").await,
        ];
        let mut browsers = Vec::new();
        for user in &users {
            browsers.push(browser(app, user).await);
        }
        let mut check = Check::new(app).await;
        let is_guarded = |row: &&Row| row.caller == Caller::Session && !row.permissions.is_empty();
        for row in ROWS.iter().filter(is_guarded) {
            for ((who, browser), is_allowed) in
                ROLES.iter().zip(&browsers).zip(row.allowed_roles())
            {
                let expected = match (row.method == Method::GET, is_allowed) {
                    (true, true) if row.path.contains('{') => Expected::Allowed,
                    (true, true) => Expected::Exactly(200),
                    (true, false) => Expected::Exactly(404),
                    // The request lacks the CSRF token.
                    (false, _) => Expected::NoSuccess,
                };
                check.call(row, who, browser, expected).await;
            }
        }
        check.assert_none();
    }

    // A role is no help for a user who may not act at all.
    async fn users_who_may_not_act_are_refused(app: &TestApp) {
        app.staff("boss", "Owner").await;
        let unconfirmed = owner(app, "una", false, true).await;
        let pending = owner(app, "wes", true, false).await;
        let (disabled, suspended) =
            (owner(app, "dan", true, true).await, owner(app, "sue", true, true).await);
        decide(app, &disabled, Decision::Disabled(true)).await;
        decide(app, &suspended, Decision::Suspended(true)).await;
        let mut check = Check::new(app).await;
        for row in ROWS.iter().filter(|row| !OPEN.contains(&row.path.as_str())) {
            for (who, user) in [
                ("an unconfirmed user", &unconfirmed),
                ("a pending user", &pending),
                ("a disabled user", &disabled),
                ("a suspended user", &suspended),
            ] {
                check.call(row, who, user, for_inactive(row)).await;
            }
        }
        check.assert_none();
    }
}
