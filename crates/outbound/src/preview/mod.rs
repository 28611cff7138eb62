//! What a page says of itself for those who link to it: Open Graph, Twitter's names, oEmbed, and
//! what is said in plain HTML.
//!
//! Nothing of a page comes out but plain text of bounded length and addresses of http and https.
//! Whether a preview is wanted, kept or shown is not known here; nor is its picture fetched.

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

/// A preview before its picture is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Without a picture, and of a link without a size.
    pub card: PreviewCard,
    /// Where its picture lies.
    pub image: Option<Url>,
}

/// The longest answer of oEmbed, in bytes.
const OEMBED_BYTES: usize = 64 << 10;

/// Looks at a page, and asks whom it names by oEmbed; all of it until `end`. None where there is no
/// page, or one that says nothing of itself.
///
/// # Errors
/// [`FetchError`] where the page did not come. What oEmbed does not answer is left out.
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
            log::debug!("oEmbed was not answered: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests;
