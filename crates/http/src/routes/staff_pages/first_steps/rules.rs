//! The step that writes rules.

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::FirstStep;
use siskin_policy::roles::ManageRules;
use siskin_services::{first_steps, rules};

use super::{
    super::{
        fields::InputForm,
        layout::{Done, Layout, Link, Section, Viewer},
        rules::Typed,
    },
    HAPPENED, page, require,
};
use crate::{
    pages::{PageError, PageForm, Problem},
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PATH: &str = "/admin/first-steps/rules";

pub(super) fn configure(table: &mut Table) {
    table.route(PATH, web::get().to(show)).route(PATH, web::post().to(add));
}

async fn show(
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
    let present = (!found.is_empty()).then(|| {
        let change = Link::new("/admin/rules", "Change, sort or delete them");
        let texts = found.into_iter().map(|rule| rule.text).collect();
        Section::new("present", "Present rules").lines(texts).links(vec![change])
    });
    let form = typed.fields(InputForm::post("rule", PATH, "Add the rule")).refused(problem);
    let new = Section::new("add", "Add a rule").form(form);
    let content = present.into_iter().chain([new]).collect();
    page(viewer, FirstStep::Rules, problem, content).await
}

async fn add(app: Data<App>, form: PostedStaff<ManageRules>) -> Result<HttpResponse, PageError> {
    require(form.authority, FirstStep::Rules)?;
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let (actor, new) = (form.actor(), typed.prepared());
    let added = app.write_prepared(new, move |tx, new| {
        rules::add(tx, actor, new)?;
        first_steps::complete(tx, FirstStep::Rules)
    });
    match added.await {
        // Most servers have several rules, so the page stays.
        Ok(()) => Ok(viewer.after(PATH, "rule")),
        Err(error) => layout(viewer, &typed, Some(&Problem::of(error)?)).await?.show(),
    }
}
