//! `/api/oembed`: lets other sites embed a status of this server (oEmbed 1.0).

use actix_web::{HttpResponse, web::Data};
use serde::Deserialize;
use siskin_app::App;
use siskin_services::public;
use siskin_wire::oembed::{self, EmbedSize};

use super::view::isolated_name;
use crate::{Result, params::Form};

/// Default width, in pixels.
const WIDTH: u32 = 400;
/// Maximum width of the frame, in pixels: statuses are not set in longer lines.
const MAX_WIDTH: u32 = 640;

#[derive(Debug, Deserialize)]
pub(super) struct OembedParams {
    url: String,
    maxwidth: Option<String>,
    maxheight: Option<String>,
}

pub(super) async fn show(app: Data<App>, Form(params): Form<OembedParams>) -> Result<HttpResponse> {
    let size = EmbedSize {
        width: pixels(params.maxwidth.as_deref()).unwrap_or(WIDTH).min(MAX_WIDTH),
        height: pixels(params.maxheight.as_deref()),
    };
    let instance = app.instance().clone();
    let status = app.read(move |conn| public::at(conn, &instance, &params.url)).await?;
    let frame = public::embed_address(app.urls(), &status);
    let name = isolated_name(&status.account.display_name, &status.account.username);
    Ok(HttpResponse::Ok().json(oembed::render(&status, name, &frame, size, app.urls())))
}

/// Parses a number of pixels. An invalid number means no limit.
fn pixels(text: Option<&str>) -> Option<u32> {
    text?.trim().parse().ok().filter(|pixels| *pixels > 0)
}
