//! The steps that change settings: name, description, and who may sign up.

use std::slice;

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::FirstStep;
use siskin_policy::roles::ManageSettings;

use super::{
    super::{
        fields::{Field, FieldInput, InputForm},
        layout::{Done, Layout, Link, Section, Viewer},
        settings::{Group, Present, Typed, problem},
    },
    HAPPENED, complete, page, path,
};
use crate::{
    pages::{PageError, PageForm, Problem},
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const NAME: Group = Group { id: "name", title: "Name", entries: &[("site_title", "Name")] };
const DESCRIPTION: Group = Group {
    id: "description",
    title: "Description",
    entries: &[
        ("site_short_description", "Short description"),
        ("site_description", "Description"),
    ],
};
const REGISTRATIONS: Group = Group {
    id: "registrations",
    title: "Sign-up",
    entries: &[
        ("registrations", "Who may sign up"),
        ("registrations_message", "Text while sign-up is closed"),
    ],
};

const FIXED: &str = "The operator has fixed this, so it cannot be changed here.";

pub(super) fn configure(table: &mut Table) {
    table
        .route("/admin/first-steps/name", web::get().to(show_name))
        .route("/admin/first-steps/name", web::post().to(save_name))
        .route("/admin/first-steps/description", web::get().to(show_description))
        .route("/admin/first-steps/description", web::post().to(save_description))
        .route("/admin/first-steps/registrations", web::get().to(show_registrations))
        .route("/admin/first-steps/registrations", web::post().to(save_registrations));
}

type Member = StaffMember<ManageSettings>;
type Form = PostedStaff<ManageSettings>;

async fn show_name(
    app: Data<App>,
    staff: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    show(&app, &staff, FirstStep::Name, &done).await
}

async fn show_description(
    app: Data<App>,
    staff: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    show(&app, &staff, FirstStep::Description, &done).await
}

async fn show_registrations(
    app: Data<App>,
    staff: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    show(&app, &staff, FirstStep::Registrations, &done).await
}

async fn save_name(app: Data<App>, form: Form) -> Result<HttpResponse, PageError> {
    save(&app, &form, FirstStep::Name).await
}

async fn save_description(app: Data<App>, form: Form) -> Result<HttpResponse, PageError> {
    save(&app, &form, FirstStep::Description).await
}

async fn save_registrations(app: Data<App>, form: Form) -> Result<HttpResponse, PageError> {
    save(&app, &form, FirstStep::Registrations).await
}

/// Returns the settings of a step.
const fn group(step: FirstStep) -> &'static Group {
    match step {
        FirstStep::Description => &DESCRIPTION,
        FirstStep::Registrations => &REGISTRATIONS,
        _ => &NAME,
    }
}

async fn show(
    app: &App,
    staff: &Member,
    step: FirstStep,
    done: &Done,
) -> Result<HttpResponse, PageError> {
    layout(Viewer::of(app, staff), step, None).await?.done(done, HAPPENED).show()
}

/// Builds the page of a step. `refused` has what was typed, and why it was refused.
async fn layout(
    viewer: Viewer<'_>,
    step: FirstStep,
    refused: Option<(&Typed, &Problem)>,
) -> Result<Layout, PageError> {
    let (group, present) = (group(step), Present::of(viewer.app));
    let (typed, problem) = refused.unzip();
    let fields = group.fields(&present, typed).into_iter();
    let section = if group.is_fixed(&present) {
        fields.fold(Section::untitled(), with_fixed)
    } else {
        let form = InputForm::post(group.id, path(step), "Save");
        let form = fields.fold(group.remembered(&present, form), InputForm::with);
        Section::untitled().form(form.refused(problem))
    };
    let (elsewhere, words) = match step {
        FirstStep::Description => ("/admin/texts", "Longer texts"),
        _ => ("/admin/settings", "All settings"),
    };
    let section = section.links(vec![Link::new(elsewhere, words)]);
    page(viewer, step, problem, vec![section]).await
}

/// Adds a value that the operator has fixed, with the reason why nothing can be saved.
fn with_fixed(section: Section, field: Field) -> Section {
    let line = match field.input {
        FieldInput::Fixed(value) => format!("{}: {value}", field.label),
        _ => field.label,
    };
    section.lines(vec![line]).text(field.hint)
}

async fn save(app: &App, form: &Form, step: FirstStep) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(app, form), form.posted.decode::<Typed>()?);
    let group = group(step);
    if group.is_fixed(&Present::of(app)) {
        let problem = Problem::with_input(FIXED);
        return layout(viewer, step, Some((&typed, &problem))).await?.show();
    }
    match app.change_settings(form.actor(), group.changes(&typed)).await {
        Ok(()) => complete(viewer, step, step.as_str()).await,
        Err(error) => {
            let problem = problem(error, slice::from_ref(group), &typed, app.fixed_settings())?;
            layout(viewer, step, Some((&typed, &problem))).await?.show()
        }
    }
}

#[cfg(test)]
mod tests {
    use siskin_entities::Settings;
    use siskin_policy::settings::staff_may_change;

    use super::*;

    #[test]
    fn staff_may_change_the_settings_of_all_steps() {
        for step in [FirstStep::Name, FirstStep::Description, FirstStep::Registrations] {
            for (key, _) in group(step).entries {
                assert!(Settings::default().get(key).is_ok() && staff_may_change(key), "{key}");
            }
        }
    }
}
