//! `/about`: who runs the instance, its rules, and what it blocks.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web::Data};
use askama::Template;
use siskin_app::App;
use siskin_entities::{DomainSeverity, Rule, ShownDomainBlock};
use siskin_policy::domains::sees;
use siskin_services::about;

use super::{
    meta::Meta,
    view::{self, Person},
};
use crate::pages::{Frame, PageError, show_to_all};

#[derive(Template)]
#[template(path = "about.html")]
struct AboutPage<'a> {
    frame: Frame,
    meta: Meta,
    short_description: &'a str,
    description: &'a str,
    /// HTML; empty if there is none.
    extended_description: &'a str,
    /// Address of the picture of the instance; empty if there is none.
    picture: String,
    contact: Option<Person>,
    contact_email: &'a str,
    rules: Vec<Rule>,
    /// Members of staff with the names of their roles.
    staff: Vec<(Person, String)>,
    blocked: &'a [ShownDomainBlock],
    /// Whether the reasons of the blocks are shown.
    with_reasons: bool,
}

pub(super) async fn show(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, PageError> {
    let (settings, texts, urls) = (app.settings(), app.texts(), app.urls());
    let found = {
        let settings = settings.clone();
        app.read(move |conn| about::page(conn, &settings)).await?
    };
    let title = format!("About {}", settings.site_title);
    let staff = found.staff.iter().map(|account| {
        let rendered = view::account(account, urls);
        let roles = rendered.snapshot.roles.as_deref().unwrap_or_default();
        let role = roles.first().map(|role| role.name.clone()).unwrap_or_default();
        (Person::of(&rendered, urls), role)
    });
    let blocked = match sees(None, settings.domain_blocks_visibility) {
        true => app.blocked_servers().await?,
        false => Arc::default(),
    };
    let picture = found.picture.map(|picture| urls.file(&picture.thumbnail.file));
    let picture = picture.unwrap_or_default();
    let meta = Meta::of_page(urls.page("/about"), title.clone(), &settings.site_short_description);
    let page = AboutPage {
        frame: Frame::public(&app, title),
        meta: Meta { image: picture.clone(), ..meta },
        picture,
        short_description: &settings.site_short_description,
        description: &settings.site_description,
        extended_description: &texts.extended_description.html,
        contact: found.contact.map(|account| Person::of(&view::account(&account, urls), urls)),
        contact_email: &settings.contact_email,
        rules: found.rules,
        staff: staff.collect(),
        blocked: &blocked,
        with_reasons: sees(None, settings.domain_blocks_reasons),
    };
    Ok(show_to_all(&request, &page)?)
}

impl AboutPage<'_> {
    /// Returns what a block does, in words for visitors.
    const fn effect(&self, block: &ShownDomainBlock) -> &'static str {
        match block.severity {
            DomainSeverity::Suspend => "suspended",
            DomainSeverity::Silence => "limited",
            DomainSeverity::Noop => "partly blocked",
        }
    }
}
