//! Collections of accounts and statuses, and their pages. They have no page for people.

use actix_web::{
    FromRequest as _, HttpRequest, HttpResponse, ResponseError as _,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Cursor, Timestamp, Urls};
use siskin_ids::StatusId;
use siskin_persistence::Conn;
use siskin_services::{
    Result,
    federation::{
        Found,
        collections::{self, PageOf},
    },
};

use super::{answers::answer, is_on, local_name, parse};
use crate::{paging::cursor, params::Form, routes::not_found};

/// Which part of a collection is asked for.
#[derive(Debug, Default, Deserialize)]
struct CollectionParams {
    /// Asks for a page, not for the collection itself. Others write `true` or a number.
    page: Option<String>,
    max_id: Option<String>,
    min_id: Option<String>,
    since_id: Option<String>,
}

impl CollectionParams {
    fn part(&self) -> crate::Result<PageOf> {
        let cursor = Cursor {
            max: cursor("max_id", self.max_id.as_deref())?,
            min: cursor("min_id", self.min_id.as_deref())?,
            since: cursor("since_id", self.since_id.as_deref())?,
        };
        let is_page = self.page.as_deref().is_some_and(|page| !page.is_empty());
        Ok(match is_page || cursor != Cursor::default() {
            true => PageOf::Page(cursor),
            false => PageOf::Collection,
        })
    }
}

/// Use case that returns a part of a collection of an account.
type OfAccount = fn(&mut Conn, &Urls, &str, PageOf, Timestamp) -> Result<Found>;
/// Use case that returns a collection of a status.
type OfStatus = fn(&mut Conn, &Urls, &str, StatusId, PageOf, Timestamp) -> Result<Found>;

pub(super) async fn show_outbox(
    app: Data<App>,
    request: HttpRequest,
    username: Path<String>,
) -> HttpResponse {
    of_account(&app, request, &username, collections::outbox).await
}

pub(super) async fn show_followers(
    app: Data<App>,
    request: HttpRequest,
    username: Path<String>,
) -> HttpResponse {
    of_account(&app, request, &username, collections::followers).await
}

pub(super) async fn show_following(
    app: Data<App>,
    request: HttpRequest,
    username: Path<String>,
) -> HttpResponse {
    of_account(&app, request, &username, collections::following).await
}

/// Returns the pinned statuses.
pub(super) async fn show_featured(
    app: Data<App>,
    request: HttpRequest,
    username: Path<String>,
) -> HttpResponse {
    let whole: OfAccount = |conn, urls, name, _, now| collections::featured(conn, urls, name, now);
    of_account(&app, request, &username, whole).await
}

/// Returns the featured hashtags.
pub(super) async fn show_tags(
    app: Data<App>,
    request: HttpRequest,
    username: Path<String>,
) -> HttpResponse {
    let whole: OfAccount = |conn, urls, name, _, _| collections::featured_tags(conn, urls, name);
    of_account(&app, request, &username, whole).await
}

pub(super) async fn show_replies(
    app: Data<App>,
    request: HttpRequest,
    named: Path<(String, String)>,
) -> HttpResponse {
    of_status(&app, request, named.into_inner(), collections::replies).await
}

pub(super) async fn show_likes(
    app: Data<App>,
    request: HttpRequest,
    named: Path<(String, String)>,
) -> HttpResponse {
    let whole: OfStatus = |conn, urls, name, id, _, _| collections::likes(conn, urls, name, id);
    of_status(&app, request, named.into_inner(), whole).await
}

/// Returns the number of reblogs.
pub(super) async fn show_shares(
    app: Data<App>,
    request: HttpRequest,
    named: Path<(String, String)>,
) -> HttpResponse {
    let whole: OfStatus = |conn, urls, name, id, _, _| collections::shares(conn, urls, name, id);
    of_status(&app, request, named.into_inner(), whole).await
}

async fn of_account(
    app: &App,
    request: HttpRequest,
    username: &str,
    find: OfAccount,
) -> HttpResponse {
    if !is_on(app) {
        return not_found(request).await;
    }
    let part = match part(&request).await {
        Ok(part) => part,
        Err(refused) => return refused,
    };
    let found = match local_name(username) {
        Ok(name) => app.document(move |conn, urls, now| find(conn, urls, &name, part, now)).await,
        Err(error) => Err(error),
    };
    answer(&request, found)
}

async fn of_status(
    app: &App,
    request: HttpRequest,
    (username, id): (String, String),
    find: OfStatus,
) -> HttpResponse {
    if !is_on(app) {
        return not_found(request).await;
    }
    let part = match part(&request).await {
        Ok(part) => part,
        Err(refused) => return refused,
    };
    let named = local_name(&username).and_then(|name| Ok((name, parse(&id)?)));
    let found = match named {
        Ok((name, id)) => {
            app.document(move |conn, urls, now| find(conn, urls, &name, id, part, now)).await
        }
        Err(error) => Err(error),
    };
    answer(&request, found)
}

/// Returns which part of a collection a request asks for.
///
/// # Errors
/// The response to a query that cannot be read.
async fn part(request: &HttpRequest) -> std::result::Result<PageOf, HttpResponse> {
    let params = Form::<CollectionParams>::extract(request).await;
    let Form(params) = params.map_err(|error| error.error_response())?;
    params.part().map_err(|error| error.error_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(page: &str, max: &str, min: &str) -> PageOf {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let params = CollectionParams {
            page: text(page),
            max_id: text(max),
            min_id: text(min),
            since_id: None,
        };
        params.part().unwrap()
    }

    #[test]
    fn a_page_is_asked_for_by_name_or_by_cursor() {
        let page = |max, min| PageOf::Page(Cursor { max, min, since: None });
        assert_eq!(part("", "", ""), PageOf::Collection);
        assert_eq!(part("true", "", ""), page(None, None));
        assert_eq!(part("1", "", ""), page(None, None));
        assert_eq!(part("true", "7", ""), page(Some(7), None));
        assert_eq!(part("", "", "0"), page(None, Some(0)));
        let strange = CollectionParams { max_id: Some("x".to_owned()), ..Default::default() };
        assert!(strange.part().is_err());
    }
}
