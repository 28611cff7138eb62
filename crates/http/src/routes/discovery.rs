//! `/.well-known` and `/nodeinfo`: lets other programs discover this server and its accounts.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ACCEPT, VARY},
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Account, InstanceFacts, Urls};
use siskin_federation::{
    address::{self, Handle},
    write::{self, Jrd, NodeInfo, NodeInfoVersion, Picture, Usage},
};
use siskin_media::FileName;
use siskin_services::{
    Error as Domain,
    discovery::{self, Actor},
};

use super::{activity::is_on, instance};
use crate::{Result, params::Form, table::Table};

const JSON: &str = "application/json";

pub(super) fn configure(table: &mut Table) {
    table
        .route("/.well-known/host-meta", web::get().to(host_meta))
        .route("/.well-known/host-meta.json", web::get().to(host_meta_json))
        .route("/.well-known/nodeinfo", web::get().to(node_info_links))
        .route("/.well-known/webfinger", web::get().to(web_finger))
        .route("/nodeinfo/{version}", web::get().to(node_info));
}

#[derive(Debug, Deserialize)]
struct WebFingerParams {
    resource: String,
}

/// Describes an account, and its actor while other servers may read that.
async fn web_finger(app: Data<App>, Form(params): Form<WebFingerParams>) -> Result<HttpResponse> {
    let (urls, resource) = (app.urls().clone(), params.resource);
    let mut response = HttpResponse::Ok();
    response.content_type(write::JRD_CONTENT_TYPE);
    if !is_on(&app) {
        let account = app.read(move |conn| discovery::find(conn, &urls, &resource)).await?;
        return Ok(response.json(siskin_wire::discovery::render_web_finger(&account, app.urls())));
    }
    let actor = app.read(move |conn| discovery::find_actor(conn, &urls, &resource)).await?;
    Ok(response.body(describe(&actor, app.urls())?))
}

/// Returns the answer about an actor. It names the handle and the id that the actor's document
/// names, also if the question named another of its names.
fn describe(actor: &Actor, urls: &Urls) -> Result<Vec<u8>> {
    // A server without a domain name has no handles.
    let domain = address::Domain::parse(urls.domain()).map_err(|_| Domain::NotFound)?;
    let (name, id, page) = match actor {
        Actor::Account(account) => {
            let name = &account.username;
            (name.clone(), urls.account_uri(name), urls.profile(name))
        }
        Actor::Instance => (domain.host().to_owned(), urls.page("/actor"), urls.page("/about")),
    };
    let avatar = match actor {
        Actor::Account(account) => avatar(account, urls),
        Actor::Instance => None,
    };
    let handle = Handle::new(&name, domain).map_err(|_| Domain::NotFound)?;
    Ok(write::jrd(&Jrd {
        handle: &handle,
        actor: &id,
        page: &page,
        avatar: avatar.as_ref().map(|(url, media_type)| Picture {
            url,
            media_type,
            description: "",
        }),
        subscribe: &urls.page("/authorize_interaction?uri={uri}"),
        templates: &[],
    }))
}

/// Returns the address and the media type of an avatar. `None` for the placeholder, and for an
/// account that is shown without pictures.
fn avatar(account: &Account, urls: &Urls) -> Option<(String, &'static str)> {
    let picture = account.avatar.as_ref().filter(|_| !account.state.suspended)?;
    let name: FileName = picture.file.parse().ok()?;
    Some((urls.file(&picture.file), name.file_type().media_type()?))
}

/// Returns XML, or JSON for clients that ask for it (RFC 6415, section 3).
async fn host_meta(app: Data<App>, request: HttpRequest) -> HttpResponse {
    let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("json") && !accept.contains("xml")) {
        return host_meta_json(app).await;
    }
    HttpResponse::Ok()
        .content_type(format!("{}; charset=utf-8", write::HOST_META_CONTENT_TYPE))
        .insert_header((VARY, "Accept"))
        .body(write::host_meta(&web_finger_template(app.urls())))
}

async fn host_meta_json(app: Data<App>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(JSON)
        .insert_header((VARY, "Accept"))
        .body(write::host_meta_json(&web_finger_template(app.urls())))
}

fn web_finger_template(urls: &Urls) -> String {
    urls.page("/.well-known/webfinger?resource={uri}")
}

async fn node_info_links(app: Data<App>) -> HttpResponse {
    let [first, second] = ["/nodeinfo/2.0", "/nodeinfo/2.1"].map(|path| app.urls().page(path));
    HttpResponse::Ok().content_type(JSON).body(write::node_info_index(&first, &second))
}

async fn node_info(app: Data<App>, number: Path<String>) -> Result<HttpResponse> {
    let versions = [NodeInfoVersion::V2_0, NodeInfoVersion::V2_1];
    let version = versions.into_iter().find(|version| version.as_str() == number.as_str());
    let version = version.ok_or(Domain::NotFound)?;
    let facts = instance::facts(&app).await?;
    Ok(HttpResponse::Ok()
        .content_type(version.content_type())
        .body(write::node_info(&about(&facts), version)))
}

/// Returns what `NodeInfo` says about this server.
fn about(facts: &InstanceFacts) -> NodeInfo<'_> {
    let number = |count: i64| u64::try_from(count).ok();
    let counts = &facts.counts;
    NodeInfo {
        software: "siskin",
        version: &facts.software_version,
        repository: facts.source_url.as_deref().unwrap_or_default(),
        homepage: "",
        usage: Usage {
            users: number(counts.users),
            active_month: number(counts.active_month),
            active_half_year: number(counts.active_half_year),
            statuses: number(counts.local_statuses),
        },
        has_open_registrations: facts.sign_up_open(),
        name: &facts.title,
        description: &facts.short_description,
        upstream: "mastodon",
    }
}
