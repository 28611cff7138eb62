//! `/settings/profile`: the public profile.

use actix_web::{HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::{App, Uploads};
use siskin_entities::Account;
use siskin_services::accounts::{
    self,
    profile::{self, Changes, NewField, PictureSlot},
};
use siskin_wire::account::render;

use crate::{
    browser::{Browser, Member, PostedMember},
    pages::{Frame, PageError, PageForm, Problem, go_to, show},
    pictures,
    table::Table,
};

const PAGE: &str = "/settings/profile";
/// Labels of fields, after the beginnings of messages about them.
const LABELS: &[(&str, &str)] =
    &[("Note", "About you"), ("Avatar", "New avatar"), ("Header", "New header")];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(show_form))
        .route(PAGE, web::post().to(save))
        .route("/settings/profile/avatar/remove", web::post().to(remove_avatar))
        .route("/settings/profile/header/remove", web::post().to(remove_header));
}

#[derive(Template)]
#[template(path = "profile.html")]
struct ProfilePage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<String>,
    form: ProfileForm,
    /// The maximum number of fields, the empty ones last.
    fields: Vec<FieldForm>,
    longest_note: u32,
    profile: String,
    avatar: PictureItem,
    header: PictureItem,
}

/// A picture of the profile, or the placeholder for it.
struct PictureItem {
    /// Address of the still picture.
    url: String,
    /// `true` if the person uploaded it, so that it can be removed.
    removable: bool,
}

/// The submitted form. Browsers do not send a checkbox that is not ticked.
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
            discoverable: Some(Some(form.discoverable)),
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
    removed: Option<String>,
}

fn page(app: &App, browser: &Browser, account: &Account, form: ProfileForm) -> ProfilePage {
    let settings = app.settings();
    let rendered = render(account, app.urls());
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
        profile: app.urls().profile(&account.username),
        avatar: PictureItem {
            url: rendered.snapshot.avatar_static,
            removable: account.avatar.is_some(),
        },
        header: PictureItem {
            url: rendered.snapshot.header_static,
            removable: account.header.is_some(),
        },
    }
}

async fn show_form(
    app: web::Data<App>,
    member: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let account = member.signed_in.account;
    let (account, _) = app.read(move |conn| accounts::own(conn, account)).await?;
    let page = page(&app, &member.browser, &account, ProfileForm::from(&*account));
    let done = match done.removed.as_deref() {
        Some("avatar") => Some("Your avatar was removed."),
        Some("header") => Some("Your header was removed."),
        _ => done.saved.then_some("Your profile was saved."),
    };
    Ok(show(StatusCode::OK, &ProfilePage { done, ..page })?)
}

async fn save(app: web::Data<App>, form: PostedMember) -> Result<HttpResponse, PageError> {
    let typed: ProfileForm = form.posted.decode()?;
    let _permit = pictures::acquire_permit().await?;
    let (avatar, header) = (form.posted.file("avatar").await?, form.posted.file("header").await?);
    let uploads = Uploads { avatar, header };
    let changed = match profile::prepare(&app.settings(), typed.clone().into()) {
        Ok(changes) => app.change_profile(form.signed_in.account, changes, uploads).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(go_to(&app.urls().page(&format!("{PAGE}?saved=1")))),
        Err(error) => {
            let problem = Problem::of_form(error, LABELS)?;
            let signed_in = form.signed_in.account;
            let (account, _) = app.read(move |conn| accounts::own(conn, signed_in)).await?;
            let page = page(&app, &form.posted.browser, &account, typed);
            Ok(show(problem.status, &ProfilePage { problem: Some(problem.words), ..page })?)
        }
    }
}

async fn remove_avatar(app: web::Data<App>, form: PostedMember) -> Result<HttpResponse, PageError> {
    remove(&app, &form, PictureSlot::Avatar, "avatar").await
}

async fn remove_header(app: web::Data<App>, form: PostedMember) -> Result<HttpResponse, PageError> {
    remove(&app, &form, PictureSlot::Header, "header").await
}

async fn remove(
    app: &App,
    form: &PostedMember,
    slot: PictureSlot,
    name: &str,
) -> Result<HttpResponse, PageError> {
    let account = form.signed_in.account;
    app.write(move |tx| profile::remove_picture(tx, account, slot)).await?;
    Ok(go_to(&app.urls().page(&format!("{PAGE}?removed={name}"))))
}
