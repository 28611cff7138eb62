//! `/admin/warning-presets`: texts that the moderators use again in warnings.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::WarningPreset;
use siskin_ids::WarningPresetId;
use siskin_policy::{limits::MAX_STRIKE_CHARS, roles::ManageSettings};
use siskin_services::{
    Error as Domain,
    warning_presets::{self, NewPreset},
};
use siskin_text::isolate;

use super::{
    confirm::Confirmation,
    fields::{Field, InputForm, unix_lines},
    layout::{Confirmed, Done, Layout, Link, Section, Viewer},
    rows::{Cell, DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm, Problem},
    params::record_id,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/warning-presets";
const HAPPENED: &[(&str, &str)] = &[
    ("added", "The text was added."),
    ("changed", "The text was changed."),
    ("deleted", "The text was deleted."),
];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(add))
        .route("/admin/warning-presets/{id}", web::get().to(show))
        .route("/admin/warning-presets/{id}", web::post().to(change))
        .route("/admin/warning-presets/{id}/delete", web::post().to(delete));
}

/// The submitted form.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Typed {
    title: String,
    text: String,
}

impl Typed {
    fn prepared(&self) -> Result<NewPreset, Domain> {
        warning_presets::prepare(&self.title, &unix_lines(&self.text))
    }

    fn fields(&self, form: InputForm) -> InputForm {
        let hint = format!(
            "A warned account reads it, and what the moderator adds below. At most \
             {MAX_STRIKE_CHARS} characters together."
        );
        form.with(
            Field::text("title", "Title", &self.title)
                .hint("For moderators only. It may be empty."),
        )
        .with(Field::lines("text", "Text", 6, &self.text).hint(hint))
    }
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageSettings>,
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
    let found = viewer.app.read(warning_presets::list).await?;
    let table = DataTable::new("Prepared texts", &["Title", "Text"], "There are no texts.")
        .rows(found.iter().map(row));
    let form = typed.fields(InputForm::post("preset", PAGE, "Add the text")).refused(problem);
    let explained = "Moderators choose one of these texts when they warn or restrict an account. \
                     Changes do not affect warnings that were sent.";
    Ok(viewer
        .layout(PAGE, "Prepared texts for warnings")
        .refused(problem)
        .with(Section::untitled().text(explained).table(table))
        .with(Section::new("add", "Add a text").form(form)))
}

fn row(preset: &WarningPreset) -> Row {
    let path = format!("{PAGE}/{}", preset.id);
    let name = isolate(&warning_presets::name(preset));
    Row::new(name, vec![Cell::Lines(preset.text.clone())])
        .link(path.clone(), "Change")
        .negative(format!("{path}/delete"), "Delete")
}

async fn add(app: Data<App>, form: PostedStaff<ManageSettings>) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let (actor, new) = (form.actor(), typed.prepared());
    let added = app.write_prepared(new, move |tx, new| warning_presets::add(tx, actor, new)).await;
    match added {
        Ok(_) => Ok(viewer.after(PAGE, "added")),
        Err(error) => layout(viewer, &typed, Some(&Problem::of(error)?)).await?.show(),
    }
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageSettings>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let id: WarningPresetId = record_id(&id)?;
    let preset = app.read(move |conn| warning_presets::find(conn, id)).await?;
    let typed = Typed { title: preset.title, text: preset.text };
    preset_layout(Viewer::of(&app, &staff), id, &typed, None).show()
}

fn preset_layout(
    viewer: Viewer<'_>,
    id: WarningPresetId,
    typed: &Typed,
    problem: Option<&Problem>,
) -> Layout {
    let form = InputForm::post("preset", format!("{PAGE}/{id}"), "Save");
    let section = Section::untitled().form(typed.fields(form).refused(problem));
    viewer
        .layout(PAGE, "Change a prepared text")
        .refused(problem)
        .with(section.links(vec![Link::new(PAGE, "All prepared texts")]))
}

async fn change(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let (actor, id, new) = (form.actor(), record_id(&id)?, typed.prepared());
    let changed =
        app.write_prepared(new, move |tx, new| warning_presets::edit(tx, actor, id, new)).await;
    match changed {
        Ok(()) => Ok(viewer.after(PAGE, "changed")),
        Err(error) => {
            let problem = Problem::of(error)?;
            app.read(move |conn| warning_presets::find(conn, id)).await?;
            preset_layout(viewer, id, &typed, Some(&problem)).show()
        }
    }
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, Confirmed { confirmed }) = (Viewer::posted(&app, &form), form.posted.decode()?);
    let (actor, id): (_, WarningPresetId) = (form.actor(), record_id(&id)?);
    if !confirmed {
        let preset = app.read(move |conn| warning_presets::find(conn, id)).await?;
        let page = Confirmation {
            frame: viewer.frame(PAGE, "Delete the prepared text?"),
            words: "Warnings that were sent keep it. This cannot be undone.".to_owned(),
            names: vec![warning_presets::name(&preset).into()],
            action: format!("{PAGE}/{id}/delete"),
            fields: Vec::new(),
            button: "Delete the text".to_owned(),
            back: PAGE.to_owned(),
        };
        return Ok(page.show()?);
    }
    app.write(move |tx| warning_presets::delete(tx, actor, id)).await?;
    Ok(viewer.after(PAGE, "deleted"))
}
