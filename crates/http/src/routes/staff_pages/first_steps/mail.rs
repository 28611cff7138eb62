//! The step that sends an email as a test.

use actix_web::{
    HttpRequest, HttpResponse, ResponseError as _,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::FirstStep;
use siskin_policy::roles::ManageSettings;
use siskin_services::{Error as Domain, emails, first_steps};

use super::{
    super::{
        fields::InputForm,
        layout::{Done, Layout, Section, Viewer},
    },
    HAPPENED, page,
};
use crate::{
    Error, Result,
    limits::{self, Budget, Subject},
    pages::{PageError, PageForm, Problem},
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PATH: &str = "/admin/first-steps/mail";
const TOO_OFTEN: &str = "Too many emails were requested. Wait a while, then try again.";

pub(super) fn configure(table: &mut Table) {
    table.route(PATH, web::get().to(show)).route(PATH, web::post().to(send));
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageSettings>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    layout(Viewer::of(&app, &staff), None).await?.done(&done, HAPPENED).show()
}

async fn layout(viewer: Viewer<'_>, problem: Option<&Problem>) -> Result<Layout, PageError> {
    let section = match viewer.app.mail() {
        Some(_) => with_mail_server(viewer).await?,
        None => without_mail_server(viewer.app),
    };
    page(viewer, FirstStep::Mail, problem, vec![section]).await
}

/// Returns the section with the button.
async fn with_mail_server(viewer: Viewer<'_>) -> Result<Section, PageError> {
    let (instance, settings) = (viewer.app.instance().clone(), viewer.app.settings());
    let account = viewer.authority.account;
    let write =
        move |conn: &mut _| emails::write_test(conn, &instance, &settings.site_title, account);
    let address = viewer.app.read(write).await?.to;
    let explained = format!(
        "The test goes to your own address, {address}. The mail server may need some seconds to \
         answer."
    );
    let form = InputForm::post("mail", PATH, "Send a test email");
    Ok(Section::untitled().text(explained).form(form))
}

/// Returns the section that says how to configure a mail server.
fn without_mail_server(app: &App) -> Section {
    let domain = app.urls().domain();
    let host = domain.rsplit_once(':').map_or(domain, |(host, _)| host);
    Section::untitled()
        .text(
            "This server has no mail server and sends no email. Start it with the address of one:",
        )
        .code(format!(
            "siskin serve --smtp-url smtps://USER:PASSWORD@mail.{host} --mail-from siskin@{host}"
        ))
        .text("Then come back and send a test email.")
}

async fn send(
    request: HttpRequest,
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    match test_email(&request, viewer).await {
        Ok(()) => {
            app.write(|tx| first_steps::complete(tx, FirstStep::Mail)).await?;
            // The page stays, so that the person can look for the email and send another one.
            Ok(viewer.after(PATH, "sent"))
        }
        Err(error) => layout(viewer, Some(&problem_of(error)?)).await?.show(),
    }
}

async fn test_email(request: &HttpRequest, viewer: Viewer<'_>) -> Result<()> {
    let account = viewer.authority.account;
    limits::spend(request, Budget::Mail, Subject::Account(account))?;
    Ok(viewer.app.send_test_email(account).await?)
}

fn problem_of(error: Error) -> Result<Problem, PageError> {
    match error.domain() {
        // The server itself works, so the status is not that of a fault.
        Domain::ExternalService(words) => Ok(Problem::with_input(words)),
        Domain::TooMany(_) => Ok(Problem::new(error.status_code(), vec![TOO_OFTEN.to_owned()])),
        _ => Err(error.into()),
    }
}
