//! `/admin/accounts`: accounts by what staff look for.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{AccountOrigin, AdminAccount, AdminAccountState, Page, Role, Timestamp};
use siskin_policy::{
    limits::LONG_PAGE,
    roles::{Authority, ManageUsers},
};
use siskin_services::{
    Error as Domain,
    moderation::accounts::{self, AccountQuery, parse_choice},
    roles,
};
use siskin_text::isolate;

use super::super::{
    forms::{Problem, first_page},
    frame,
    people::{Choice, Person, states},
};
use crate::{
    pages::{Frame, Moment, PageError, PageForm, show},
    paging::PageQuery,
    params::chosen,
    routes::public::neighbours::Neighbours,
    staff::StaffMember,
    table::Table,
};

const PAGE: &str = "/admin/accounts";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(list));
}

#[derive(Template)]
#[template(path = "staff_accounts.html")]
struct AccountsPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    filter: Filter,
    origins: Vec<Choice>,
    states: Vec<Choice>,
    roles: Vec<Choice>,
    items: Vec<AccountItem>,
    neighbours: Neighbours,
}

struct AccountItem {
    person: Person,
    email: String,
    address: String,
    states: Vec<&'static str>,
    role: String,
    created: Moment,
}

/// What staff look for, as it was typed. The names are those of the API, except for `role_id`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Filter {
    username: String,
    display_name: String,
    by_domain: String,
    email: String,
    ip: String,
    origin: String,
    status: String,
    role_id: String,
    invited_by: String,
    /// `staff`, or nothing.
    permissions: String,
}

impl Filter {
    fn query(&self) -> Result<AccountQuery, Domain> {
        let text = |text: &String| Some(text.clone());
        Ok(AccountQuery {
            origin: parse_choice(accounts::UNKNOWN_ORIGIN, Some(self.origin.as_str()))?,
            state: parse_choice(accounts::UNKNOWN_STATE, Some(self.status.as_str()))?,
            staff: !self.permissions.is_empty(),
            roles: chosen(text(&self.role_id)).into_iter().collect(),
            invited_by: text(&self.invited_by),
            username: text(&self.username),
            display_name: text(&self.display_name),
            domain: text(&self.by_domain),
            email: text(&self.email),
            ip: text(&self.ip),
        })
    }

    fn origins(&self) -> Vec<Choice> {
        let words = |origin: AccountOrigin| match origin {
            AccountOrigin::Local => "This server",
            AccountOrigin::Remote => "Other servers",
        };
        let choice =
            |origin: AccountOrigin| Choice::new(origin.as_str(), words(origin), &self.origin);
        let all = Choice::new("", "All", &self.origin);
        [all].into_iter().chain(AccountOrigin::ALL.map(choice)).collect()
    }

    fn states(&self) -> Vec<Choice> {
        let words = |state: AdminAccountState| match state {
            AdminAccountState::Active => "Not suspended",
            AdminAccountState::Pending => "Waiting for approval",
            AdminAccountState::Disabled => "Login disabled",
            AdminAccountState::Sensitized => "Media marked as sensitive",
            AdminAccountState::Silenced => "Limited",
            AdminAccountState::Suspended => "Suspended",
            AdminAccountState::Rejected => "Rejected",
        };
        // Rejected sign-ups have a page of their own.
        let shown = AdminAccountState::ALL.into_iter();
        let shown = shown.filter(|state| *state != AdminAccountState::Rejected);
        let choice =
            |state: AdminAccountState| Choice::new(state.as_str(), words(state), &self.status);
        [Choice::new("", "All", &self.status)].into_iter().chain(shown.map(choice)).collect()
    }

    fn roles(&self, roles: &[Role]) -> Vec<Choice> {
        let named = roles.iter().filter(|role| !role.is_everyone());
        let choice =
            |role: &Role| Choice::new(role.id.to_string(), isolate(&role.name), &self.role_id);
        [Choice::new("", "All", &self.role_id)].into_iter().chain(named.map(choice)).collect()
    }
}

impl AccountItem {
    fn of(account: &AdminAccount, app: &App, staff: Authority, now: Timestamp) -> Self {
        let user = account.user.as_ref();
        let role = user.and_then(|user| user.role.as_ref());
        Self {
            person: Person::of(&account.account, staff, app.urls()),
            email: user.map(|user| isolate(&user.email)).unwrap_or_default(),
            address: account.last_ip().map(|ip| ip.to_string()).unwrap_or_default(),
            states: states(account),
            role: role.map(|role| isolate(&role.name)).unwrap_or_default(),
            created: Moment::of(account.account.created_at, now),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Done {
    done: Option<String>,
}

async fn list(
    app: web::Data<App>,
    staff: StaffMember<ManageUsers>,
    request: HttpRequest,
    PageForm(page): PageForm<PageQuery>,
    PageForm(filter): PageForm<Filter>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let page_request = page.request(LONG_PAGE)?;
    let all_roles = app.read(roles::list).await?;
    let loaded = match filter.query() {
        Ok(query) => app.read(move |conn| accounts::list(conn, &query, page_request)).await,
        Err(error) => Err(error),
    };
    let (found, problem) = match loaded {
        Ok(found) => (found, None),
        Err(error) => (Page::of(Vec::new(), 0, |_| 0), Some(Problem::of(error)?)),
    };
    let now = app.now();
    let status = problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let item = |account: &AdminAccount| AccountItem::of(account, &app, staff.authority, now);
    let deleted = done.done.filter(|done| done == "deleted");
    let page = AccountsPage {
        frame: frame(&app, &staff.browser, staff.authority, PAGE, "Accounts"),
        done: deleted.map(|_| "The data of the account are being deleted.".to_owned()),
        problem: problem.map(|problem| problem.words),
        origins: filter.origins(),
        states: filter.states(),
        roles: filter.roles(&all_roles),
        items: found.items.iter().map(item).collect(),
        neighbours: Neighbours::of(&first_page(&request), &found, page_request),
        filter,
    };
    Ok(show(status, &page)?)
}
