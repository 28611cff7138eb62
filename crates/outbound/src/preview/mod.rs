//! Link previews: extraction of the metadata of a page from Open Graph, Twitter cards, oEmbed and
//! plain HTML.
//!
//! The result contains only plain text of bounded length and addresses of http and https. This
//! module does not decide whether a preview is stored or shown, and does not fetch its image.

mod compose;
mod oembed;
mod page;
mod words;

use reqwest::header::{ACCEPT, HeaderValue};
use siskin_entities::PreviewCard;
use tokio::time::{Instant, timeout_at};
use url::Url;

use self::{oembed::OEmbed, page::Page};
use crate::{FetchError, HttpClient, Limits, Request, apart};

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
pub async fn look_at(
    client: &HttpClient,
    url: &str,
    end: Instant,
) -> Result<Option<Preview>, FetchError> {
    timeout_at(end, look(client, url, end)).await.map_err(|_| FetchError::TooSlow)?
}

async fn look(client: &HttpClient, url: &str, end: Instant) -> Result<Option<Preview>, FetchError> {
    let asked = Request::get(url)
        .with(ACCEPT, HeaderValue::from_static("text/html,application/xhtml+xml;q=0.9"))
        .beginning_only();
    let answer = client.send(&asked, Limits::PAGE.until(end)).await?;
    if !answer.status.is_success() || !answer.is_html() {
        return Ok(None);
    }
    let page = apart(move || Page::read(&answer.page_text(), &answer.url)).await?;
    let oembed = match &page.oembed {
        Some(endpoint) => ask(client, endpoint, end).await,
        None => None,
    };
    apart(move || compose::compose(&page, oembed)).await
}

async fn ask(client: &HttpClient, endpoint: &Url, end: Instant) -> Option<OEmbed> {
    let limits = Limits { bytes: OEMBED_BYTES, ..Limits::PAGE }.until(end);
    let asked =
        Request::get(endpoint.as_str()).with(ACCEPT, HeaderValue::from_static("application/json"));
    match client.send(&asked, limits).await {
        Ok(answer) if answer.status.is_success() => {
            apart(move || OEmbed::read(&answer.body, &answer.url)).await.ok().flatten()
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
