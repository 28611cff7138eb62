//! `/@name`: a profile with its statuses, in pages.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use siskin_app::App;
use siskin_entities::PageRequest;
use siskin_policy::limits::STATUS_PAGE;
use siskin_services::public::{self, Found, Profile, Selection};
use siskin_wire::account::AccountRole;

use super::{
    emojis,
    meta::Meta,
    neighbours::Neighbours,
    view::{self, Line, Person, QuoteItem, ReplyTo, StatusItem, counted},
};
use crate::{
    pages::{Frame, Moment, PageError, PageForm, go_to, show_to_all},
    paging::PageQuery,
    routes::activity,
};

#[derive(Template)]
#[template(path = "public_profile.html")]
struct ProfilePage {
    frame: Frame,
    meta: Meta,
    person: Person,
    header: String,
    /// Alternative texts that the owner wrote for the pictures; empty for placeholders.
    header_alt: String,
    avatar_alt: String,
    /// Sanitised HTML.
    note: String,
    fields: Vec<Line>,
    roles: Vec<AccountRole>,
    bot: bool,
    locked: bool,
    /// The account that the owner has moved to.
    moved: Option<Person>,
    limited: bool,
    memorial: bool,
    counts: [String; 3],
    joined: Moment,
    statuses: Vec<StatusItem>,
    tab: Tab,
    neighbours: Neighbours,
}

/// The selection of statuses that the page shows, with its title.
struct Tab {
    title: String,
    is_first: bool,
    is_all: bool,
}

impl Tab {
    fn of(selection: &Selection) -> Self {
        let (title, is_first, is_all) = match selection {
            Selection::WithoutReplies => ("Statuses".to_owned(), true, false),
            Selection::All => ("Statuses and replies".to_owned(), false, true),
            Selection::Tagged(name) => (format!("Statuses with #{name}"), false, false),
        };
        Self { title, is_first, is_all }
    }
}

pub(super) async fn show(
    app: Data<App>,
    handle: Path<String>,
    request: HttpRequest,
    page: PageForm<PageQuery>,
) -> Result<HttpResponse, PageError> {
    if let Some(document) = activity::actor_for_page(&app, &request, &handle).await {
        return Ok(document);
    }
    response(app, handle.into_inner(), Selection::WithoutReplies, request, page).await
}

pub(super) async fn show_with_replies(
    app: Data<App>,
    handle: Path<String>,
    request: HttpRequest,
    page: PageForm<PageQuery>,
) -> Result<HttpResponse, PageError> {
    response(app, handle.into_inner(), Selection::All, request, page).await
}

pub(super) async fn show_tagged(
    app: Data<App>,
    named: Path<(String, String)>,
    request: HttpRequest,
    page: PageForm<PageQuery>,
) -> Result<HttpResponse, PageError> {
    let (handle, tag) = named.into_inner();
    response(app, handle, Selection::Tagged(tag), request, page).await
}

async fn response(
    app: Data<App>,
    handle: String,
    selection: Selection,
    request: HttpRequest,
    PageForm(page): PageForm<PageQuery>,
) -> Result<HttpResponse, PageError> {
    let (page_request, now, instance) =
        (page.request(STATUS_PAGE)?, app.now(), app.instance().clone());
    let view = selection.clone();
    let read =
        move |conn: &mut _| public::profile(conn, &instance, &handle, &view, now, page_request);
    match app.read(read).await? {
        Found::Redirect(address) => Ok(go_to(&address)),
        Found::Here(profile) => {
            let page = ProfilePage::of(&app, &profile, &selection, page_request);
            let page = show_to_all(&request, &page)?;
            let document = app.urls().account_uri(&profile.account.username);
            Ok(activity::with_document(&app, page, &document))
        }
    }
}

impl ProfilePage {
    fn of(app: &App, profile: &Profile, selection: &Selection, page_request: PageRequest) -> Self {
        let (account, urls, now) = (&profile.account, app.urls(), app.now());
        let all = profile.statuses.items.iter().map(|item| StatusItem::of(item, urls, now));
        let rendered = view::account(account, urls);
        let person = Person::of(&rendered, urls);
        let own = &rendered.snapshot.emojis;
        let base = match selection {
            Selection::WithoutReplies => urls.profile(&account.username),
            Selection::All => urls.profile(&account.username) + "/with_replies",
            Selection::Tagged(name) => urls.tagged(&account.username, name),
        };
        Self {
            frame: Frame::public(app, format!("{} ({})", person.name, person.handle)),
            meta: Meta {
                document: activity::shown_document(app, urls.account_uri(&account.username)),
                ..Meta::of_profile(account, urls)
            },
            header: rendered.snapshot.header_static,
            header_alt: rendered.snapshot.header_description,
            avatar_alt: rendered.snapshot.avatar_description,
            note: emojis::in_html(&rendered.snapshot.note, own),
            fields: rendered.snapshot.fields.iter().map(|line| Line::of(line, own)).collect(),
            roles: rendered.snapshot.roles.unwrap_or_default(),
            bot: account.bot,
            locked: account.locked,
            moved: rendered.moved.as_deref().map(|moved| Person::of(moved, urls)),
            limited: account.state.silenced,
            memorial: account.memorial,
            counts: [
                counted(account.statuses_count, "status", "statuses"),
                counted(account.following_count, "following", "following"),
                counted(account.followers_count, "follower", "followers"),
            ],
            joined: Moment::of_day(account.created_at),
            statuses: all.collect(),
            tab: Tab::of(selection),
            neighbours: Neighbours::of(&base, &profile.statuses, page_request),
            person,
        }
    }
}
