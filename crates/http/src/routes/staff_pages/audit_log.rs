//! `/admin/audit-log`: what staff and the operator did.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Actor, AuditEntry, AuditTarget, Page, TargetKind, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::Conn;
use siskin_policy::{limits::LONG_PAGE, roles::ViewAuditLog};
use siskin_services::{
    Error as Domain, Instance, accounts,
    audit::{self, AuditSelection},
};

use super::{
    fields::{Field, InputForm},
    forms::{first_page, with_params},
    layout::{Link, Section, Viewer},
    rows::{Cell, DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm, Problem},
    paging::PageQuery,
    params::{chosen, record_id},
    routes::public::neighbours::Neighbours,
    staff::StaffMember,
    table::Table,
};

const PAGE: &str = "/admin/audit-log";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(list));
}

/// Which entries are shown. People type names; links have ids, which accounts keep.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Filter {
    /// Name of a member of staff.
    by: String,
    /// Handle of an account that something was done to.
    about: String,
    account_id: String,
    target_kind: String,
    target_id: String,
}

impl Filter {
    fn selection(&self, conn: &mut Conn, instance: &Instance) -> Result<AuditSelection, Domain> {
        let mut find = |label: &str, typed: &str| match accounts::lookup(conn, instance, typed) {
            Ok(account) => Ok(account.id),
            Err(Domain::NotFound) => {
                Err(Domain::invalid(format!("{label}: no account has this name")))
            }
            Err(error) => Err(error),
        };
        let account = match chosen(Some(self.by.trim())) {
            Some(name) => Some(find("By", name)?),
            None => self.account_of_link()?,
        };
        let target = match chosen(Some(self.about.trim())) {
            Some(handle) => Some((TargetKind::Account, find("About", handle)?.get())),
            None => self.target_of_link()?,
        };
        Ok(AuditSelection { account, target })
    }

    fn account_of_link(&self) -> Result<Option<AccountId>, Domain> {
        let id = chosen(Some(self.account_id.as_str()));
        id.map(record_id).transpose()
    }

    fn target_of_link(&self) -> Result<Option<(TargetKind, i64)>, Domain> {
        let (kind, id) = (chosen(Some(&self.target_kind)), chosen(Some(&self.target_id)));
        let Some((kind, id)) = kind.zip(id) else { return Ok(None) };
        let kind = kind.parse().map_err(|_| Domain::NotFound)?;
        Ok(Some((kind, record_id(id)?)))
    }

    fn is_by_link(&self) -> bool {
        !self.account_id.is_empty() || !self.target_id.is_empty()
    }
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ViewAuditLog>,
    http: HttpRequest,
    PageForm(page): PageForm<PageQuery>,
    PageForm(filter): PageForm<Filter>,
) -> Result<HttpResponse, PageError> {
    let (request, instance, asked) =
        (page.request(LONG_PAGE)?, app.instance().clone(), filter.clone());
    let loaded = app
        .read(move |conn| {
            let selection = asked.selection(conn, &instance)?;
            audit::list(conn, selection, request)
        })
        .await;
    let (found, problem) = match loaded {
        Ok(found) => (found, None),
        Err(error) => (Page::of(Vec::new(), 0, |_| 0), Some(Problem::of(error)?)),
    };
    let form = InputForm::get("filter", PAGE, "Search")
        .with(Field::text("by", "By", &filter.by).hint("The name of a member of staff."))
        .with(Field::text("about", "About", &filter.about).hint("An account, such as @bob."))
        .refused(problem.as_ref());
    let now = app.now();
    let columns = ["By", "Action", "About", "When"];
    let table = DataTable::new("Entries", &columns, "There are no entries here.")
        .rows(found.items.iter().map(|entry| row(entry, now)))
        .paged(Neighbours::of(&first_page(&http), &found, request));
    let all = filter.is_by_link().then(|| Link::new(PAGE, "All entries"));
    Viewer::of(&app, &staff)
        .layout(PAGE, "Audit log")
        .refused(problem.as_ref())
        .with(Section::untitled().form(form).links(all.into_iter().collect()).table(table))
        .show()
}

fn row(entry: &AuditEntry, now: Timestamp) -> Row {
    let cells = vec![
        Cell::text(spoken(entry.action.as_str())),
        target(&entry.target),
        Cell::time(entry.created_at, now),
    ];
    match entry.actor {
        Actor::Operator => Row::new("The operator", cells),
        Actor::Staff(account) => {
            let name = match entry.actor_name.as_str() {
                "" => "A deleted account".to_owned(),
                name => format!("@{name}"),
            };
            let of_them = with_params(PAGE, &[("account_id", &account.to_string())]);
            Row::new(name, cells).linked(of_them)
        }
    }
}

/// Returns the target with a link to the other entries about it.
fn target(target: &AuditTarget) -> Cell {
    let kind = target.kind.as_str();
    let described = kind.replace('_', " ");
    // The picture of the server is the only one of its kind, and has the name of it.
    let is_said = described.ends_with(&target.name);
    let words = if is_said { described } else { format!("{described} {}", target.name) };
    match target.id {
        None => Cell::Text(words),
        Some(id) => {
            let about = [("target_kind", kind), ("target_id", &*id.to_string())];
            Cell::Link(Link::new(with_params(PAGE, &about), words))
        }
    }
}

/// Returns a name of the API as the beginning of a sentence.
fn spoken(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_actions_become_words() {
        assert_eq!(spoken("mark_sensitive"), "Mark sensitive");
        assert_eq!(spoken(""), "");
    }

    #[test]
    fn targets_link_to_the_entries_about_them() {
        let named = |kind, id| AuditTarget { kind, id, name: "@bob".to_owned() };
        let Cell::Link(link) = target(&named(TargetKind::Account, Some(7))) else { panic!() };
        assert_eq!(link.path, "/admin/audit-log?target_kind=account&target_id=7");
        assert_eq!(link.words, "account @bob");
        assert!(matches!(target(&named(TargetKind::Setting, None)), Cell::Text(_)));
        let picture =
            AuditTarget { kind: TargetKind::InstancePicture, id: None, name: "picture".to_owned() };
        assert!(matches!(target(&picture), Cell::Text(words) if words == "instance picture"));
    }
}
