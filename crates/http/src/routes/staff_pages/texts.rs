//! `/admin/texts`: the texts about the server. They are written in Markdown, except for the
//! description, and can be looked at before they are published.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{SourceText, TextName, Timestamp, time::Date};
use siskin_policy::{roles::ManageSettings, terms::has_begun};
use siskin_services::{
    Error as Domain,
    instance_texts::{self, TextChange},
    settings::is_same_value,
};

use super::{
    fields::{Field, InputForm, unix_lines},
    layout::{Done, Layout, Link, Section, Viewer},
    rows::{Cell, DataTable, Row},
};
use crate::{
    pages::{Moment, PageError, PageForm, Problem},
    params::chosen,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/texts";
const HAPPENED: &[(&str, &str)] =
    &[("saved", "The text was published."), ("removed", "The text was removed.")];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route("/admin/texts/{name}", web::get().to(show))
        .route("/admin/texts/{name}", web::post().to(save))
        .route("/admin/texts/{name}/preview", web::post().to(preview))
        .route("/admin/texts/{name}/remove", web::post().to(remove));
}

/// Returns the title of a text, and what it is for.
const fn words(name: TextName) -> (&'static str, &'static str) {
    match name {
        TextName::Description => {
            ("Description", "Some sentences about the server, plain text. Apps show them.")
        }
        TextName::ExtendedDescription => {
            ("Extended description", "The page about the server shows it. Markdown.")
        }
        TextName::PrivacyPolicy => (
            "Privacy policy",
            "Says what the server stores about people. Markdown. Without a text of yours, the one \
             that comes with the program is shown.",
        ),
        TextName::TermsOfService => (
            "Terms of service",
            "People agree to them when they sign up. Markdown. Each version has the day from which \
             it applies.",
        ),
    }
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageSettings>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let row = |name: TextName| {
        let (title, purpose) = words(name);
        Row::new(title, vec![Cell::text(purpose)]).linked(path(name))
    };
    let table = DataTable::new("Texts", &["Text", "Purpose"], "There are no texts.")
        .rows(TextName::ALL.map(row));
    Viewer::of(&app, &staff)
        .layout(PAGE, "Texts")
        .done(&done, HAPPENED)
        .with(Section::untitled().table(table))
        .show()
}

fn path(name: TextName) -> String {
    format!("{PAGE}/{}", name.as_str())
}

fn text_name(name: &str) -> Result<TextName, Domain> {
    TextName::from_name(name).ok_or(Domain::NotFound)
}

/// Which version of the terms of service is shown.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct VersionQuery {
    effective_date: Option<String>,
    /// Begins a new version.
    new: bool,
}

/// The submitted form.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Typed {
    text: String,
    effective_date: String,
    /// Whether all users get an email about the version of the terms.
    send_email_notification: bool,
    /// The stored text that the page showed, so that a person learns if others have changed it
    /// since. Empty if nothing was stored.
    shown_text: Option<String>,
    /// First day of the shown text.
    shown_date: String,
}

impl Typed {
    /// Returns the form with a text.
    fn of(source: &SourceText, now: Timestamp) -> Self {
        let date = source.effective_date.map(|it| it.to_string()).unwrap_or_default();
        Self {
            text: source.text.clone(),
            // A version that applies cannot change: what staff write from it is a new one.
            send_email_notification: source.announced_at.is_none() || applies(source, now),
            shown_text: Some(stored(source).to_owned()),
            shown_date: date.clone(),
            effective_date: date,
        }
    }

    /// Returns the form without a text.
    fn blank() -> Self {
        let shown_text = Some(String::new());
        Self { send_email_notification: true, shown_text, ..Self::default() }
    }

    /// Checks the text. Rendering a long one takes a while.
    async fn change(&self, name: TextName) -> Result<TextChange, Domain> {
        let (text, date) = (unix_lines(&self.text), self.date()?);
        let prepare = move || instance_texts::prepare(name, &text, date);
        let change = web::block(prepare).await.map_err(Domain::internal)??;
        Ok(change.announced(self.send_email_notification).replacing(self.known()))
    }

    /// Returns the stored text that the change replaces, as the person knows it: none with another
    /// first day than the shown one. `None` if the form does not say it.
    fn known(&self) -> Option<String> {
        let is_shown = self.effective_date.trim() == self.shown_date;
        self.shown_text.as_ref().map(|text| if is_shown { text.clone() } else { String::new() })
    }

    fn date(&self) -> Result<Option<Date>, Domain> {
        let Some(text) = chosen(Some(self.effective_date.trim())) else { return Ok(None) };
        let wrong = || Domain::validation("First day must be a date such as 2026-12-24");
        Ok(Some(Date::parse(text).ok_or_else(wrong)?))
    }
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageSettings>,
    name: Path<String>,
    PageForm(query): PageForm<VersionQuery>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let name = text_name(&name)?;
    let date = chosen(query.effective_date.as_deref());
    let date = date.map(|text| Date::parse(text).ok_or(Domain::NotFound)).transpose()?;
    let source = source(&app, name, date).await?;
    if date.is_some() && source.is_none() {
        return Err(Domain::NotFound.into());
    }
    let source = source.filter(|_| !query.new);
    let typed = source.as_ref().map_or_else(Typed::blank, |source| Typed::of(source, app.now()));
    let shown = Shown { source, ..Shown::default() };
    let layout = layout(Viewer::of(&app, &staff), name, &typed, shown).await?;
    layout.done(&done, HAPPENED).show()
}

/// Loads a text, or this version of the terms. `None` if there is none.
async fn source(
    app: &App,
    name: TextName,
    date: Option<Date>,
) -> Result<Option<SourceText>, PageError> {
    let (settings, urls, now) = (app.settings(), app.urls().clone(), app.now());
    let load = move |conn: &mut _| instance_texts::source(conn, &settings, &urls, name, date, now);
    match app.read(load).await {
        Ok(source) => Ok(Some(source)),
        Err(Domain::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns what is stored of a text. That is empty while visitors see the default.
fn stored(source: &SourceText) -> &str {
    if source.is_default { "" } else { &source.text }
}

/// What a page shows besides the form.
#[derive(Default)]
struct Shown {
    /// The stored text, which can be removed.
    source: Option<SourceText>,
    /// The typed text as visitors would see it, HTML.
    preview: Option<String>,
    /// The present text, if others have changed it since the person saw it.
    now: Option<String>,
    problem: Option<Problem>,
}

async fn layout(
    viewer: Viewer<'_>,
    name: TextName,
    typed: &Typed,
    shown: Shown,
) -> Result<Layout, PageError> {
    let (title, purpose) = words(name);
    let versions = match name {
        TextName::TermsOfService => source(viewer.app, name, None).await?.map(|it| it.versions),
        _ => None,
    };
    let form = form(name, typed, shown.now, shown.problem.as_ref());
    let preview = shown.preview.map(|html| Section::new("preview", "Preview").document(html));
    let editor = Section::new("edit", "Text").text(purpose);
    let editor = match shown.source.as_ref().and_then(state) {
        Some(state) => editor.text(state),
        None => editor,
    };
    Ok(viewer
        .layout(PAGE, title)
        .refused(shown.problem.as_ref())
        .with_some(versions.map(|versions| versions_section(name, &versions)))
        .with_some(preview)
        .with(editor.form(form))
        .with_some(shown.source.as_ref().and_then(|source| removal(source, viewer.app.now())))
        .with(Section::untitled().links(vec![Link::new(PAGE, "All texts")])))
}

/// Returns `true` for a version of the terms that applies, or applied before.
fn applies(source: &SourceText, now: Timestamp) -> bool {
    source.effective_date.is_some_and(|date| has_begun(date, now))
}

/// Returns sentences about the stored text.
fn state(source: &SourceText) -> Option<String> {
    let day = |at| Moment::of_day(at).spoken;
    match (source.updated_at, source.announced_at) {
        _ if source.is_default => Some("You have not written a text of your own yet.".to_owned()),
        (Some(at), Some(announced)) => Some(format!(
            "Last changed on {}. Emails to users began on {}.",
            day(at),
            day(announced)
        )),
        (Some(at), None) => Some(format!("Last changed on {}.", day(at))),
        (None, _) => None,
    }
}

fn form(
    name: TextName,
    typed: &Typed,
    now: Option<String>,
    problem: Option<&Problem>,
) -> InputForm {
    let rows = if name == TextName::Description { 6 } else { 20 };
    let form = InputForm::post("text", path(name), "Publish")
        .other(format!("{}/preview", path(name)), "Preview");
    let form = match &typed.shown_text {
        Some(text) => form.hidden("shown_text", text).hidden("shown_date", &typed.shown_date),
        None => form,
    };
    let form = match name {
        TextName::TermsOfService => form.with(
            Field::typed("date", "effective_date", "First day", &typed.effective_date)
                .hint("From this day (UTC) on these terms apply."),
        ),
        _ => form,
    };
    // The description is a setting, which the operator may have fixed.
    let text = Field::lines("text", "Text", rows, &typed.text).about("The text");
    let form = form.with(Field { now, ..text.about("site_description") });
    let form = match name {
        TextName::TermsOfService => form.with(
            Field::check(
                "send_email_notification",
                "Send an email to all users",
                typed.send_email_notification,
            )
            .hint("They cannot choose not to get it. Sending takes about a minute for 100 users."),
        ),
        _ => form,
    };
    form.refused(problem)
}

fn versions_section(name: TextName, versions: &[Date]) -> Section {
    let link = |date: &Date| {
        let path = format!("{}?effective_date={date}", path(name));
        Link::new(path, format!("From {}", Moment::of_day(date.0).spoken))
    };
    let mut links: Vec<Link> = versions.iter().rev().map(link).collect();
    links.push(Link::new(format!("{}?new=1", path(name)), "Write another version"));
    Section::new("versions", "Versions").links(links)
}

/// Returns the section that removes a stored text. `None` if it cannot be removed.
fn removal(source: &SourceText, now: Timestamp) -> Option<Section> {
    if source.is_default || source.text.is_empty() || applies(source, now) {
        return None;
    }
    let action = format!("{}/remove", path(source.name));
    let form = InputForm::post("remove", action, "Remove the text").negative();
    let (form, words) = match (source.effective_date, source.name) {
        (Some(date), _) => (
            form.hidden("effective_date", date.to_string()),
            "Only terms that do not apply yet can be removed.",
        ),
        (None, TextName::PrivacyPolicy) => {
            (form, "Visitors then see the text that comes with the program.")
        }
        (None, _) => (form, "Visitors then see no text."),
    };
    Some(Section::new("remove", "Remove the text").text(words).form(form))
}

async fn save(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
    name: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let name = text_name(&name)?;
    let saved = match typed.change(name).await {
        Ok(change) => app.change_text(form.actor(), change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(viewer.after(&version_path(name, &typed.effective_date), "saved")),
        Err(error) => {
            let problem = Some(Problem::of(error)?);
            let (typed, now) = with_present(&app, name, typed).await?;
            let shown = Shown { now, problem, ..Shown::default() };
            layout(viewer, name, &typed, shown).await?.show()
        }
    }
}

/// Returns a refused form with the present text, if others have changed that since the person saw
/// it, and not to what the person wants. The page shows it, so the next attempt replaces it.
async fn with_present(
    app: &App,
    name: TextName,
    typed: Typed,
) -> Result<(Typed, Option<String>), PageError> {
    let (Some(known), Ok(date)) = (typed.known(), typed.date()) else { return Ok((typed, None)) };
    let source = match (name, date) {
        // Each version of the terms has a first day.
        (TextName::TermsOfService, None) => return Ok((typed, None)),
        _ => source(app, name, date).await?,
    };
    let present = source.as_ref().map(stored).unwrap_or_default();
    if is_same_value(&known, present) || is_same_value(typed.text.trim_end(), present) {
        return Ok((typed, None));
    }
    let now = if present.is_empty() { "Nothing" } else { present };
    let shown_date = typed.effective_date.trim().to_owned();
    let typed = Typed { shown_text: Some(present.to_owned()), shown_date, ..typed };
    Ok((typed, Some(now.to_owned())))
}

/// Returns the path of a text, or of this version of it.
fn version_path(name: TextName, date: &str) -> String {
    match Date::parse(date.trim()) {
        Some(date) => format!("{}?effective_date={date}", path(name)),
        None => path(name),
    }
}

/// Shows a text as visitors would see it. Changes nothing.
async fn preview(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
    name: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let name = text_name(&name)?;
    let shown = match typed.change(name).await {
        Ok(change) => {
            let html = web::block(move || change.html()).await.map_err(Domain::internal)?;
            Shown { preview: Some(html), ..Shown::default() }
        }
        Err(error) => Shown { problem: Some(Problem::of(error)?), ..Shown::default() },
    };
    layout(viewer, name, &typed, shown).await?.show()
}

async fn remove(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
    name: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let name = text_name(&name)?;
    let prepared = typed.date().and_then(|date| instance_texts::prepare_removal(name, date));
    let removed = match prepared {
        Ok(change) => app.change_text(form.actor(), change).await,
        Err(error) => Err(error),
    };
    match removed {
        Ok(_) => Ok(viewer.after(PAGE, "removed")),
        Err(error) => {
            let problem = Some(Problem::of(error)?);
            let date = Date::parse(&typed.effective_date);
            let source = source(&app, name, date).await?;
            let typed = source.as_ref().map_or(typed, |source| Typed::of(source, app.now()));
            let shown = Shown { source, problem, ..Shown::default() };
            layout(viewer, name, &typed, shown).await?.show()
        }
    }
}
