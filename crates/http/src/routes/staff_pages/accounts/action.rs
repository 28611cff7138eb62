//! `/admin/accounts/{id}/action`: warns or restricts an account.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{self, Path},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{AdminAccount, StrikeAction};
use siskin_ids::{AccountId, ReportId};
use siskin_policy::{
    limits::MAX_STRIKE_CHARS,
    roles::{Authority, ModerateUsers, Permission},
};
use siskin_services::{
    authentication::not_allowed,
    moderation::{
        accounts,
        act::{self, AccountAction},
        overview::outranks,
    },
    warning_presets,
};

use super::super::{
    forms::see,
    frame,
    people::{Choice, handle, preset_choices},
};
use crate::{
    browser::Browser,
    pages::{Frame, PageError, PageForm, Problem, show},
    params::{chosen, record_id},
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/accounts/{id}/action";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(show_form)).route(PAGE, web::post().to(apply));
}

#[derive(Template)]
#[template(path = "staff_account_action.html")]
struct ActionPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    id: AccountId,
    text_label: String,
    is_local: bool,
    kinds: Vec<Choice>,
    /// Prepared texts, and none; empty if there are no prepared texts.
    presets: Vec<Choice>,
    form: ActionForm,
    /// Page to return to without a decision.
    back: String,
    most: usize,
}

/// What to do, as it was typed. Browsers do not send a checkbox that is not ticked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct ActionForm {
    #[serde(rename = "type")]
    kind: String,
    report_id: String,
    warning_preset_id: String,
    text: String,
    send_email_notification: bool,
}

impl ActionForm {
    fn action(&self) -> AccountAction {
        AccountAction {
            kind: self.kind.clone(),
            text: self.text.clone(),
            report: chosen(Some(self.report_id.clone())),
            preset: chosen(Some(self.warning_preset_id.clone())),
            by_email: self.send_email_notification,
        }
    }

    /// Returns the choices of what to do. The login of a remote account cannot be disabled.
    fn kinds(&self, is_local: bool) -> Vec<Choice> {
        let hint = |action: StrikeAction| match action {
            StrikeAction::Warn => "The account gets the text. Nothing else changes.",
            StrikeAction::Sensitive => "All media are hidden behind a warning.",
            StrikeAction::Disable => "The person cannot sign in. The profile and the posts stay.",
            StrikeAction::Silence => {
                "Only followers and people who open the profile see the posts."
            }
            _ => "The profile and the posts are hidden. They are deleted after 30 days.",
        };
        let words = |action: StrikeAction| match action {
            StrikeAction::Warn => "Warn",
            StrikeAction::Sensitive => "Mark all media as sensitive",
            StrikeAction::Disable => "Disable the login",
            StrikeAction::Silence => "Limit",
            _ => "Suspend",
        };
        let choice = |action: StrikeAction| {
            Choice::new(action.as_str(), words(action), &self.kind).with_hint(hint(action))
        };
        [
            StrikeAction::Warn,
            StrikeAction::Sensitive,
            StrikeAction::Disable,
            StrikeAction::Silence,
            StrikeAction::Suspend,
        ]
        .into_iter()
        .filter(|action| is_local || *action != StrikeAction::Disable)
        .map(choice)
        .collect()
    }
}

async fn show_form(
    app: web::Data<App>,
    staff: StaffMember<ModerateUsers>,
    id: Path<String>,
    PageForm(form): PageForm<ActionForm>,
) -> Result<HttpResponse, PageError> {
    let (id, authority) = (record_id(&id)?, staff.authority);
    let account = app.read(move |conn| accounts::find(conn, id)).await?;
    if !outranks(authority, &account) {
        return Err(not_allowed().into());
    }
    let form = ActionForm { send_email_notification: true, ..form };
    response(&app, (&staff.browser, authority), &account, form, None).await
}

async fn response(
    app: &App,
    (browser, staff): (&Browser, Authority),
    account: &AdminAccount,
    form: ActionForm,
    problem: Option<Problem>,
) -> Result<HttpResponse, PageError> {
    let presets = app.read(warning_presets::list).await?;
    let presets = match presets.is_empty() {
        true => Vec::new(),
        false => preset_choices(&presets, &form.warning_preset_id),
    };
    let handle = handle(&account.account);
    let is_local = account.user.is_some();
    let text_label = format!("Text to {handle}");
    let problem = problem.map(|problem| match problem.is_about("Type") {
        true => Problem::with_input("Choose what to do."),
        false => problem.labelled(&[("Text", text_label.as_str())]),
    });
    let status = problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let area = if form.report_id.is_empty() { "/admin/accounts" } else { "/admin/reports" };
    let page = ActionPage {
        frame: frame(app, browser, staff, area, format!("Warn or restrict {handle}")),
        done: None,
        problem: problem.map(|problem| problem.words),
        id: account.account.id,
        is_local,
        kinds: form.kinds(is_local),
        presets,
        back: back(staff, account.account.id, &form, None),
        most: MAX_STRIKE_CHARS,
        text_label,
        form,
    };
    Ok(show(status, &page)?)
}

/// Returns the path of the page that led here.
fn back(staff: Authority, id: AccountId, form: &ActionForm, done: Option<&str>) -> String {
    let page = match form.report_id.parse::<ReportId>() {
        Ok(report) => format!("/admin/reports/{report}"),
        Err(_) if staff.can(Permission::ManageUsers) => format!("/admin/accounts/{id}"),
        Err(_) => "/admin/reports".to_owned(),
    };
    match done {
        Some(done) => format!("{page}?done={done}"),
        None => page,
    }
}

async fn apply(
    app: web::Data<App>,
    staff: PostedStaff<ModerateUsers>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, authority) = (record_id(&id)?, staff.authority);
    let form: ActionForm = staff.posted.decode()?;
    let action = form.action();
    let problem = match app.write(move |tx| act::act(tx, authority, id, &action)).await {
        Ok(_) => return Ok(see(&app, &back(authority, id, &form, Some("acted")))),
        Err(error) => Problem::of(error)?,
    };
    let account = app.read(move |conn| accounts::find(conn, id)).await?;
    response(&app, (&staff.posted.browser, authority), &account, form, Some(problem)).await
}
