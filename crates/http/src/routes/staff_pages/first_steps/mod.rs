//! `/admin/first-steps`: leads the owner of a new server through its set-up. Each step has a page,
//! can be skipped, and can be found again.

mod backups;
mod mail;
mod picture;
mod rules;
mod settings;

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{FirstStep, StepState};
use siskin_policy::{
    first_steps::includes,
    roles::{Authority, ManageSettings},
};
use siskin_services::{Error as Domain, first_steps};

use super::{
    fields::InputForm,
    layout::{Done, Layout, Link, Section, StepLink, Viewer},
    rows::{Cell, DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm, Problem},
    params::chosen,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/first-steps";
const SKIP: &str = "/admin/first-steps/skip";
const HAPPENED: &[(&str, &str)] = &[
    ("name", "The name was saved."),
    ("description", "The description was saved."),
    ("picture", "The picture was saved."),
    ("removed", "The picture was removed."),
    ("rule", "The rule was added."),
    ("registrations", "It was saved who may sign up."),
    ("backups", "The step about backups is done."),
    ("sent", "The mail server accepted the email. Look whether it arrived, also among the spam."),
    ("skipped", "Skipped. You find it again under “First steps”."),
];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(SKIP, web::post().to(skip))
        .configure(settings::configure)
        .configure(picture::configure)
        .configure(rules::configure)
        .configure(mail::configure)
        .configure(backups::configure);
}

/// Returns the title of a step, and what it is for.
const fn words(step: FirstStep) -> (&'static str, &'static str) {
    match step {
        FirstStep::Name => {
            ("Name", "People see the name of the server in their apps, on pages and in emails.")
        }
        FirstStep::Description => (
            "Description",
            "Visitors read what the server is about before they sign up. Apps show the short text, \
             pages both.",
        ),
        FirstStep::Picture => ("Picture", "Apps show it beside the name of the server."),
        FirstStep::Rules => {
            ("Rules", "People accept the rules when they sign up, and name them in reports.")
        }
        FirstStep::Registrations => (
            "Sign-up",
            "Decide who may create an account. You can change it at any time, and always invite \
             people.",
        ),
        FirstStep::Mail => (
            "Email",
            "With a mail server, people can confirm their addresses and reset a forgotten \
             password.",
        ),
        FirstStep::Backups => {
            ("Backups", "A disk can fail at any time. A backup brings everything back.")
        }
    }
}

fn path(step: FirstStep) -> String {
    format!("{PAGE}/{}", step.as_str())
}

/// The steps that the role of a member of staff includes, with their states.
struct Steps(Vec<(FirstStep, StepState)>);

impl Steps {
    async fn load(viewer: Viewer<'_>) -> Result<Self, PageError> {
        let (settings, authority) = (viewer.app.settings(), viewer.authority);
        let load = move |conn: &mut _| first_steps::list(conn, &settings, authority);
        Ok(Self(viewer.app.read(load).await?))
    }

    fn state(&self, step: FirstStep) -> Option<StepState> {
        self.0.iter().find(|(known, _)| *known == step).map(|(_, state)| *state)
    }

    /// Returns the first step that is left.
    fn next(&self) -> Option<FirstStep> {
        self.0.iter().find(|(_, state)| *state == StepState::Open).map(|(step, _)| *step)
    }

    fn links(&self, current: FirstStep) -> Vec<StepLink> {
        let link = |(step, state): &(FirstStep, StepState)| StepLink {
            path: path(*step),
            words: words(*step).0,
            mark: match state {
                StepState::Open => "",
                StepState::Skipped => "Skipped",
                StepState::Done => "Done",
            },
            current: *step == current,
        };
        self.0.iter().map(link).collect()
    }

    fn table(&self) -> DataTable {
        let row = |(step, state): &(FirstStep, StepState)| {
            let (title, purpose) = words(*step);
            let tags = Cell::tags(&[
                (*state == StepState::Open, "To do"),
                (*state == StepState::Skipped, "Skipped"),
                (*state == StepState::Done, "Done"),
            ]);
            Row::new(title, vec![Cell::text(purpose), tags]).linked(path(*step))
        };
        DataTable::new("Steps", &["Step", "Purpose", "State"], "There are no steps.")
            .rows(self.0.iter().map(row))
    }
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageSettings>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::of(&app, &staff);
    let steps = Steps::load(viewer).await?;
    let explained = "These steps make the server ready for others. Take them in any order, skip \
                     what you do not need, and come back at any time.";
    // On a phone, the list is long: the way to begin stands above it.
    let (onward, rest) = match steps.next() {
        Some(next) => {
            let skip = InputForm::post("skip", SKIP, "Skip all that is left");
            let rest = Section::untitled().form(InputForm { class: "plain", ..skip });
            (Link::new(path(next), format!("Next: {}", words(next).0)), Some(rest))
        }
        None => (Link::new("/", "Look at the front page"), None),
    };
    viewer
        .layout(PAGE, "First steps")
        .done(&done, HAPPENED)
        .with(Section::untitled().text(explained).links(vec![onward]).table(steps.table()))
        .with_some(rest)
        .show()
}

/// Begins the page of a step with its content.
///
/// # Errors
/// [`Domain::NotFound`] if the role does not include the step.
async fn page(
    viewer: Viewer<'_>,
    step: FirstStep,
    problem: Option<&Problem>,
    content: Vec<Section>,
) -> Result<Layout, PageError> {
    let steps = Steps::load(viewer).await?;
    let state = steps.state(step).ok_or(Domain::NotFound)?;
    let (title, purpose) = words(step);
    let layout = viewer
        .layout(PAGE, format!("First steps: {title}"))
        .refused(problem)
        .steps(steps.links(step))
        .with(Section::untitled().text(purpose));
    let layout = content.into_iter().fold(layout, Layout::with);
    Ok(layout.with(onward(viewer.authority, step, state)))
}

/// Returns the section that leads to the next step, and skips this one if it is left.
fn onward(authority: Authority, step: FirstStep, state: StepState) -> Section {
    let section = Section::new("onward", "Go on");
    let all = Link::new(PAGE, "All steps");
    if state == StepState::Open {
        let skip = InputForm::post("skip", SKIP, "Skip this step").hidden("step", step.as_str());
        return section.form(InputForm { class: "plain", ..skip }).links(vec![all]);
    }
    let next = following(authority, step).map(|next| {
        let words = format!("Next step: {}", words(next).0);
        Link::new(path(next), words)
    });
    section.links(next.into_iter().chain([all]).collect())
}

/// Returns the step after this one. `None` after the last.
fn following(authority: Authority, step: FirstStep) -> Option<FirstStep> {
    let mut later = FirstStep::ALL.into_iter().filter(|other| *other > step);
    later.find(|other| includes(authority, *other))
}

/// Returns the path of the page after a step: the next step, or after the last one the list.
fn next_page(authority: Authority, step: FirstStep) -> String {
    following(authority, step).map_or_else(|| PAGE.to_owned(), path)
}

/// Checks that the role includes a step.
fn require(authority: Authority, step: FirstStep) -> Result<(), Domain> {
    if includes(authority, step) { Ok(()) } else { Err(Domain::NotFound) }
}

/// Records that a step was done, and leads to the next one. The page there says what happened by
/// `done`.
async fn complete(
    viewer: Viewer<'_>,
    step: FirstStep,
    done: &str,
) -> Result<HttpResponse, PageError> {
    viewer.app.write(move |tx| first_steps::complete(tx, step)).await?;
    Ok(viewer.after(&next_page(viewer.authority, step), done))
}

/// The step to skip; all steps if there is none.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Skip {
    step: Option<String>,
}

async fn skip(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
) -> Result<HttpResponse, PageError> {
    let (viewer, authority) = (Viewer::posted(&app, &form), form.authority);
    let typed = form.posted.decode::<Skip>()?;
    let (steps, next) = match chosen(typed.step.as_deref()) {
        Some(name) => {
            let step = FirstStep::from_name(name).ok_or(Domain::NotFound)?;
            require(authority, step)?;
            (vec![step], next_page(authority, step))
        }
        None => {
            let included = FirstStep::ALL.into_iter().filter(|step| includes(authority, *step));
            (included.collect(), PAGE.to_owned())
        }
    };
    app.write(move |tx| first_steps::skip(tx, &steps)).await?;
    Ok(viewer.after(&next, "skipped"))
}

#[cfg(test)]
mod tests {
    use siskin_ids::AccountId;
    use siskin_policy::roles::Permission;

    use super::*;

    fn authority(permissions: &[Permission]) -> Authority {
        let permissions = permissions.iter().copied().collect();
        Authority { account: AccountId::new(1), permissions, priority: 1 }
    }

    #[test]
    fn a_step_leads_to_the_next_one_that_the_role_includes() {
        let owner = authority(&[Permission::Administrator]);
        assert_eq!(next_page(owner, FirstStep::Name), "/admin/first-steps/description");
        assert_eq!(next_page(owner, FirstStep::Picture), "/admin/first-steps/rules");
        assert_eq!(next_page(owner, FirstStep::Backups), PAGE);
        let other = authority(&[Permission::ManageSettings]);
        assert_eq!(next_page(other, FirstStep::Picture), "/admin/first-steps/registrations");
        assert!(require(other, FirstStep::Rules).is_err());
        assert!(require(other, FirstStep::Mail).is_ok());
    }

    #[test]
    fn the_first_step_that_is_left_comes_next() {
        let mut steps = Steps(FirstStep::ALL.map(|step| (step, StepState::Open)).to_vec());
        assert_eq!(steps.next(), Some(FirstStep::Name));
        steps.0[0].1 = StepState::Done;
        steps.0[1].1 = StepState::Skipped;
        assert_eq!(steps.next(), Some(FirstStep::Picture));
        let marks: Vec<&str> =
            steps.links(FirstStep::Name).iter().take(3).map(|link| link.mark).collect();
        assert_eq!(marks, ["Done", "Skipped", ""]);
    }
}
