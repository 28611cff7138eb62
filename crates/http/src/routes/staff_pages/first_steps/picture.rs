//! The step that uploads the picture of the server.

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::{FirstStep, InstancePicture};
use siskin_policy::{limits::MAX_IMAGE_BYTES, roles::ManageSettings};
use siskin_services::{Error as Domain, instance_picture};

use super::{
    super::{
        fields::{Field, FieldInput, InputForm},
        layout::{Done, Layout, Picture, Section, Viewer},
    },
    HAPPENED, complete, page,
};
use crate::{
    pages::{PageError, PageForm, Problem},
    pictures,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PATH: &str = "/admin/first-steps/picture";
const REMOVE: &str = "/admin/first-steps/picture/remove";
/// Width and height of the picture on the page: half of the stored size.
const SHOWN: (u32, u32) = (600, 315);

pub(super) fn configure(table: &mut Table) {
    table
        .route(PATH, web::get().to(show))
        .route(PATH, web::post().to(save))
        .route(REMOVE, web::post().to(remove));
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageSettings>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    layout(Viewer::of(&app, &staff), None).await?.done(&done, HAPPENED).show()
}

async fn layout(viewer: Viewer<'_>, problem: Option<&Problem>) -> Result<Layout, PageError> {
    let picture = viewer.app.read(instance_picture::find).await?;
    let shown = picture.as_ref().map(|picture| present(viewer.app, picture));
    let content = shown.into_iter().chain([Section::untitled().form(form(problem))]);
    page(viewer, FirstStep::Picture, problem, content.collect()).await
}

/// Returns the section with the present picture.
fn present(app: &App, picture: &InstancePicture) -> Section {
    let shown = Picture {
        address: app.urls().file(&picture.thumbnail.file),
        words: "The picture of this server",
        width: SHOWN.0,
        height: SHOWN.1,
    };
    let removal = InputForm::post("remove", REMOVE, "Remove the picture").negative();
    Section::new("present", "Present picture").picture(shown).form(removal)
}

fn form(problem: Option<&Problem>) -> InputForm {
    let megabytes = MAX_IMAGE_BYTES / (1024 * 1024);
    let hint = format!(
        "PNG, GIF, JPEG or WebP of at most {megabytes} MB, best with 2400 × 1260 pixels. The edges \
         are cut off where they do not fit; apps also show the middle as a square."
    );
    let file = Field::new("image", "Picture", FieldInput::File("image/*"));
    InputForm::post("picture", PATH, "Save")
        .with(file.about("The picture").hint(hint))
        .refused(problem)
}

async fn save(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let _permit = pictures::acquire_permit().await?;
    let saved = match form.posted.file("image").await? {
        Some(file) => app.set_instance_picture(form.actor(), file).await,
        None => Err(Domain::validation("The picture can't be blank")),
    };
    match saved {
        Ok(()) => complete(viewer, FirstStep::Picture, "picture").await,
        Err(error) => layout(viewer, Some(&Problem::of(error)?)).await?.show(),
    }
}

async fn remove(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
) -> Result<HttpResponse, PageError> {
    let actor = form.actor();
    app.write(move |tx| instance_picture::remove(tx, actor)).await?;
    Ok(Viewer::posted(&app, &form).after(PATH, "removed"))
}
