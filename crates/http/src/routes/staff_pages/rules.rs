//! `/admin/rules`: the rules of the server.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::Rule;
use siskin_ids::RuleId;
use siskin_policy::roles::ManageRules;
use siskin_services::{
    Error as Domain,
    rules::{self, NewRule, Step},
};

use super::{
    fields::{Field, InputForm, unix_lines},
    layout::{Done, Layout, Link, Section, Viewer},
    rows::{Button, Cell, DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm, Problem},
    params::record_id,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/rules";
const HAPPENED: &[(&str, &str)] = &[
    ("added", "The rule was added."),
    ("changed", "The rule was changed."),
    ("moved", "The order was changed."),
    ("deleted", "The rule was deleted."),
];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(add))
        .route("/admin/rules/{id}", web::get().to(show))
        .route("/admin/rules/{id}", web::post().to(change))
        .route("/admin/rules/{id}/move", web::post().to(shift))
        .route("/admin/rules/{id}/delete", web::post().to(delete));
}

/// The submitted form.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Typed {
    text: String,
    hint: String,
}

impl Typed {
    /// Checks the rule.
    pub(super) fn prepared(&self) -> Result<NewRule, Domain> {
        rules::prepare(&self.text, &unix_lines(&self.hint))
    }

    /// Adds the fields of a rule to a form.
    pub(super) fn fields(&self, form: InputForm) -> InputForm {
        form.with(Field::text("text", "Rule", &self.text).about("A rule")).with(
            Field::lines("hint", "Explanation", 3, &self.hint)
                .about("The hint of a rule")
                .hint("It may be empty."),
        )
    }
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageRules>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let layout = layout(Viewer::of(&app, &staff), &Typed::default(), None).await?;
    layout.done(&done, HAPPENED).show()
}

async fn layout(
    viewer: Viewer<'_>,
    typed: &Typed,
    problem: Option<&Problem>,
) -> Result<Layout, PageError> {
    let found = viewer.app.read(rules::list).await?;
    let last = found.len().saturating_sub(1);
    let rows = found.iter().enumerate().map(|(at, rule)| row(rule, at > 0, at < last));
    let table = DataTable::new("Rules", &["Rule", "Explanation"], "There are no rules.").rows(rows);
    let form = typed.fields(InputForm::post("rule", PAGE, "Add the rule")).refused(problem);
    let explained = "People accept the rules when they sign up, and name them in reports.";
    Ok(viewer
        .layout(PAGE, "Rules")
        .refused(problem)
        .with(Section::untitled().text(explained).table(table))
        .with(Section::new("add", "Add a rule").form(form)))
}

fn row(rule: &Rule, may_rise: bool, may_sink: bool) -> Row {
    let path = format!("{PAGE}/{}", rule.id);
    let mut row = Row::new(&rule.text, vec![Cell::Lines(rule.hint.clone())]);
    if may_rise {
        row = row.button(Button::new(format!("{path}/move"), "Up").with("step", "up"));
    }
    if may_sink {
        row = row.button(Button::new(format!("{path}/move"), "Down").with("step", "down"));
    }
    row.link(path.clone(), "Change").negative(format!("{path}/delete"), "Delete")
}

async fn add(app: Data<App>, form: PostedStaff<ManageRules>) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let (actor, new) = (form.actor(), typed.prepared());
    let added = app.write_prepared(new, move |tx, new| rules::add(tx, actor, new)).await;
    match added {
        Ok(_) => Ok(viewer.after(PAGE, "added")),
        Err(error) => layout(viewer, &typed, Some(&Problem::of(error)?)).await?.show(),
    }
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageRules>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let id = record_id(&id)?;
    let rule = app.read(move |conn| rules::find(conn, id)).await?;
    let typed = Typed { text: rule.text, hint: rule.hint };
    rule_layout(Viewer::of(&app, &staff), id, &typed, None).show()
}

fn rule_layout(viewer: Viewer<'_>, id: RuleId, typed: &Typed, problem: Option<&Problem>) -> Layout {
    let form = InputForm::post("rule", format!("{PAGE}/{id}"), "Save");
    let section = Section::untitled().form(typed.fields(form).refused(problem));
    viewer
        .layout(PAGE, "Change a rule")
        .refused(problem)
        .with(section.links(vec![Link::new(PAGE, "All rules")]))
}

async fn change(
    app: Data<App>,
    form: PostedStaff<ManageRules>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let (actor, id, new) = (form.actor(), record_id(&id)?, typed.prepared());
    let changed = app.write_prepared(new, move |tx, new| rules::edit(tx, actor, id, new)).await;
    match changed {
        Ok(()) => Ok(viewer.after(PAGE, "changed")),
        Err(error) => {
            let problem = Problem::of(error)?;
            app.read(move |conn| rules::find(conn, id)).await?;
            rule_layout(viewer, id, &typed, Some(&problem)).show()
        }
    }
}

/// Where a rule moves.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Move {
    step: String,
}

async fn shift(
    app: Data<App>,
    form: PostedStaff<ManageRules>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (actor, id) = (form.actor(), record_id(&id)?);
    let step = match form.posted.decode::<Move>()?.step.as_str() {
        "up" => Step::Up,
        "down" => Step::Down,
        _ => return Err(Domain::validation("Step is not included in the list").into()),
    };
    app.write(move |tx| rules::shift(tx, actor, id, step)).await?;
    Ok(Viewer::posted(&app, &form).after(PAGE, "moved"))
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageRules>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (actor, id) = (form.actor(), record_id(&id)?);
    app.write(move |tx| rules::delete(tx, actor, id)).await?;
    Ok(Viewer::posted(&app, &form).after(PAGE, "deleted"))
}
