//! Lists of accounts for staff. Version 1 has a flag for each origin and state, version 2 one
//! parameter for each.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{AccountOrigin, AdminAccountState};
use siskin_policy::limits::LONG_PAGE;
use siskin_services::{
    Error as Domain,
    moderation::accounts::{self, AccountQuery, parse_choice},
};
use siskin_wire::admin_account;

use super::Reader;
use crate::{
    Result,
    paging::{self, PageQuery, Previous},
    params::{Form, chosen, chosen_list},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/accounts", web::get().to(list_v1))
        .route("/api/v2/admin/accounts", web::get().to(list_v2));
}

/// Parameters that both versions have.
#[derive(Debug, Deserialize)]
struct TextsQuery {
    username: Option<String>,
    display_name: Option<String>,
    by_domain: Option<String>,
    email: Option<String>,
    ip: Option<String>,
}

impl TextsQuery {
    fn into_query(self) -> AccountQuery {
        AccountQuery {
            username: chosen(self.username),
            display_name: self.display_name,
            domain: chosen(self.by_domain),
            email: chosen(self.email),
            ip: chosen(self.ip),
            ..AccountQuery::default()
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a parameter of the interface")]
struct FlagsQuery {
    local: bool,
    remote: bool,
    active: bool,
    pending: bool,
    disabled: bool,
    sensitized: bool,
    silenced: bool,
    suspended: bool,
    staff: bool,
}

impl FlagsQuery {
    /// Returns the origin. As on Mastodon, the last flag counts if there are several.
    fn origin(&self) -> Option<AccountOrigin> {
        let flags = [(self.remote, AccountOrigin::Remote), (self.local, AccountOrigin::Local)];
        flags.into_iter().find_map(|(is_set, origin)| is_set.then_some(origin))
    }

    /// Returns the state. As on Mastodon, the last flag counts if there are several.
    fn state(&self) -> Option<AdminAccountState> {
        let flags = [
            (self.suspended, AdminAccountState::Suspended),
            (self.silenced, AdminAccountState::Silenced),
            (self.sensitized, AdminAccountState::Sensitized),
            (self.disabled, AdminAccountState::Disabled),
            (self.pending, AdminAccountState::Pending),
            (self.active, AdminAccountState::Active),
        ];
        flags.into_iter().find_map(|(is_set, state)| is_set.then_some(state))
    }
}

async fn list_v1(
    app: Data<App>,
    _: Reader,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(texts): Form<TextsQuery>,
    Form(flags): Form<FlagsQuery>,
) -> Result<HttpResponse> {
    let query = AccountQuery {
        origin: flags.origin(),
        state: flags.state(),
        staff: flags.staff,
        ..texts.into_query()
    };
    list(&app, &request, &page, query).await
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChoicesQuery {
    origin: Option<String>,
    status: Option<String>,
    permissions: Option<String>,
    #[serde(deserialize_with = "chosen_list")]
    role_ids: Vec<String>,
    invited_by: Option<String>,
}

async fn list_v2(
    app: Data<App>,
    _: Reader,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(texts): Form<TextsQuery>,
    Form(choices): Form<ChoicesQuery>,
) -> Result<HttpResponse> {
    let staff = match chosen(choices.permissions).as_deref() {
        None => false,
        Some("staff") => true,
        Some(_) => return Err(Domain::invalid(accounts::UNKNOWN_PERMISSIONS).into()),
    };
    let query = AccountQuery {
        origin: parse_choice(accounts::UNKNOWN_ORIGIN, chosen(choices.origin).as_deref())?,
        state: parse_choice(accounts::UNKNOWN_STATE, chosen(choices.status).as_deref())?,
        staff,
        roles: choices.role_ids,
        invited_by: chosen(choices.invited_by),
        ..texts.into_query()
    };
    list(&app, &request, &page, query).await
}

async fn list(
    app: &App,
    request: &HttpRequest,
    page: &PageQuery,
    query: AccountQuery,
) -> Result<HttpResponse> {
    let page = page.request(LONG_PAGE)?;
    let found = app.read(move |conn| accounts::list(conn, &query, page)).await?;
    let render = |one: &_| admin_account::render(one, app.urls());
    Ok(paging::response(request, app.urls(), &found, Previous::MinId, render))
}
