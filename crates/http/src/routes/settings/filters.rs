//! `/settings/filters`: the filters of a person. One form changes a filter with all its keywords at
//! once.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{self, Path},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{
    FilterContext, Timestamp,
    filters::{Filter, FilterAction},
};
use siskin_ids::FilterId;
use siskin_persistence::Tx;
use siskin_services::{
    Error as Domain,
    filters::{self, Expiry, FilterDraft, KeywordDraft, WHOLE_WORD},
};

use super::Done;
use crate::{
    browser::{Browser, Member, PostedMember},
    pages::{Frame, Moment, PageError, PageForm, Problems, see_other, show},
    table::Table,
};

const PAGE: &str = "/settings/filters";
const TITLE: &str = "Your filters";
/// Number of empty lines for further keywords.
const SPARE_LINES: usize = 3;
/// Value of the field for the expiry that keeps the present one.
const KEEP: &str = "keep";
/// Beginnings of messages about wrong values, with their fields.
const FIELDS: &[(&str, &str)] = &[
    ("Title", "title"),
    ("Context", "context"),
    ("A context", "context"),
    ("Expires", "expires_in"),
    ("Keyword", "keywords"),
    ("At most", "keywords"),
];
/// Labels of the fields, after the beginnings of messages.
const LABELS: &[(&str, &str)] = &[
    ("Context", "Where it applies"),
    ("A context", "Where it applies"),
    ("Expires in", "Expires"),
];
/// Lifetimes that the form offers, in seconds.
const LIFETIMES: [(&str, &str); 7] = [
    ("", "Never"),
    ("1800", "In 30 minutes"),
    ("3600", "In 1 hour"),
    ("21600", "In 6 hours"),
    ("43200", "In 12 hours"),
    ("86400", "In 1 day"),
    ("604800", "In 1 week"),
];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(create))
        .route("/settings/filters/new", web::get().to(show_new))
        .route("/settings/filters/{id}", web::get().to(show_filter))
        .route("/settings/filters/{id}", web::post().to(change))
        .route("/settings/filters/{id}/delete", web::post().to(delete));
}

#[derive(Template)]
#[template(path = "filters.html")]
struct FiltersPage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<String>,
    filters: Vec<FilterItem>,
}

/// A filter in the list.
struct FilterItem {
    id: FilterId,
    title: String,
    contexts: String,
    action: &'static str,
    expires: Option<Moment>,
    expired: bool,
    keywords: usize,
    statuses: usize,
}

impl FilterItem {
    fn of(filter: &Filter, now: Timestamp) -> Self {
        let head = &filter.head;
        let contexts: Vec<&str> = head.contexts.iter().map(words_of_context).collect();
        Self {
            id: head.id,
            title: head.title.clone(),
            contexts: contexts.join(", "),
            action: words_of_action(head.action),
            expires: head.expires_at.map(|at| Moment::of(at, now)),
            expired: head.expires_at.is_some_and(|at| at <= now),
            keywords: filter.keywords.len(),
            statuses: filter.statuses.len(),
        }
    }
}

const fn words_of_context(context: FilterContext) -> &'static str {
    match context {
        FilterContext::Home => "Home and lists",
        FilterContext::Notifications => "Notifications",
        FilterContext::Public => "Public timelines",
        FilterContext::Thread => "Threads",
        FilterContext::Account => "Profiles",
    }
}

const fn words_of_action(action: FilterAction) -> &'static str {
    match action {
        FilterAction::Warn => "Hide behind a warning",
        FilterAction::Hide => "Hide completely",
        FilterAction::Blur => "Show the text, and hide pictures and videos behind a warning",
    }
}

#[derive(Template)]
#[template(path = "filter.html")]
struct FilterPage {
    frame: Frame,
    problem: Option<String>,
    problems: Problems,
    /// Path of the form.
    action: String,
    title: String,
    contexts: Vec<Choice>,
    actions: Vec<Choice>,
    lifetimes: Vec<Choice>,
    lines: Vec<Line>,
}

struct Choice {
    value: String,
    words: String,
    chosen: bool,
}

/// A keyword in the form.
struct Line {
    /// Empty for a new keyword.
    id: String,
    keyword: String,
    whole_word: bool,
    removed: bool,
}

impl Line {
    fn empty() -> Self {
        Self { id: String::new(), keyword: String::new(), whole_word: WHOLE_WORD, removed: false }
    }
}

/// The submitted form. Browsers do not send a checkbox that is not ticked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FilterForm {
    title: String,
    context: Vec<String>,
    filter_action: String,
    /// Seconds; empty for never.
    expires_in: String,
    keywords_attributes: Vec<KeywordForm>,
    /// Whether the person only wants more lines for keywords.
    more: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct KeywordForm {
    id: String,
    keyword: String,
    whole_word: bool,
    #[serde(rename = "_destroy")]
    removed: bool,
}

impl FilterForm {
    /// Returns the form of a new filter.
    fn new() -> Self {
        Self {
            context: FilterContext::ALL.map(|context| context.as_str().to_owned()).into(),
            filter_action: FilterAction::default().as_str().to_owned(),
            ..Self::default()
        }
    }

    /// Returns the form with the present values of a filter.
    fn of(filter: &Filter) -> Self {
        let head = &filter.head;
        let keywords = filter.keywords.iter().map(|keyword| KeywordForm {
            id: keyword.id.to_string(),
            keyword: keyword.keyword.clone(),
            whole_word: keyword.whole_word,
            removed: false,
        });
        Self {
            title: head.title.clone(),
            context: head.contexts.iter().map(|context| context.as_str().to_owned()).collect(),
            filter_action: head.action.as_str().to_owned(),
            expires_in: KEEP.to_owned(),
            keywords_attributes: keywords.collect(),
            more: false,
        }
    }

    /// Converts the form into the input of the use cases. Empty lines for new keywords are left
    /// out.
    fn draft(&self) -> Result<FilterDraft, Domain> {
        let is_used = |line: &&KeywordForm| !line.id.is_empty() || !line.keyword.is_empty();
        let keyword = |line: &KeywordForm| KeywordDraft {
            id: Some(line.id.clone()),
            keyword: Some(line.keyword.clone()),
            whole_word: Some(line.whole_word),
            destroy: line.removed,
        };
        Ok(FilterDraft {
            title: Some(self.title.clone()),
            contexts: Some(self.context.clone()),
            action: Some(self.filter_action.clone()),
            expiry: expiry(&self.expires_in)?,
            keywords: self.keywords_attributes.iter().filter(is_used).map(keyword).collect(),
        })
    }

    /// Returns the lines of the form, with at least some empty ones.
    fn lines(&self) -> Vec<Line> {
        let typed = self.keywords_attributes.iter().map(|line| Line {
            id: line.id.clone(),
            keyword: line.keyword.clone(),
            whole_word: line.whole_word,
            removed: line.removed,
        });
        let mut lines: Vec<Line> = typed.collect();
        let is_empty = |line: &&Line| line.id.is_empty() && line.keyword.is_empty();
        let empty = lines.iter().rev().take_while(is_empty).count();
        let wanted = if self.more { empty + SPARE_LINES } else { SPARE_LINES };
        lines.extend((empty..wanted).map(|_| Line::empty()));
        lines
    }
}

/// Returns the expiry of a filter. `None` keeps the stored one.
fn expiry(typed: &str) -> Result<Option<Expiry>, Domain> {
    match typed {
        KEEP => Ok(None),
        "" => Ok(Some(Expiry::Never)),
        seconds => {
            let seconds = seconds.parse().map_err(|_| Domain::invalid("Expires in is invalid"))?;
            Expiry::seconds(seconds).map(Some)
        }
    }
}

async fn list(
    app: web::Data<App>,
    member: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let (account, now) = (member.signed_in.account, app.now());
    let found = app.read(move |conn| filters::list(conn, account)).await?;
    let page = FiltersPage {
        frame: Frame::of(&app, &member.browser, TITLE),
        done: match done.done.as_deref() {
            Some("created") => Some("The filter was created."),
            Some("saved") => Some("The filter was saved."),
            Some("deleted") => Some("The filter was deleted."),
            _ => None,
        },
        problem: None,
        filters: found.iter().map(|filter| FilterItem::of(filter, now)).collect(),
    };
    Ok(show(StatusCode::OK, &page)?)
}

async fn show_new(app: web::Data<App>, member: Member) -> Result<HttpResponse, PageError> {
    let page = new_page(&app, &member.browser, &FilterForm::new(), Problems::default());
    Ok(show(StatusCode::OK, &page)?)
}

async fn create(app: web::Data<App>, form: PostedMember) -> Result<HttpResponse, PageError> {
    let typed: FilterForm = form.posted.decode()?;
    let page = |problems| new_page(&app, &form.posted.browser, &typed, problems);
    if typed.more {
        return Ok(show(StatusCode::OK, &page(Problems::default()))?);
    }
    let owner = form.signed_in.account;
    let created = match typed.draft().and_then(filters::prepare_new) {
        Ok(new) => {
            let create = move |tx: &mut Tx<'_>, owner| filters::create(tx, owner, &new);
            app.change_filters(owner, create).await.map(drop)
        }
        Err(error) => Err(error),
    };
    match created {
        Ok(()) => Ok(done(&app, "created")),
        Err(error) => show_problem(&page(Problems::of(error, FIELDS)?.labelled(LABELS))),
    }
}

async fn show_filter(
    app: web::Data<App>,
    member: Member,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let filter = find(&app, &member.browser, &id).await?;
    let form = FilterForm::of(&filter);
    let page = page_of(&app, &member.browser, &filter, &form, Problems::default());
    Ok(show(StatusCode::OK, &page)?)
}

async fn change(
    app: web::Data<App>,
    id: Path<String>,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    let typed: FilterForm = form.posted.decode()?;
    let browser = &form.posted.browser;
    if typed.more {
        let filter = find(&app, browser, &id).await?;
        let page = page_of(&app, browser, &filter, &typed, Problems::default());
        return Ok(show(StatusCode::OK, &page)?);
    }
    let owner = form.signed_in.account;
    let changed = match typed.draft().and_then(filters::prepare_edit) {
        Ok(edit) => {
            let id = id.to_string();
            let edit = move |tx: &mut Tx<'_>, owner| filters::edit(tx, owner, &id, &edit);
            app.change_filters(owner, edit).await.map(drop)
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(()) => Ok(done(&app, "saved")),
        Err(error) => {
            let problems = Problems::of(error, FIELDS)?.labelled(LABELS);
            let filter = find(&app, browser, &id).await?;
            show_problem(&page_of(&app, browser, &filter, &typed, problems))
        }
    }
}

async fn delete(
    app: web::Data<App>,
    id: Path<String>,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    let delete = move |tx: &mut Tx<'_>, owner| filters::remove(tx, owner, &id);
    app.change_filters(form.signed_in.account, delete).await?;
    Ok(done(&app, "deleted"))
}

async fn find(app: &App, browser: &Browser, id: &str) -> Result<Filter, PageError> {
    let owner = browser.signed_in.as_ref().ok_or(Domain::NotFound)?.account;
    let id = id.to_owned();
    Ok(app.read(move |conn| filters::find(conn, owner, &id)).await?)
}

fn done(app: &App, what: &str) -> HttpResponse {
    see_other(&app.urls().page(&format!("{PAGE}?done={what}")))
}

fn show_problem(page: &FilterPage) -> Result<HttpResponse, PageError> {
    Ok(show(page.problems.status(), page)?)
}

fn new_page(app: &App, browser: &Browser, form: &FilterForm, problems: Problems) -> FilterPage {
    let frame = Frame::of(app, browser, "New filter");
    filter_page(frame, PAGE.to_owned(), form, lifetimes(&form.expires_in), problems)
}

fn page_of(
    app: &App,
    browser: &Browser,
    filter: &Filter,
    form: &FilterForm,
    problems: Problems,
) -> FilterPage {
    let frame = Frame::of(app, browser, "Change a filter");
    let action = format!("{PAGE}/{}", filter.head.id);
    let present = match filter.head.expires_at {
        None => "Never, as now".to_owned(),
        Some(at) => format!("As now: {}", Moment::of(at, app.now()).spoken),
    };
    let keep = Choice { value: KEEP.to_owned(), words: present, chosen: form.expires_in == KEEP };
    let lifetimes = std::iter::once(keep).chain(lifetimes(&form.expires_in)).collect();
    filter_page(frame, action, form, lifetimes, problems)
}

fn lifetimes(chosen: &str) -> Vec<Choice> {
    let choice = |(value, words): (&str, &str)| Choice {
        value: value.to_owned(),
        words: words.to_owned(),
        chosen: value == chosen,
    };
    LIFETIMES.map(choice).into()
}

fn filter_page(
    frame: Frame,
    action: String,
    form: &FilterForm,
    lifetimes: Vec<Choice>,
    problems: Problems,
) -> FilterPage {
    let contexts = FilterContext::ALL.map(|context| Choice {
        value: context.as_str().to_owned(),
        words: words_of_context(context).to_owned(),
        chosen: form.context.iter().any(|name| name == context.as_str()),
    });
    let actions = FilterAction::ALL.map(|action| Choice {
        value: action.as_str().to_owned(),
        words: words_of_action(action).to_owned(),
        chosen: form.filter_action == action.as_str(),
    });
    FilterPage {
        frame,
        problem: problems.of_form(),
        problems,
        action,
        title: form.title.clone(),
        contexts: contexts.into(),
        actions: actions.into(),
        lifetimes,
        lines: form.lines(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, keyword: &str) -> KeywordForm {
        KeywordForm { id: id.to_owned(), keyword: keyword.to_owned(), ..KeywordForm::default() }
    }

    #[test]
    fn empty_lines_are_no_keywords() {
        let keywords_attributes = vec![line("", "bird"), line("", ""), line("7", "")];
        let form = FilterForm { keywords_attributes, ..FilterForm::new() };
        let keywords = form.draft().unwrap().keywords;
        let texts: Vec<_> = keywords.iter().map(|one| one.keyword.as_deref().unwrap()).collect();
        assert_eq!(texts, ["bird", ""]);
    }

    #[test]
    fn a_form_has_some_empty_lines() {
        let count = |lines: Vec<KeywordForm>, more| {
            FilterForm { keywords_attributes: lines, more, ..FilterForm::new() }.lines().len()
        };
        assert_eq!(count(Vec::new(), false), SPARE_LINES);
        assert_eq!(count(vec![line("1", "a"), line("", "")], false), 1 + SPARE_LINES);
        assert_eq!(count(vec![line("1", "a"), line("", "")], true), 2 + SPARE_LINES);
    }

    #[test]
    fn an_expiry_is_kept_or_chosen() {
        assert_eq!(expiry(KEEP).unwrap(), None);
        assert_eq!(expiry("").unwrap(), Some(Expiry::Never));
        assert!(matches!(expiry("1800").unwrap(), Some(Expiry::In(_))));
        assert!(expiry("soon").is_err() && expiry("-1").is_err());
    }
}
