//! `/tags/NAME`: the public statuses with a hashtag, in pages.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use siskin_app::App;
use siskin_entities::{Feeds, PageRequest};
use siskin_policy::limits::STATUS_PAGE;
use siskin_services::public::{self, Found, Tagged};

use super::{
    meta::Meta,
    neighbours::Neighbours,
    view::{QuoteItem, ReplyTo, StatusItem},
};
use crate::{
    pages::{Frame, PageError, PageForm, go_to, show_to_all},
    paging::PageQuery,
};

#[derive(Template)]
#[template(path = "public_tag.html")]
struct TagPage {
    frame: Frame,
    meta: Meta,
    statuses: Vec<StatusItem>,
    neighbours: Neighbours,
}

pub(super) async fn show(
    app: Data<App>,
    name: Path<String>,
    request: HttpRequest,
    PageForm(page): PageForm<PageQuery>,
) -> Result<HttpResponse, PageError> {
    let (page_request, now, urls) = (page.request(STATUS_PAGE)?, app.now(), app.urls().clone());
    let feeds = Feeds::of(&app.settings());
    let read = move |conn: &mut _| public::tagged(conn, feeds, &urls, &name, now, page_request);
    match app.read(read).await? {
        Found::Redirect(address) => Ok(go_to(&address)),
        Found::Here(tagged) => {
            Ok(show_to_all(&request, &TagPage::of(&app, &tagged, page_request))?)
        }
    }
}

impl TagPage {
    fn of(app: &App, tagged: &Tagged, page_request: PageRequest) -> Self {
        let (urls, now) = (app.urls(), app.now());
        let meta = Meta::of_tag(&tagged.name, &app.settings().site_title, urls);
        let statuses = tagged.statuses.items.iter();
        Self {
            frame: Frame::public(app, meta.title.clone()),
            statuses: statuses.map(|item| StatusItem::of(item, urls, now)).collect(),
            neighbours: Neighbours::of(&meta.canonical, &tagged.statuses, page_request),
            meta,
        }
    }
}
