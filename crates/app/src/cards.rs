//! Fetches link previews: the pages that statuses link to, and their pictures.

use std::time::Duration;

use siskin_entities::{CardImage, CardKind, PreviewCard};
use siskin_outbound::{
    FetchError, Limits, Preview, Request, Url, fetch_preview,
    header::{ACCEPT, HeaderValue},
};
use siskin_persistence::cards::StoredCard;
use siskin_policy::limits::MAX_CARD_IMAGE_BYTES;
use siskin_services::{
    Result,
    cards::{self, FetchPage, Found},
};
use tokio::time::Instant;

use crate::{App, Finish, JobHandler, Lane, nothing_to_store};

/// Maximum time for a page, its oEmbed document and its picture together. A slow site must not keep
/// a worker from other jobs.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Runs [`FetchPage`]. A page that does not answer now is not fetched again until its link is
/// posted again.
#[derive(Debug, Clone, Copy)]
pub struct PageFetcher;

impl JobHandler for PageFetcher {
    type Job = FetchPage;

    const LANE: Lane = Lane::Remote;

    async fn run(&self, app: &App, job: FetchPage) -> Result<Finish> {
        let known = app.read(move |conn| cards::page(conn, &job)).await?;
        let Some(known) = known.filter(|_| app.settings().link_previews) else {
            return nothing_to_store();
        };
        let end = Instant::now() + TIMEOUT;
        match fetch_preview(app.http(), &known.address, end).await {
            Ok(Some(preview)) => {
                let (instance, found) =
                    (app.instance().clone(), with_picture(app, preview, known, end).await);
                Ok(Box::new(move |tx| cards::found(tx, &instance, &job, &found)))
            }
            Ok(None) => Ok(Box::new(move |tx| cards::postpone_fetch(tx, &job))),
            Err(error) => {
                log::info!("cannot fetch a page for a preview: {error}");
                Ok(Box::new(move |tx| cards::postpone_fetch(tx, &job)))
            }
        }
    }
}

/// Returns the preview with its picture. Reuses the stored picture if its source is the same. The
/// preview has no picture if the fetched one cannot be used.
async fn with_picture(app: &App, preview: Preview, known: StoredCard, end: Instant) -> Found {
    let Preview { card, image } = preview;
    let Some(source) = image else { return Found { card, image_source: None } };
    let is_same_image = known.image_source.as_deref() == Some(source.as_str());
    let before = known.card.filter(|before| is_same_image && before.image.is_some());
    let card = match before {
        Some(before) => {
            let size = (before.width, before.height);
            with(card, before.image, size)
        }
        None => match fetch(app, &source, end).await {
            Some((image, size)) => with(card, Some(image), size),
            None => card,
        },
    };
    Found { card, image_source: Some(source.into()) }
}

/// Sets the picture. A link takes the size of its picture; embedded content has its own size.
fn with(card: PreviewCard, image: Option<CardImage>, (width, height): (u32, u32)) -> PreviewCard {
    if card.kind == CardKind::Link {
        PreviewCard { image, width, height, ..card }
    } else {
        PreviewCard { image, ..card }
    }
}

async fn fetch(app: &App, source: &Url, end: Instant) -> Option<(CardImage, (u32, u32))> {
    let picture = match send_request(app, source, end).await {
        Ok(picture) => picture?,
        Err(error) => {
            log::info!("cannot fetch the image of a preview: {error}");
            return None;
        }
    };
    match app.media().store_card_image(picture).await {
        Ok(stored) => {
            let image = CardImage { file: stored.file, blurhash: stored.blurhash };
            Some((image, (stored.size.width, stored.size.height)))
        }
        Err(error) => {
            log::info!("cannot store the image of a preview: {error}");
            None
        }
    }
}

async fn send_request(
    app: &App,
    source: &Url,
    end: Instant,
) -> Result<Option<Vec<u8>>, FetchError> {
    let bytes = usize::try_from(MAX_CARD_IMAGE_BYTES).unwrap_or(usize::MAX);
    let request = Request::get(source.as_str()).with(ACCEPT, HeaderValue::from_static("image/*"));
    let response = app.http().send(&request, Limits { bytes, ..Limits::PAGE }.until(end)).await?;
    Ok(response.status.is_success().then_some(response.body))
}
