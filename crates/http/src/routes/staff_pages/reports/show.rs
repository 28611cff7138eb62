//! `/admin/reports/{id}`: a report with its statuses and the notes of staff.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{self, Path},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{
    AdminReport, PageRequest, ReportCategory, ReportNote, Rule, Timestamp, Urls,
};
use siskin_ids::{AccountId, ReportId, ReportNoteId};
use siskin_persistence::Conn;
use siskin_policy::{
    limits::{LONG_PAGE, MAX_REPORT_NOTE_CHARS},
    roles::{Authority, ManageReports},
};
use siskin_services::{Result as Served, moderation::overview::outranks, reports, rules};
use siskin_text::isolate;

use super::{
    super::{
        frame,
        people::{Choice, Person, handle, states},
        posts::{PostItem, PostsForm},
    },
    category,
};
use crate::{
    browser::Browser,
    pages::{Frame, Moment, PageError, PageForm, Problem, show},
    params::record_id,
    routes::public::view::{QuoteItem, ReplyTo},
    staff::StaffMember,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/admin/reports/{id}", web::get().to(show_report));
}

#[derive(Template)]
#[template(path = "staff_report.html")]
struct ReportPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    id: ReportId,
    about: Person,
    target: AccountId,
    states: Vec<&'static str>,
    by: Person,
    category: &'static str,
    rules: Vec<String>,
    comment: String,
    forwarded: bool,
    created: Moment,
    resolved: Option<Moment>,
    resolved_by: Option<Person>,
    assigned: Option<Person>,
    is_mine: bool,
    categories: Vec<Choice>,
    rule_choices: Vec<RuleChoice>,
    posts: Vec<PostItem>,
    /// Number of reported statuses that do not exist any more.
    gone: usize,
    action: String,
    kinds: Vec<Choice>,
    form: PostsForm,
    may_act: bool,
    is_local: bool,
    notes: Vec<NoteItem>,
    note: String,
    most: usize,
}

/// A rule that the report can name.
struct RuleChoice {
    id: String,
    text: String,
    chosen: bool,
}

struct NoteItem {
    id: ReportNoteId,
    author: Option<Person>,
    content: String,
    created: Moment,
    is_own: bool,
}

impl NoteItem {
    fn of(note: &ReportNote, staff: Authority, urls: &Urls, now: Timestamp) -> Self {
        let author = note.author.as_deref();
        Self {
            id: note.id,
            author: author.map(|author| Person::of(author, staff, urls)),
            content: isolate(&note.content),
            created: Moment::of(note.created_at, now),
            is_own: author.is_some_and(|author| author.id == staff.account),
        }
    }
}

/// A report with everything that its page shows.
struct Loaded {
    report: AdminReport,
    notes: Vec<ReportNote>,
    rules: Vec<Rule>,
}

fn load(conn: &mut Conn, staff: Authority, id: ReportId) -> Served<Loaded> {
    let newest = PageRequest::newest(LONG_PAGE.max);
    Ok(Loaded {
        report: reports::show(conn, staff, id)?,
        notes: reports::notes(conn, staff, id, newest)?.items,
        rules: rules::list(conn)?,
    })
}

/// What was typed into the forms of the page, with the problem.
pub(super) struct Typed {
    pub(super) posts: PostsForm,
    pub(super) note: String,
    pub(super) problem: Option<Problem>,
}

impl Typed {
    /// Returns the forms before anything was typed.
    pub(super) fn nothing() -> Self {
        Self { posts: PostsForm::blank(), note: String::new(), problem: None }
    }
}

#[derive(Debug, Deserialize)]
struct Done {
    done: Option<String>,
}

impl Done {
    fn message(&self) -> Option<&'static str> {
        match self.done.as_deref()? {
            "acted" => Some("The decision took effect."),
            "assign" => Some("The report is assigned to you."),
            "unassign" => Some("Your assignment has ended."),
            "resolve" => Some("The report is resolved."),
            "reopen" => Some("The report is open again."),
            "changed" => Some("The category was changed."),
            "note" => Some("The note was added."),
            "deleted" => Some("The note was deleted."),
            _ => None,
        }
    }
}

async fn show_report(
    app: web::Data<App>,
    staff: StaffMember<ManageReports>,
    id: Path<String>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let id = record_id(&id)?;
    let person = (&staff.browser, staff.authority);
    response(&app, person, id, done.message(), Typed::nothing()).await
}

/// Shows a report to a member of staff that handles it.
pub(super) async fn response(
    app: &App,
    (browser, staff): (&Browser, Authority),
    id: ReportId,
    done: Option<&'static str>,
    typed: Typed,
) -> Result<HttpResponse, PageError> {
    let found = app.read(move |conn| load(conn, staff, id)).await?;
    let status = typed.problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let page = ReportPage::of(app, (browser, staff), &found, typed);
    Ok(show(status, &ReportPage { done: done.map(str::to_owned), ..page })?)
}

impl ReportPage {
    fn of(
        app: &App,
        (browser, staff): (&Browser, Authority),
        Loaded { report: found, notes, rules }: &Loaded,
        typed: Typed,
    ) -> Self {
        let (urls, now, report) = (app.urls(), app.now(), &found.report);
        let person = |account: &_| Person::of(account, staff, urls);
        let target = &found.target.account;
        let title = format!("Report about {}", handle(target));
        let posts = PostItem::all(&found.statuses, &typed.posts, urls, now);
        Self {
            frame: frame(app, browser, staff, super::PAGE, title),
            done: None,
            problem: typed.problem.map(|problem| problem.words),
            id: report.id,
            about: person(target),
            target: target.id,
            states: states(&found.target),
            by: person(&found.account.account),
            category: category(report.category),
            rules: found.rules.iter().map(|rule| isolate(&rule.text)).collect(),
            comment: isolate(report.comment.trim()),
            forwarded: report.forwarded,
            created: Moment::of(report.created_at, now),
            resolved: report.action_taken_at.map(|at| Moment::of(at, now)),
            resolved_by: found.action_taken_by.as_ref().map(|by| person(&by.account)),
            assigned: found.assigned.as_ref().map(|assigned| person(&assigned.account)),
            is_mine: report.assigned == Some(staff.account),
            categories: categories(report.category),
            rule_choices: rule_choices(found, rules),
            gone: report.statuses.len() - posts.len(),
            posts,
            action: format!("/admin/reports/{}/statuses", report.id),
            kinds: typed.posts.kinds(),
            form: typed.posts,
            may_act: outranks(staff, &found.target),
            is_local: found.target.user.is_some(),
            notes: notes.iter().map(|note| NoteItem::of(note, staff, urls, now)).collect(),
            note: typed.note,
            most: MAX_REPORT_NOTE_CHARS,
        }
    }
}

fn categories(present: ReportCategory) -> Vec<Choice> {
    let choice = |one: ReportCategory| Choice::new(one.as_str(), category(one), present.as_str());
    ReportCategory::ALL.map(choice).into()
}

fn rule_choices(found: &AdminReport, rules: &[Rule]) -> Vec<RuleChoice> {
    let named = found.report.rules.as_deref().unwrap_or_default();
    let choice = |rule: &Rule| RuleChoice {
        id: rule.id.to_string(),
        text: isolate(&rule.text),
        chosen: named.contains(&rule.id),
    };
    rules.iter().map(choice).collect()
}
