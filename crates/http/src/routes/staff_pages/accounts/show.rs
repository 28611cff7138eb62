//! `/admin/accounts/{id}`: everything that the moderators know about an account.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{self, Path},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{
    AdminAccount, Appeal, AppealState, Role, Strike, StrikeAction, Timestamp, UsedIp,
};
use siskin_ids::AccountId;
use siskin_policy::roles::{Authority, ManageUsers, Permission};
use siskin_services::moderation::overview::{self, AccountOverview, ShownStrike};
use siskin_text::isolate;

use super::super::{
    forms::counted,
    frame,
    people::{Choice, Person, happened, states},
    reports::ReportItem,
};
use crate::{
    browser::Browser,
    pages::{Frame, Moment, PageError, PageForm, Problem, show},
    params::record_id,
    staff::StaffMember,
    table::Table,
};

const AREA: &str = "/admin/accounts";

pub(super) fn configure(table: &mut Table) {
    table.route("/admin/accounts/{id}", web::get().to(show_account));
}

#[derive(Template)]
#[template(path = "staff_account.html")]
struct AccountPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    id: AccountId,
    name: String,
    handle: String,
    /// Address of the profile that everyone sees.
    profile: String,
    states: Vec<&'static str>,
    joined: Moment,
    counts: String,
    /// `None` for an account of another server.
    user: Option<UserFacts>,
    /// What the member of staff may do.
    may: Allowed,
    /// Restrictions that can end: the value and the text of each button.
    endings: Vec<(&'static str, &'static str)>,
    is_being_deleted: bool,
    /// Roles to choose from. `None` if the role cannot be changed.
    roles: Option<Vec<Choice>>,
    strikes: Vec<StrikeItem>,
    open_reports: Vec<ReportItem>,
    resolved_reports: Vec<ReportItem>,
}

/// What the role and the rank of the member of staff allow.
#[expect(clippy::struct_excessive_bools, reason = "each is a part of the page")]
struct Allowed {
    act: bool,
    decide_sign_up: bool,
    delete: bool,
    remove_factor: bool,
    see_reports: bool,
}

struct UserFacts {
    email: String,
    role: String,
    locale: String,
    reason: String,
    inviter: Option<Person>,
    addresses: Vec<(String, Moment)>,
}

struct StrikeItem {
    happened: &'static str,
    created: Moment,
    text: String,
    /// Beginnings of the statuses that it is about.
    excerpts: Vec<String>,
    moderator: Option<Person>,
    appeal: &'static str,
    /// Word for a strike that was overruled; empty for others.
    overruled: &'static str,
    /// What an overruled strike leaves as it is; may be empty.
    rest: &'static str,
}

impl UserFacts {
    fn of(found: &AccountOverview, staff: Authority, app: &App, now: Timestamp) -> Option<Self> {
        let user = found.account.user.as_ref()?;
        let address = |used: &UsedIp| (used.ip.to_string(), Moment::of(used.used_at, now));
        let inviter = found.inviter.as_deref();
        Some(Self {
            email: isolate(&user.email),
            role: user.role.as_ref().map(|role| isolate(&role.name)).unwrap_or_default(),
            locale: user.locale.clone().unwrap_or_default(),
            reason: isolate(user.sign_up_reason.as_deref().unwrap_or_default()),
            inviter: inviter.map(|inviter| Person::of(inviter, staff, app.urls())),
            addresses: user.ips.iter().map(address).collect(),
        })
    }
}

impl StrikeItem {
    fn of(shown: &ShownStrike, staff: Authority, app: &App, now: Timestamp) -> Self {
        let ShownStrike { strike, moderator } = shown;
        let (overruled, rest) = overruled(strike);
        let excerpts = strike.statuses.iter().map(|status| isolate(&status.excerpt));
        Self {
            happened: happened(strike.action),
            created: Moment::of(strike.created_at, now),
            text: isolate(&strike.text),
            excerpts: excerpts.filter(|excerpt| !excerpt.is_empty()).collect(),
            moderator: moderator.as_deref().map(|account| Person::of(account, staff, app.urls())),
            appeal: appeal(strike.appeal.as_ref()),
            overruled,
            rest,
        }
    }
}

/// Returns the word for a strike that was overruled, and what that leaves as it is. Both are empty
/// for other strikes.
const fn overruled(strike: &Strike) -> (&'static str, &'static str) {
    match (strike.overruled_at, strike.action) {
        (None, _) => ("", ""),
        (Some(_), StrikeAction::DeleteStatuses) => ("Overruled", "The posts stay deleted."),
        (Some(_), _) => ("Taken back", ""),
    }
}

fn appeal(appeal: Option<&Appeal>) -> &'static str {
    match appeal.map(|appeal| appeal.state) {
        None => "",
        Some(AppealState::Pending) => "Appeal waits",
        Some(AppealState::Approved) => "Appeal approved",
        Some(AppealState::Rejected) => "Appeal rejected",
    }
}

/// Returns the restrictions of an account that can end.
fn endings(account: &AdminAccount, is_being_deleted: bool) -> Vec<(&'static str, &'static str)> {
    let shown = &account.account;
    let is_disabled = account.user.as_ref().is_some_and(|user| user.disabled);
    let is_suspended = shown.state.suspended && !is_being_deleted;
    let endings = [
        (is_disabled, ("enable", "Enable the login")),
        (shown.sensitized, ("unsensitive", "Show media as the author marks them")),
        (shown.state.silenced, ("unsilence", "End the limit")),
        (is_suspended, ("unsuspend", "End the suspension")),
    ];
    endings.into_iter().filter_map(|(is_so, ending)| is_so.then_some(ending)).collect()
}

/// Returns the roles to choose from: none, and those that the member of staff may give.
fn role_choices(account: &AdminAccount, roles: &[Role]) -> Vec<Choice> {
    let present = account.user.as_ref().and_then(|user| user.role.as_ref());
    let present = present.filter(|role| !role.is_everyone()).map(|role| role.id.to_string());
    let present = present.unwrap_or_default();
    let choice = |role: &Role| Choice::new(role.id.to_string(), isolate(&role.name), &present);
    [Choice::new("", "None", &present)].into_iter().chain(roles.iter().map(choice)).collect()
}

#[derive(Debug, Deserialize)]
struct Done {
    done: Option<String>,
}

impl Done {
    fn message(&self) -> Option<&'static str> {
        match self.done.as_deref()? {
            "acted" => Some("The decision took effect."),
            "undone" => Some("The restriction has ended."),
            "role" => Some("The role was changed."),
            "factor" => Some("The second factor was removed."),
            _ => None,
        }
    }
}

async fn show_account(
    app: web::Data<App>,
    staff: StaffMember<ManageUsers>,
    id: Path<String>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let id = record_id(&id)?;
    let done = done.message().map(str::to_owned);
    response(&app, (&staff.browser, staff.authority), id, done, None).await
}

/// Shows the page of an account to a member of staff who may see it.
pub(super) async fn response(
    app: &App,
    (browser, staff): (&Browser, Authority),
    id: AccountId,
    done: Option<String>,
    problem: Option<Problem>,
) -> Result<HttpResponse, PageError> {
    let found = app.read(move |conn| overview::account(conn, staff, id)).await?;
    let status = problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let page = AccountPage::of(app, (browser, staff), &found);
    let problem = problem.map(|problem| problem.words);
    Ok(show(status, &AccountPage { done, problem, ..page })?)
}

impl AccountPage {
    fn of(app: &App, (browser, staff): (&Browser, Authority), found: &AccountOverview) -> Self {
        let (urls, now) = (app.urls(), app.now());
        let account = &found.account.account;
        let Person { name, handle, .. } = Person::of(account, staff, urls);
        let report = |report: &_| ReportItem::of(report, staff, urls, now);
        let roles = found.roles.as_deref();
        Self {
            frame: frame(app, browser, staff, AREA, handle.clone()),
            done: None,
            problem: None,
            id: account.id,
            name,
            handle,
            profile: account.page_or_uri(urls),
            states: states(&found.account),
            joined: Moment::of_day(account.created_at),
            counts: counts(&found.account),
            user: UserFacts::of(found, staff, app, now),
            may: Allowed::of(staff, found),
            endings: if found.is_below {
                endings(&found.account, found.is_being_deleted)
            } else {
                Vec::new()
            },
            is_being_deleted: found.is_being_deleted,
            roles: roles.map(|roles| role_choices(&found.account, roles)),
            strikes: found
                .strikes
                .iter()
                .map(|strike| StrikeItem::of(strike, staff, app, now))
                .collect(),
            open_reports: found.open_reports.iter().map(report).collect(),
            resolved_reports: found.resolved_reports.iter().map(report).collect(),
        }
    }
}

impl Allowed {
    fn of(staff: Authority, found: &AccountOverview) -> Self {
        let is_pending = found.account.is_pending();
        Self {
            act: found.is_below && !is_pending && !found.is_being_deleted,
            decide_sign_up: found.is_below && is_pending,
            delete: found.is_below
                && found.account.account.state.suspended
                && !found.is_being_deleted
                && staff.can(Permission::DeleteUserData),
            remove_factor: found.has_removable_factor,
            see_reports: staff.can(Permission::ManageReports),
        }
    }
}

fn counts(account: &AdminAccount) -> String {
    let count = |count: i64| usize::try_from(count).unwrap_or_default();
    let shown = &account.account;
    [
        counted(count(shown.statuses_count), "post", "posts"),
        counted(count(shown.followers_count), "follower", "followers"),
        format!("{} following", shown.following_count),
    ]
    .join(" · ")
}
