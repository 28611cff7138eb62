//! Links to pages that are slow to fetch or expensive to parse.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::time::sleep;

use crate::{
    server::{ATTACKER, PEOPLE, SITES, Server, client},
    site::Site,
};

/// Number of links that each attacker posts.
const LINKS: usize = 12;
/// Maximum time until the link preview of a regular user appears.
const PREVIEW: Duration = Duration::from_secs(20);

/// Posts links to a page with an element of 200,000 attributes and deeply nested elements.
pub async fn hard_to_parse(server: &Server, time: Duration) -> Result<String> {
    let attributes: String = (0..200_000).fold("<html><x".to_owned(), |mut page, number| {
        page.push_str(" a");
        page.extend(std::iter::repeat_n('a', number % 300));
        page
    });
    let page = format!("{attributes}>{}<title>x</title>", "<div>".repeat(100_000));
    let _site = Site::page(&page).serve(SITES[0]).await?;
    post_links(server).await?;
    sleep(time).await;
    preview_of_others(server).await
}

/// Posts links to a site that sends one byte per second.
pub async fn drip(server: &Server, time: Duration) -> Result<String> {
    let _site = Site::Drip.serve(SITES[0]).await?;
    post_links(server).await?;
    sleep(time / 2).await;
    preview_of_others(server).await
}

async fn post_links(server: &Server) -> Result<()> {
    for token in &server.attackers {
        let client = client(ATTACKER, Some(token))?;
        for number in 0..LINKS {
            let text = format!("http://localhost:{}/{}/{number}", SITES[0], &token[..8]);
            let post = client.post(server.url("/api/v1/statuses")).form(&[("status", text)]);
            post.send().await?.error_for_status()?;
        }
    }
    Ok(())
}

/// Measures how long a regular user waits for the preview of a good page.
async fn preview_of_others(server: &Server) -> Result<String> {
    let _site =
        Site::page("<html><head><title>A good page</title></head></html>").serve(SITES[1]).await?;
    let client = client(PEOPLE, Some(&server.poster))?;
    // The host differs from that of the attackers, because jobs take turns per host.
    let text = format!("http://127.0.0.1:{}/good", SITES[1]);
    let post = client.post(server.url("/api/v1/statuses")).form(&[("status", text)]);
    let status: Value = post.send().await?.error_for_status()?.json().await?;
    let url = server.url(&format!("/api/v1/statuses/{}", status["id"].as_str().context("no id")?));
    let begun = Instant::now();
    while begun.elapsed() < PREVIEW {
        let status: Value = client.get(&url).send().await?.error_for_status()?.json().await?;
        if status["card"].is_object() {
            return Ok(format!(
                "a preview of another user took {} ms",
                begun.elapsed().as_millis()
            ));
        }
        sleep(Duration::from_millis(500)).await;
    }
    ensure!(false, "the previews of other users wait for the attacker's pages");
    Ok(String::new())
}
