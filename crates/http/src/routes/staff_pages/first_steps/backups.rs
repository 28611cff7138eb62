//! The step that explains backups.

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::FirstStep;
use siskin_media::Place;
use siskin_policy::roles::ManageSettings;

use super::{
    super::{
        fields::InputForm,
        layout::{Done, Section, Viewer},
    },
    HAPPENED, complete, page,
};
use crate::{
    pages::{PageError, PageForm},
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PATH: &str = "/admin/first-steps/backups";

pub(super) fn configure(table: &mut Table) {
    table.route(PATH, web::get().to(show)).route(PATH, web::post().to(confirm));
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageSettings>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let content = vec![command(&app), rest()];
    let page = page(Viewer::of(&app, &staff), FirstStep::Backups, None, content).await?;
    page.done(&done, HAPPENED).show()
}

/// Returns the section with the command, and where the database is.
fn command(app: &App) -> Section {
    let section = Section::new("make", "Make a backup").text(
        "Run this command on the machine of the server, as the same user and with the same options \
         as the server. It works while the server runs, and writes posts, accounts, settings and \
         media to one file:",
    );
    let database = app.store().file();
    let database_option = database.map(|file| format!(" --database 'sqlite://{}'", file.display()));
    let place = app.media().storage().place();
    let media_option = match place {
        Place::Folder(folder) => {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
            format!(" --media '{}'", folder.display())
        }
        Place::Bucket(name) => format!(" --s3-bucket '{name}'"),
    };
    let section = section.code(format!(
        "siskin backup{}{media_option} backup.tar.gz",
        database_option.unwrap_or_default()
    ));
    let section = match place {
        Place::Folder(_) => section,
        Place::Bucket(_) => section.text(
            "The command also needs the other options of the bucket (SISKIN_S3_…), with the values \
             that the server has.",
        ),
    };
    match database {
        Some(file) => section
            .text("The database itself is this file. Do not copy it while the server runs:")
            .code(file.display().to_string()),
        None => section.text(
            "The database of this server is on PostgreSQL: name it with --database, as for the \
             server.",
        ),
    }
}

fn rest() -> Section {
    Section::new("keep", "Keep it, and try it")
        .text(
            "Make a backup every day, and keep it on another machine, where only you can read it: \
             it contains the keys of the server and the hashes of all passwords. Restore one into \
             an empty directory before you need it:",
        )
        .code("siskin restore backup.tar.gz --database sqlite://try/siskin.db --media try/media")
        .form(InputForm::post("backups", PATH, "I know how to make backups"))
}

async fn confirm(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
) -> Result<HttpResponse, PageError> {
    complete(Viewer::posted(&app, &form), FirstStep::Backups, FirstStep::Backups.as_str()).await
}
