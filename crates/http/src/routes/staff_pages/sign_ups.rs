//! `/admin/sign-ups`: sign-ups that wait for approval, and those that were rejected a short time
//! ago.

use std::collections::HashSet;

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{
    AdminAccount, AdminAccountState, DecisionResult, Page, PageRequest, SignUpAction, Timestamp,
};
use siskin_ids::AccountId;
use siskin_policy::{
    limits::{LONG_PAGE, MAX_BULK_ACCOUNTS},
    roles::{Authority, ManageUsers},
};
use siskin_services::moderation::{
    accounts::{self, AccountQuery},
    bulk::BulkAction,
};
use siskin_text::isolate;

use super::{
    confirm::{Confirmation, Named},
    forms::{all_chosen, counted, first_page, with_params},
    frame,
    outcome::{PARAMETER, UnchangedList, account_names, encode},
    people::Person,
    see,
};
use crate::{
    browser::Browser,
    pages::{Frame, Moment, PageError, PageForm, Problem, show},
    paging::PageQuery,
    params::chosen_list,
    routes::{admin::accounts::decide_all, public::neighbours::Neighbours},
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/sign-ups";
/// Labels of the filter, each after the subject of sentences about its field.
const FILTER_LABELS: &[(&str, &str)] = &[("Ip", "Address or network")];

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(list)).route(PAGE, web::post().to(decide));
}

#[derive(Template)]
#[template(path = "staff_sign_ups.html")]
struct SignUpsPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    unchanged: UnchangedList,
    filter: Filter,
    items: Vec<SignUpItem>,
    /// Path of this page with every sign-up chosen.
    choose_all: String,
    neighbours: Neighbours,
}

struct SignUpItem {
    id: AccountId,
    person: Person,
    email: String,
    addresses: Vec<String>,
    is_confirmed: bool,
    reason: String,
    created: Moment,
    chosen: bool,
}

/// Which sign-ups are shown.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Filter {
    /// `rejected`; everything else means those that wait.
    state: String,
    username: String,
    email: String,
    ip: String,
}

impl Filter {
    fn is_of_rejected(&self) -> bool {
        self.state == AdminAccountState::Rejected.as_str()
    }

    fn query(&self) -> AccountQuery {
        let state = match self.is_of_rejected() {
            true => AdminAccountState::Rejected,
            false => AdminAccountState::Pending,
        };
        AccountQuery {
            state: Some(state),
            username: Some(self.username.clone()),
            email: Some(self.email.clone()),
            ip: Some(self.ip.clone()),
            ..AccountQuery::default()
        }
    }

    /// Returns the path of the list with these further parameters.
    fn path(&self, others: &[(&str, &str)]) -> String {
        let Self { state, username, email, ip } = self;
        let own = [("state", state), ("username", username), ("email", email), ("ip", ip)];
        let own = own.map(|(name, value)| (name, value.as_str()));
        with_params(PAGE, &[&own[..], others].concat())
    }

    fn fields(&self) -> [(&'static str, String); 4] {
        let Self { state, username, email, ip } = self.clone();
        [("state", state), ("username", username), ("email", email), ("ip", ip)]
    }
}

/// The last decision, in the address after a form was handled.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Done {
    done: Option<String>,
    count: usize,
    failed: usize,
    /// Which sign-ups did not change.
    unchanged: String,
    /// Whether every sign-up of the page is chosen.
    all: bool,
}

impl Done {
    fn message(&self) -> Option<String> {
        let action: SignUpAction = self.done.as_deref()?.parse().ok()?;
        let happened = match action {
            SignUpAction::Approve => "approved.",
            SignUpAction::Reject => "rejected. You can undo this for a day.",
            SignUpAction::Restore => "restored. They wait for a decision again.",
        };
        let were = if self.count == 1 { "was" } else { "were" };
        let mut message =
            format!("{} {were} {happened}", counted(self.count, "sign-up", "sign-ups"));
        if self.failed > 0 {
            let unchanged = counted(self.failed, "sign-up", "sign-ups");
            message += &format!(" {unchanged} could not be changed.");
        }
        Some(message)
    }
}

impl SignUpItem {
    fn of(
        account: &AdminAccount,
        app: &App,
        staff: Authority,
        now: Timestamp,
        chosen: bool,
    ) -> Self {
        let user = account.user.as_ref();
        let ips = user.into_iter().flat_map(|user| &user.ips);
        let reason = user.and_then(|user| user.sign_up_reason.as_deref()).unwrap_or_default();
        Self {
            id: account.account.id,
            person: Person::of(&account.account, staff, app.urls()),
            email: user.map(|user| isolate(&user.email)).unwrap_or_default(),
            addresses: ips.map(|used| used.ip.to_string()).collect(),
            is_confirmed: user.is_some_and(|user| user.confirmed),
            reason: isolate(reason),
            created: Moment::of(account.account.created_at, now),
            chosen,
        }
    }
}

/// What a page shows besides the sign-ups.
#[derive(Default)]
struct Shown<'a> {
    done: Option<String>,
    unchanged: UnchangedList,
    problem: Option<Problem>,
    /// Ids of the chosen sign-ups.
    chosen: &'a [String],
    all: bool,
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
    let base = (first_page(&request), all_chosen(&request));
    response(&app, (&staff.browser, staff.authority), filter, page_request, base, shown).await
}

async fn response(
    app: &App,
    (browser, staff): (&Browser, Authority),
    filter: Filter,
    page_request: PageRequest,
    (first, choose_all): (String, String),
    shown: Shown<'_>,
) -> Result<HttpResponse, PageError> {
    let query = filter.query();
    let loaded = app.read(move |conn| accounts::list(conn, &query, page_request)).await;
    let (found, problem) = match loaded {
        Ok(found) => (found, shown.problem),
        Err(error) => (none(), Some(Problem::of_form(error, FILTER_LABELS)?)),
    };
    let now = app.now();
    let is_chosen = |account: &AdminAccount| {
        shown.all || shown.chosen.contains(&account.account.id.to_string())
    };
    let item =
        |account: &AdminAccount| SignUpItem::of(account, app, staff, now, is_chosen(account));
    let title = if filter.is_of_rejected() { "Rejected sign-ups" } else { "Sign-ups" };
    let status = problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let page = SignUpsPage {
        frame: frame(app, browser, staff, PAGE, title),
        done: shown.done,
        unchanged: shown.unchanged,
        problem: problem.map(|problem| problem.words),
        filter,
        neighbours: Neighbours::of(&first, &found, page_request),
        items: found.items.iter().map(item).collect(),
        choose_all,
    };
    Ok(show(status, &page)?)
}

fn none() -> Page<AdminAccount> {
    Page::of(Vec::new(), 0, |_| 0)
}

/// The submitted decision.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DecisionForm {
    action: Option<String>,
    #[serde(deserialize_with = "chosen_list")]
    account_ids: Vec<String>,
    confirmed: bool,
}

impl DecisionForm {
    /// Returns the decision and the chosen accounts, without duplicates.
    fn checked(&self) -> Result<(SignUpAction, Vec<AccountId>), Problem> {
        let action = self.action.as_deref().and_then(|name| name.parse().ok());
        let action = action.ok_or_else(|| Problem::with_input("Choose what to do."))?;
        let mut seen = HashSet::new();
        let ids = self.account_ids.iter().filter_map(|id| id.parse().ok());
        let ids: Vec<AccountId> = ids.filter(|id| seen.insert(*id)).collect();
        if ids.is_empty() {
            return Err(Problem::with_input("Choose at least one sign-up."));
        }
        if ids.len() > MAX_BULK_ACCOUNTS {
            return Err(Problem::with_input(format!(
                "Choose at most {MAX_BULK_ACCOUNTS} sign-ups."
            )));
        }
        Ok((action, ids))
    }
}

async fn decide(
    app: web::Data<App>,
    staff: PostedStaff<ManageUsers>,
) -> Result<HttpResponse, PageError> {
    let (filter, form): (Filter, DecisionForm) = (staff.posted.decode()?, staff.posted.decode()?);
    let (browser, authority) = (&staff.posted.browser, staff.authority);
    let (action, ids) = match form.checked() {
        Ok(checked) => checked,
        Err(problem) => {
            let shown =
                Shown { problem: Some(problem), chosen: &form.account_ids, ..Shown::default() };
            let first = PageRequest::newest(LONG_PAGE.default);
            let base = (filter.path(&[]), filter.path(&[("all", "1")]));
            return response(&app, (browser, authority), filter, first, base, shown).await;
        }
    };
    if action == SignUpAction::Reject && ids.len() > 1 && !form.confirmed {
        return confirm(&app, browser, authority, &filter, ids).await;
    }
    let results = decide_all(&app, authority, &ids, &BulkAction::SignUp(action)).await?;
    let count = results.values().filter(|result| **result == DecisionResult::Done).count();
    let (failed, count) = ((results.len() - count).to_string(), count.to_string());
    let unchanged = encode(&ids, &results);
    let outcome = [
        ("done", action.as_str()),
        ("count", &*count),
        ("failed", &*failed),
        (PARAMETER, &*unchanged),
    ];
    Ok(see(&app, &filter.path(&outcome)))
}

/// Asks whether these sign-ups are to be rejected.
async fn confirm(
    app: &App,
    browser: &Browser,
    staff: Authority,
    filter: &Filter,
    ids: Vec<AccountId>,
) -> Result<HttpResponse, PageError> {
    let loaded = ids.clone();
    let found = app.read(move |conn| accounts::load(conn, &loaded)).await?;
    let mut fields: Vec<(&'static str, String)> = filter.fields().into();
    fields.push(("action", SignUpAction::Reject.as_str().to_owned()));
    fields.extend(ids.iter().map(|id| ("account_ids[]", id.to_string())));
    let many = counted(ids.len(), "sign-up", "sign-ups");
    let page = Confirmation {
        frame: frame(app, browser, staff, PAGE, format!("Reject {many}?")),
        words: "The accounts are hidden at once, and deleted after a day. People with a confirmed \
                email address get an email."
            .to_owned(),
        names: account_names(&ids, &found).into_iter().map(Named::from).collect(),
        action: PAGE.to_owned(),
        fields,
        button: format!("Reject {many}"),
        back: filter.path(&[]),
    };
    Ok(page.show()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_stays_in_the_address() {
        let filter = Filter { ip: "192.0.2.0/24".to_owned(), ..Filter::default() };
        assert_eq!(filter.path(&[("count", "2")]), "/admin/sign-ups?ip=192.0.2.0%2F24&count=2");
        assert_eq!(Filter::default().path(&[]), PAGE);
    }

    #[test]
    fn a_decision_names_some_accounts_once() {
        let form = |action: &str, ids: &[&str]| DecisionForm {
            action: Some(action.to_owned()),
            account_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
            confirmed: false,
        };
        let (action, ids) = form("reject", &["7", "x", "8", "7"]).checked().unwrap();
        assert_eq!(
            (action, ids),
            (SignUpAction::Reject, vec![AccountId::new(7), AccountId::new(8)])
        );
        for refused in [form("reject", &["x"]), form("ban", &["7"]), form("approve", &[])] {
            assert!(refused.checked().is_err());
        }
    }

    #[test]
    fn the_message_counts_what_happened() {
        let done = |done: &str, count, failed| {
            Done { done: Some(done.to_owned()), count, failed, ..Done::default() }.message()
        };
        assert_eq!(done("approve", 1, 0).unwrap(), "1 sign-up was approved.");
        assert!(done("reject", 2, 1).unwrap().contains("2 sign-ups were rejected."));
        assert!(done("reject", 2, 1).unwrap().contains("1 sign-up could not be changed"));
        assert_eq!(done("<b>", 1, 0), None);
    }
}
