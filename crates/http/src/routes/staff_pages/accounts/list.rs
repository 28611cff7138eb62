//! `/admin/accounts`: accounts by what staff look for.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{
    AccountOrigin, AdminAccount, AdminAccountState, Page, PageRequest, Role, Timestamp,
};
use siskin_ids::AccountId;
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

use super::{
    super::{
        forms::{all_chosen, first_page, with_params},
        layout::Viewer,
        outcome::UnchangedList,
        people::{Choice, Person, states},
    },
    bulk,
};
use crate::{
    pages::{Frame, Moment, PageError, PageForm, Problem, show},
    paging::PageQuery,
    params::chosen,
    routes::public::neighbours::Neighbours,
    staff::StaffMember,
    table::Table,
};

pub(super) const PAGE: &str = "/admin/accounts";
/// Labels of the filter, each after the subject of sentences about its field.
const FILTER_LABELS: &[(&str, &str)] =
    &[("Ip", "Address or network"), ("Origin", "From"), ("Status", "State")];

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(list)).route(PAGE, web::post().to(bulk::decide));
}

#[derive(Template)]
#[template(path = "staff_accounts.html")]
struct AccountsPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    unchanged: UnchangedList,
    filter: Filter,
    origins: Vec<Choice>,
    states: Vec<Choice>,
    roles: Vec<Choice>,
    items: Vec<AccountItem>,
    /// What can be done with the chosen accounts.
    actions: Vec<Choice>,
    /// Path of this page with every account chosen.
    choose_all: String,
    neighbours: Neighbours,
}

struct AccountItem {
    id: AccountId,
    person: Person,
    email: String,
    address: String,
    states: Vec<&'static str>,
    role: String,
    created: Moment,
    chosen: bool,
}

/// What staff look for, as it was typed. The names are those of the API, except for `role_id`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
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

    /// Returns the path of the list with these further parameters.
    pub(super) fn path(&self, others: &[(&str, &str)]) -> String {
        let own = self.fields();
        let own = own.iter().map(|(name, value)| (*name, value.as_str()));
        with_params(PAGE, &own.chain(others.iter().copied()).collect::<Vec<_>>())
    }

    /// Returns the fields that keep the filter in a form.
    pub(super) fn fields(&self) -> Vec<(&'static str, String)> {
        let fields = [
            ("username", &self.username),
            ("display_name", &self.display_name),
            ("by_domain", &self.by_domain),
            ("email", &self.email),
            ("ip", &self.ip),
            ("origin", &self.origin),
            ("status", &self.status),
            ("role_id", &self.role_id),
            ("invited_by", &self.invited_by),
            ("permissions", &self.permissions),
        ];
        fields.into_iter().map(|(name, value)| (name, value.clone())).collect()
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
            id: account.account.id,
            person: Person::of(&account.account, staff, app.urls()),
            email: user.map(|user| isolate(&user.email)).unwrap_or_default(),
            address: account.last_ip().map(|ip| ip.to_string()).unwrap_or_default(),
            states: states(account),
            role: role.map(|role| isolate(&role.name)).unwrap_or_default(),
            created: Moment::of(account.account.created_at, now),
            chosen: false,
        }
    }
}

/// The last change, in the address after a form was handled.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Done {
    done: Option<String>,
    count: usize,
    failed: usize,
    /// Which accounts did not change.
    unchanged: String,
    /// Whether every account of the page is chosen.
    all: bool,
}

impl Done {
    fn message(&self) -> Option<String> {
        match self.done.as_deref()? {
            "deleted" => Some("The data of the account are being deleted.".to_owned()),
            "decided" => Some(bulk::outcome(self.count, self.failed)),
            _ => None,
        }
    }
}

/// What a page shows besides the accounts.
#[derive(Default)]
pub(super) struct Shown<'a> {
    pub(super) done: Option<String>,
    pub(super) unchanged: UnchangedList,
    pub(super) problem: Option<Problem>,
    /// Ids of the chosen accounts.
    pub(super) chosen: &'a [String],
    pub(super) all: bool,
}

/// Paths of the first page of the list, and of the shown page with every account chosen.
pub(super) struct Paths {
    pub(super) first: String,
    pub(super) choose_all: String,
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
    let (message, authority) = (done.message(), staff.authority);
    let unchanged =
        UnchangedList::of_accounts(&app, authority, &done.unchanged, done.failed).await?;
    let shown = Shown { done: message, unchanged, all: done.all, ..Shown::default() };
    let paths = Paths { first: first_page(&request), choose_all: all_chosen(&request) };
    response(Viewer::of(&app, &staff), filter, page_request, paths, shown).await
}

/// Shows a page of the accounts that the filter selects.
pub(super) async fn response(
    viewer: Viewer<'_>,
    filter: Filter,
    page_request: PageRequest,
    paths: Paths,
    shown: Shown<'_>,
) -> Result<HttpResponse, PageError> {
    let app = viewer.app;
    let all_roles = app.read(roles::list).await?;
    let loaded = match filter.query() {
        Ok(query) => app.read(move |conn| accounts::list(conn, &query, page_request)).await,
        Err(error) => Err(error),
    };
    let (found, problem) = match loaded {
        Ok(found) => (found, shown.problem),
        Err(error) => {
            (Page::of(Vec::new(), 0, |_| 0), Some(Problem::of_form(error, FILTER_LABELS)?))
        }
    };
    let now = app.now();
    let status = problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let item = |account: &AdminAccount| AccountItem {
        chosen: shown.all || shown.chosen.contains(&account.account.id.to_string()),
        ..AccountItem::of(account, app, viewer.authority, now)
    };
    let page = AccountsPage {
        frame: viewer.frame(PAGE, "Accounts"),
        done: shown.done,
        unchanged: shown.unchanged,
        problem: problem.map(|problem| problem.words),
        origins: filter.origins(),
        states: filter.states(),
        roles: filter.roles(&all_roles),
        items: found.items.iter().map(item).collect(),
        actions: bulk::choices(),
        choose_all: paths.choose_all,
        neighbours: Neighbours::of(&paths.first, &found, page_request),
        filter,
    };
    Ok(show(status, &page)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_stays_in_the_address() {
        let filter = Filter { ip: "192.0.2.0/24".to_owned(), ..Filter::default() };
        assert_eq!(filter.path(&[("count", "2")]), "/admin/accounts?ip=192.0.2.0%2F24&count=2");
        assert_eq!(Filter::default().path(&[]), PAGE);
        assert_eq!(filter.fields().len(), 10);
    }
}
