//! `/api/v1/admin/dimensions`: rankings.

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::DimensionKey;
use siskin_policy::{limits::RANKING, roles::ViewDashboard, scopes::AdminRead};
use siskin_services::measures::{self, Requested};
use siskin_wire::measure;

use super::measures::{AboutServer, AboutTag, end, known, start};
use crate::{
    Result, Staff,
    params::{Form, chosen_list},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/dimensions", web::post().to(show));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DimensionForm {
    #[serde(deserialize_with = "chosen_list")]
    keys: Vec<String>,
    start_at: Option<String>,
    end_at: Option<String>,
    limit: Option<String>,
    tag_servers: Option<AboutTag>,
    tag_languages: Option<AboutTag>,
    instance_accounts: Option<AboutServer>,
    instance_languages: Option<AboutServer>,
}

impl DimensionForm {
    /// Takes what a ranking is about. `None` if the request does not say it, or it is about the
    /// whole instance.
    fn subject(&mut self, key: DimensionKey) -> Option<String> {
        match key {
            DimensionKey::Languages
            | DimensionKey::Sources
            | DimensionKey::Servers
            | DimensionKey::SpaceUsage
            | DimensionKey::SoftwareVersions => None,
            DimensionKey::TagServers => self.tag_servers.take()?.subject(),
            DimensionKey::TagLanguages => self.tag_languages.take()?.subject(),
            DimensionKey::InstanceAccounts => self.instance_accounts.take()?.subject(),
            DimensionKey::InstanceLanguages => self.instance_languages.take()?.subject(),
        }
    }
}

async fn show(
    app: Data<App>,
    _: Staff<AdminRead, ViewDashboard>,
    Form(mut form): Form<DimensionForm>,
) -> Result<HttpResponse> {
    let (start, end) = (start(form.start_at.take())?, end(form.end_at.take())?);
    let keys = known(&form.keys, DimensionKey::from_name)?;
    let range = measures::period_or_default(start, end, app.now())?;
    let limit = form.limit.as_deref().and_then(|limit| limit.trim().parse().ok());
    let limit = RANKING.clamp(limit);
    let requested: Vec<_> =
        keys.into_iter().map(|key| Requested { key, subject: form.subject(key) }).collect();
    let programs = app.programs();
    let found = app
        .measure(move |conn| measures::dimensions(conn, &requested, range, limit, &programs))
        .await?;
    let rendered: Vec<_> = found.iter().map(measure::render_dimension).collect();
    Ok(HttpResponse::Ok().json(rendered))
}
