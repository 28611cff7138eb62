//! Link previews: extraction of the metadata of a page from Open Graph, Twitter cards, oEmbed and
//! plain HTML.
//!
//! The result contains only plain text of bounded length and addresses of http and https. This
//! module does not decide whether a preview is stored or shown, and does not fetch its image.

mod compose;
mod oembed;
mod page;
mod sanitize;

use reqwest::header::{ACCEPT, HeaderValue};
use siskin_entities::PreviewCard;
use tokio::time::{Instant, timeout_at};
use url::Url;

use self::{oembed::OEmbed, page::Page};
use crate::{FetchError, HttpClient, Limits, Request, parse_blocking};

/// Preview before its image is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Preview without an image; for a link, also without a size.
    pub card: PreviewCard,
    /// URL of the image.
    pub image: Option<Url>,
}

/// Maximum length of an oEmbed response, in bytes.
const OEMBED_BYTES: usize = 64 << 10;

/// Fetches the metadata of a page and of its oEmbed document, if it has one, until `end`. Returns
/// `None` if there is no page or if it has no usable metadata.
///
/// # Errors
/// Returns a [`FetchError`] if the page could not be fetched. A failed oEmbed request is ignored.
pub async fn fetch_preview(
    client: &HttpClient,
    url: &str,
    end: Instant,
) -> Result<Option<Preview>, FetchError> {
    timeout_at(end, fetch(client, url, end)).await.map_err(|_| FetchError::TooSlow)?
}

async fn fetch(
    client: &HttpClient,
    url: &str,
    end: Instant,
) -> Result<Option<Preview>, FetchError> {
    let request = Request::get(url)
        .with(ACCEPT, HeaderValue::from_static("text/html,application/xhtml+xml;q=0.9"))
        .beginning_only();
    let response = client.send(&request, Limits::PAGE.until(end)).await?;
    if !response.status.is_success() || !response.is_html() {
        return Ok(None);
    }
    let page = parse_blocking(move || Page::read(&response.page_text(), &response.url)).await?;
    let oembed = match &page.oembed {
        Some(endpoint) => fetch_oembed(client, endpoint, end).await,
        None => None,
    };
    parse_blocking(move || compose::compose(&page, oembed)).await
}

async fn fetch_oembed(client: &HttpClient, endpoint: &Url, end: Instant) -> Option<OEmbed> {
    let limits = Limits { bytes: OEMBED_BYTES, ..Limits::PAGE }.until(end);
    let request =
        Request::get(endpoint.as_str()).with(ACCEPT, HeaderValue::from_static("application/json"));
    match client.send(&request, limits).await {
        Ok(response) if response.status.is_success() => {
            parse_blocking(move || OEmbed::read(&response.body, &response.url)).await.ok().flatten()
        }
        Ok(_) => None,
        Err(error) => {
            log::debug!("cannot fetch the oEmbed response: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests;
