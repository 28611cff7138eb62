//! Verifies profile links: checks whether the linked pages link back.

use siskin_outbound::{HttpResponse, Limits, Request, Url, links_to_me, parse_blocking};
use siskin_services::{
    Error, Result,
    accounts::links::{self, VerifyLink},
};

use crate::{App, Finish, JobHandler, Lane, nothing_to_store};

/// Runs [`VerifyLink`]. A page that cannot be read now verifies nothing. Saving the profile again
/// fetches it again.
#[derive(Debug, Clone, Copy)]
pub struct LinkVerifier;

impl JobHandler for LinkVerifier {
    type Job = VerifyLink;

    const LANE: Lane = Lane::Remote;

    async fn run(&self, app: &App, job: VerifyLink) -> Result<Finish> {
        let request = job.clone();
        let Some(profile) = app.read(move |conn| links::profile_of(conn, &request)).await? else {
            return nothing_to_store();
        };
        let page = match app.http().send(&Request::get(&job.link), Limits::PAGE).await {
            Ok(page) => page,
            Err(error) => {
                log::info!("cannot verify a link of a profile: {error}");
                return nothing_to_store();
            }
        };
        let parsed = parse_blocking(move || links_back(&page, &profile)).await;
        if parsed.map_err(Error::internal)? {
            Ok(Box::new(move |tx| links::mark_verified(tx, &job)))
        } else {
            nothing_to_store()
        }
    }
}

fn links_back(page: &HttpResponse, profile: &str) -> bool {
    page.status.is_success()
        && page.is_html()
        && links_to_me(&page.page_text(), &page.url).iter().any(|link| is_same(link, profile))
}

/// Compares a link with a profile address. Ignores case, because user names ignore it, the fragment
/// and a trailing slash.
fn is_same(link: &Url, profile: &str) -> bool {
    let normalised = |address: &str| address.split('#').next().unwrap_or_default().to_owned();
    Url::parse(profile).is_ok_and(|profile| {
        let (link, profile) = (normalised(link.as_str()), normalised(profile.as_str()));
        link.trim_end_matches('/').eq_ignore_ascii_case(profile.trim_end_matches('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_must_lead_to_exactly_this_profile() {
        let same = |link| is_same(&Url::parse(link).unwrap(), "https://siskin.example/@ann");
        assert!(same("https://siskin.example/@ann") && same("https://SISKIN.example/@Ann/#x"));
        for other in [
            "http://siskin.example/@ann",
            "https://siskin.example/@anna",
            "https://siskin.example/@ann/7",
            "https://siskin.example/",
            "https://evil.example/@ann",
            "https://evil.example/?https://siskin.example/@ann",
        ] {
            assert!(!same(other), "{other}");
        }
    }
}
