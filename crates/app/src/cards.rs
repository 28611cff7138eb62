//! Fetches link previews: the pages that statuses link to, and their pictures.

use std::time::Duration;

use siskin_entities::{CardImage, CardKind, PreviewCard};
use siskin_outbound::{
    FetchError, Limits, Preview, Request, Url,
    header::{ACCEPT, HeaderValue},
    look_at,
};
use siskin_persistence::cards::Known;
use siskin_policy::limits::MAX_CARD_IMAGE_BYTES;
use siskin_services::{
    Result,
    cards::{self, Found, LookAtPage},
};
use tokio::time::Instant;

use crate::{App, Finish, JobHandler, Lane, nothing_to_store};

/// Maximum time for a page, its oEmbed document and its picture together. A slow site must not keep
/// a worker from other jobs.
const TIME: Duration = Duration::from_secs(10);

/// Runs [`LookAtPage`]. A page that does not answer now is not fetched again until its link is
/// posted again.
#[derive(Debug, Clone, Copy)]
pub struct PageViewer;

impl JobHandler for PageViewer {
    type Job = LookAtPage;

    const LANE: Lane = Lane::Remote;

    async fn run(&self, app: &App, job: LookAtPage) -> Result<Finish> {
        let known = app.read(move |conn| cards::page(conn, &job)).await?;
        let Some(known) = known.filter(|_| app.settings().link_previews) else {
            return nothing_to_store();
        };
        let end = Instant::now() + TIME;
        match look_at(app.http(), &known.address, end).await {
            Ok(Some(preview)) => {
                let (instance, found) =
                    (app.instance().clone(), with_picture(app, preview, known, end).await);
                Ok(Box::new(move |tx| cards::found(tx, &instance, &job, &found)))
            }
            Ok(None) => Ok(Box::new(move |tx| cards::found_nothing(tx, &job))),
            Err(error) => {
                log::info!("cannot fetch a page for a preview: {error}");
                Ok(Box::new(move |tx| cards::found_nothing(tx, &job)))
            }
        }
    }
}

/// Returns the preview with its picture. Reuses the stored picture if its source is the same. The
/// preview has no picture if the fetched one cannot be used.
async fn with_picture(app: &App, preview: Preview, known: Known, end: Instant) -> Found {
    let Preview { card, image } = preview;
    let Some(source) = image else { return Found { card, image_source: None } };
    let is_kept = known.image_source.as_deref() == Some(source.as_str());
    let before = known.card.filter(|before| is_kept && before.image.is_some());
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
    let picture = match ask(app, source, end).await {
        Ok(picture) => picture?,
        Err(error) => {
            log::info!("cannot fetch the image of a preview: {error}");
            return None;
        }
    };
    match app.media().keep_card_image(picture).await {
        Ok(kept) => {
            let image = CardImage { file: kept.file, blurhash: kept.blurhash };
            Some((image, (kept.size.width, kept.size.height)))
        }
        Err(error) => {
            log::info!("cannot store the image of a preview: {error}");
            None
        }
    }
}

async fn ask(app: &App, source: &Url, end: Instant) -> Result<Option<Vec<u8>>, FetchError> {
    let bytes = usize::try_from(MAX_CARD_IMAGE_BYTES).unwrap_or(usize::MAX);
    let asked = Request::get(source.as_str()).with(ACCEPT, HeaderValue::from_static("image/*"));
    let answer = app.http().send(&asked, Limits { bytes, ..Limits::PAGE }.until(end)).await?;
    Ok(answer.status.is_success().then_some(answer.body))
}
