//! `/settings/profile`: what others see of a person.

use actix_web::{HttpResponse, ResponseError as _, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::{App, Uploads};
use siskin_entities::Account;
use siskin_services::{
    Error as Domain,
    accounts::{
        self,
        profile::{self, Changes, NewField},
    },
};

use crate::{
    Error, Result,
    browser::{Browser, Member, PostedMember},
    pages::{Frame, PageError, PageForm, go_to, show},
    table::Table,
};

const PAGE: &str = "/settings/profile";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(ask)).route(PAGE, web::post().to(save));
}

#[derive(Template)]
#[template(path = "profile.html")]
struct ProfilePage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<String>,
    form: ProfileForm,
    /// As many as there may be, the empty ones last.
    fields: Vec<FieldForm>,
    longest_note: u32,
    profile: String,
}

/// A box that is not ticked is not sent.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent choice of the owner")]
struct ProfileForm {
    display_name: String,
    note: String,
    fields_attributes: Vec<FieldForm>,
    locked: bool,
    bot: bool,
    discoverable: bool,
    indexable: bool,
    hide_collections: bool,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct FieldForm {
    name: String,
    value: String,
}

impl From<&Account> for ProfileForm {
    fn from(account: &Account) -> Self {
        let field = |field: &siskin_entities::Field| FieldForm {
            name: field.name.clone(),
            value: field.value.clone(),
        };
        Self {
            display_name: account.display_name.clone(),
            note: account.note.clone(),
            fields_attributes: account.fields.iter().map(field).collect(),
            locked: account.locked,
            bot: account.bot,
            discoverable: account.discoverable.unwrap_or_default(),
            indexable: account.indexable,
            hide_collections: account.hide_collections,
        }
    }
}

impl From<ProfileForm> for Changes {
    fn from(form: ProfileForm) -> Self {
        let field = |field: FieldForm| NewField { name: field.name, value: field.value };
        Self {
            display_name: Some(form.display_name),
            note: Some(form.note),
            fields: Some(form.fields_attributes.into_iter().map(field).collect()),
            locked: Some(form.locked),
            bot: Some(form.bot),
            discoverable: Some(form.discoverable),
            indexable: Some(form.indexable),
            hide_collections: Some(form.hide_collections),
            ..Self::default()
        }
    }
}

#[derive(Deserialize)]
struct Done {
    #[serde(default)]
    saved: bool,
}

fn page(app: &App, browser: &Browser, form: ProfileForm) -> ProfilePage {
    let settings = app.settings();
    let username = browser.signed_in.as_ref().map_or("", |who| who.username.as_str());
    let rows = usize::try_from(settings.limits_profile_fields).unwrap_or_default();
    let mut fields = form.fields_attributes.clone();
    fields.resize_with(rows.max(fields.len()), FieldForm::default);
    ProfilePage {
        frame: Frame::of(app, browser, "Your profile"),
        done: None,
        problem: None,
        fields,
        form,
        longest_note: settings.max_bio_chars,
        profile: app.urls().profile(username),
    }
}

async fn ask(
    app: web::Data<App>,
    member: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let account = member.who.account;
    let (account, _) = app.read(move |conn| accounts::own(conn, account)).await?;
    let page = page(&app, &member.browser, ProfileForm::from(&*account));
    let done = done.saved.then_some("Your profile is saved.");
    Ok(show(StatusCode::OK, &ProfilePage { done, ..page })?)
}

async fn save(app: web::Data<App>, form: PostedMember) -> Result<HttpResponse, PageError> {
    let typed: ProfileForm = form.posted.decode()?;
    let uploads =
        Uploads { avatar: form.posted.file("avatar")?, header: form.posted.file("header")? };
    let changed = match profile::prepare(&app.settings(), typed.clone().into()) {
        Ok(changes) => app.change_profile(form.who.account, changes, uploads).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(go_to(&app.urls().page(&format!("{PAGE}?saved=1")))),
        Err(Domain::Invalid(problem)) => {
            let status = Error::from(Domain::invalid("")).status_code();
            let page = page(&app, &form.posted.browser, typed);
            Ok(show(status, &ProfilePage { problem: Some(problem), ..page })?)
        }
        Err(error) => Err(error.into()),
    }
}
