//! The steps that change settings: name, description, and who may sign up.

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::{Actor, FirstStep, TextName};
use siskin_policy::roles::ManageSettings;
use siskin_services::{Error as Domain, instance_texts};

use super::{
    super::{
        fields::{Field, InputForm},
        forms::Problem,
        layout::{Done, Layout, Link, Section, Viewer},
        settings::{Group, Typed},
    },
    HAPPENED, complete, page, path,
};
use crate::{
    pages::{PageError, PageForm},
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const NAME: Group = Group { id: "name", title: "Name", entries: &[("site_title", "Name")] };
const DESCRIPTION: Group = Group {
    id: "description",
    title: "Description",
    entries: &[
        ("site_short_description", "Short description"),
        ("site_description", LONG_DESCRIPTION),
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
const LONG_DESCRIPTION: &str = "Description";

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
    let group = group(step);
    let problem = refused.map(|(_, problem)| problem);
    let fields = group.fields(viewer.app, refused.map(|(typed, _)| typed));
    let form = InputForm::post(group.id, path(step), "Save");
    let form = fields.into_iter().map(by_label).fold(form, InputForm::with).refused(problem);
    let (elsewhere, words) = match step {
        FirstStep::Description => ("/admin/texts", "Longer texts"),
        _ => ("/admin/settings", "All settings"),
    };
    let section = Section::untitled().form(form).links(vec![Link::new(elsewhere, words)]);
    page(viewer, step, problem, vec![section]).await
}

/// Shows problems at the field that begin with its label instead of the key of the setting.
fn by_label(field: Field) -> Field {
    let label = field.label.clone();
    field.about(label)
}

async fn save(app: &App, form: &Form, step: FirstStep) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(app, form), form.posted.decode::<Typed>()?);
    let group = group(step);
    let values = group.values(&typed, |key| app.fixed_settings().contains(key));
    let saved = match values.iter().try_for_each(|(key, value)| require_fitting(key, value)) {
        Ok(()) => app.change_settings(Actor::Staff(form.account()), values).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(()) => complete(viewer, step, step.as_str()).await,
        Err(error) => {
            let problem = named(Problem::of(error)?, group);
            layout(viewer, step, Some((&typed, &problem))).await?.show()
        }
    }
}

/// Checks the description as a text about the server, which has a limit.
fn require_fitting(key: &str, value: &str) -> Result<(), Domain> {
    if key != "site_description" {
        return Ok(());
    }
    match instance_texts::prepare(TextName::Description, value, None) {
        Err(Domain::Invalid(words)) => {
            Err(Domain::Invalid(words.replacen("The text", LONG_DESCRIPTION, 1)))
        }
        checked => checked.map(drop),
    }
}

/// Lets the sentence begin with the label of the field instead of the key of the setting.
fn named(problem: Problem, group: &Group) -> Problem {
    let with_label = group.entries.iter().find_map(|(key, label)| {
        let (beginning, rest) = problem.words.split_at_checked(key.len())?;
        let is_about = beginning.eq_ignore_ascii_case(key) && rest.starts_with([' ', ':']);
        is_about.then(|| format!("{label}{rest}"))
    });
    Problem { words: with_label.unwrap_or(problem.words), ..problem }
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

    #[test]
    fn problems_name_the_field() {
        let words = |words: &str, group| named(Problem::with_input(words), group).words;
        let title = Settings::default().set("site_title", " ").unwrap_err().to_string();
        assert_eq!(words(&title, &NAME), "Name must be a text that is not empty");
        assert_eq!(words("Site_title is wrong.", &NAME), "Name is wrong.");
        assert_eq!(words("Something else.", &NAME), "Something else.");
        assert_eq!(words("é", &DESCRIPTION), "é");
        let of_the_text = words("Registrations_message is wrong.", &REGISTRATIONS);
        assert_eq!(of_the_text, "Text while sign-up is closed is wrong.");
    }

    #[test]
    fn the_description_has_a_limit() {
        let long = "x".repeat(100_000);
        assert!(require_fitting("site_title", &long).is_ok());
        let refused = require_fitting("site_description", &long).unwrap_err().to_string();
        assert!(refused.starts_with("Description has at most"), "{refused}");
        assert!(require_fitting("site_description", "Birds").is_ok());
    }
}
