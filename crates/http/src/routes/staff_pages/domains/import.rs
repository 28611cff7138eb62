//! Import of a list of domain blocks, with the differences shown first, and its export.

use actix_web::{
    HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{BlockValues, DomainBlockImport, ImportResult, ImportedLine, Urls};
use siskin_policy::roles::ManageFederation;
use siskin_services::{
    Error as Domain,
    instance_domains::{self, MAX_LINES, ParsedLine},
};
use tokio::task::spawn_blocking;

use super::{IMPORT, PAGE, effect, tabs};
use crate::{
    pages::{PageError, PageForm, Problem},
    routes::staff_pages::{
        fields::{Field, FieldInput, InputForm},
        forms::{counted, with_params},
        layout::{Layout, Link, Section, Viewer},
        rows::{Cell, DataTable, Row},
        see,
    },
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PREVIEW: &str = "/admin/domains/import/preview";
const EXPORT: &str = "/admin/domains/export";
/// Maximum number of lines of each kind on the page.
const MAX_SHOWN: usize = 200;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/admin/domains/import", web::get().to(show))
        .route("/admin/domains/import", web::post().to(import))
        .route(PREVIEW, web::post().to(preview))
        .route(EXPORT, web::get().to(export));
}

/// The last import, in the address after it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Imported {
    added: Option<usize>,
    changed: usize,
}

impl Imported {
    fn message(&self) -> Option<String> {
        let blocks = |count| counted(count, "block", "blocks");
        let Self { added, changed } = self;
        Some(format!("{} added, {} changed.", blocks((*added)?), blocks(*changed)))
    }
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageFederation>,
    PageForm(imported): PageForm<Imported>,
) -> Result<HttpResponse, PageError> {
    layout(Viewer::of(&app, &staff), None).happened(imported.message()).show()
}

fn layout(viewer: Viewer<'_>, problem: Option<&Problem>) -> Layout {
    let form = InputForm::post("import", PREVIEW, "Show the differences")
        .with(
            Field::new("list", "List (CSV)", FieldInput::File(".csv,text/csv")).about("File").hint(
                format!(
                    "In the format of Mastodon, at most {MAX_LINES} lines. Nothing changes before \
                     you have seen the differences."
                ),
            ),
        )
        .refused(problem);
    viewer
        .layout(PAGE, "Import and export of blocked servers")
        .refused(problem)
        .tabs(tabs(IMPORT))
        .with(Section::new("import", "Import").form(form))
        .with(
            Section::new("export", "Export")
                .text("All blocks with their reasons for others. Comments for staff are left out.")
                .links(vec![Link::new(EXPORT, "Download the list (CSV)")]),
        )
}

async fn export(
    app: Data<App>,
    _: StaffMember<ManageFederation>,
) -> Result<HttpResponse, PageError> {
    let list =
        app.read(|conn| instance_domains::export(&instance_domains::list_all(conn)?)).await?;
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"domain_blocks.csv\""))
        .body(list))
}

/// Shows what an import would change. Changes nothing.
async fn preview(
    app: Data<App>,
    form: PostedStaff<ManageFederation>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let file = form.posted.file("list").await?.unwrap_or_default();
    match differences(&app, file.to_vec()).await {
        Ok((text, import)) => preview_layout(viewer, &text, &import).show(),
        Err(error) => layout(viewer, Some(&Problem::of(error)?)).show(),
    }
}

/// Returns the text of a list, and what its import would change.
async fn differences(app: &App, file: Vec<u8>) -> Result<(String, DomainBlockImport), Domain> {
    let (lines, file) = parse(app.urls().clone(), file).await?;
    let import = app.read(move |conn| instance_domains::dry_run(conn, &lines)).await?;
    let text = String::from_utf8(file).map_err(|_| Domain::invalid("File is not UTF-8 text"))?;
    Ok((text, import))
}

/// Parses a list on a blocking thread, because it may have megabytes. Returns the list too.
async fn parse(urls: Urls, file: Vec<u8>) -> Result<(Vec<ParsedLine>, Vec<u8>), Domain> {
    let parse = move || Ok((instance_domains::parse(&urls, &file)?, file));
    spawn_blocking(parse).await.map_err(Domain::internal)?
}

fn preview_layout(viewer: Viewer<'_>, list: &str, import: &DomainBlockImport) -> Layout {
    let changes = import.count(ImportResult::Added) + import.count(ImportResult::Changed);
    let summary = Section::new("summary", "What would change").lines(summary(import));
    let summary = if changes == 0 {
        summary.text("The import would change nothing.")
    } else {
        let form = InputForm::post("apply", IMPORT, "Import the list").multipart();
        summary.form(form.hidden("list", list))
    };
    let layout = viewer
        .layout(PAGE, "Import a list of blocked servers")
        .with(summary.links(vec![Link::new(IMPORT, "Cancel")]));
    let layout = layout.with_some(repeated(import));
    let layout =
        GROUPS.iter().fold(layout, |layout, group| layout.with_some(group.section(import)));
    layout.with_some(only_here(import))
}

/// Returns the section with the domains that are in several lines.
fn repeated(import: &DomainBlockImport) -> Option<Section> {
    let domains = import.repeated();
    let row = |(domain, numbers): &(&str, Vec<u64>)| {
        let numbers = numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        Row::new(*domain, vec![Cell::text(numbers)])
    };
    let rows: Vec<Row> = domains.iter().take(MAX_SHOWN).map(row).collect();
    (!rows.is_empty()).then(|| {
        let words = "Each of these domains gets one block, with the strictest values of its lines.";
        let table = DataTable::new("Domains in several lines", &["Domain", "Lines"], "").rows(rows);
        let section = Section::new("repeated", "Domains in several lines").text(words);
        and_more(section.table(table), domains.len())
    })
}

fn summary(import: &DomainBlockImport) -> Vec<String> {
    let line = |(result, one, many): (ImportResult, &str, &str)| {
        let count = match result {
            ImportResult::Conflicting | ImportResult::Invalid => import.count(result),
            ImportResult::Added | ImportResult::Changed | ImportResult::Unchanged => {
                import.count_domains(result)
            }
        };
        (count > 0).then(|| counted(count, one, many))
    };
    [
        (ImportResult::Added, "new block", "new blocks"),
        (ImportResult::Changed, "changed block", "changed blocks"),
        (ImportResult::Unchanged, "block that stays as it is", "blocks that stay as they are"),
        (ImportResult::Conflicting, "refused line", "refused lines"),
        (ImportResult::Invalid, "line that is no block", "lines that are no blocks"),
    ]
    .into_iter()
    .filter_map(line)
    .collect()
}

/// Lines with the same result.
struct Group {
    result: ImportResult,
    id: &'static str,
    title: &'static str,
    columns: &'static [&'static str],
}

const GROUPS: &[Group] = &[
    Group {
        result: ImportResult::Added,
        id: "added",
        title: "New blocks",
        columns: &["Domain", "Its accounts are", "Also", "Reason for others"],
    },
    Group {
        result: ImportResult::Changed,
        id: "changed",
        title: "Changed blocks",
        columns: &["Domain", "Its accounts are", "Also", "Reason for others", "Before"],
    },
    Group {
        result: ImportResult::Conflicting,
        id: "conflicting",
        title: "Refused lines",
        columns: &["Domain", "Why", "Line"],
    },
    Group {
        result: ImportResult::Invalid,
        id: "invalid",
        title: "Lines that are no blocks",
        columns: &["Domain", "Why", "Line"],
    },
];

impl Group {
    fn section(&self, import: &DomainBlockImport) -> Option<Section> {
        let lines = import.lines.iter().filter(|line| line.result == self.result);
        let rows: Vec<Row> = lines.take(MAX_SHOWN).map(row).collect();
        if rows.is_empty() {
            return None;
        }
        let table = DataTable::new(self.title, self.columns, "").rows(rows);
        let section = Section::new(self.id, self.title).table(table);
        Some(and_more(section, import.count(self.result)))
    }
}

/// Says how many lines the page leaves out.
fn and_more(section: Section, count: usize) -> Section {
    match count.checked_sub(MAX_SHOWN) {
        Some(more @ 1..) => section.text(format!("And {more} more.")),
        _ => section,
    }
}

fn row(line: &ImportedLine) -> Row {
    let Some(values) = &line.values else {
        let why = line.problem.clone().unwrap_or_default();
        let cells = vec![Cell::Text(why), Cell::text(line.number.to_string())];
        return Row::new(&line.domain, cells);
    };
    let mut cells = cells(values);
    if let Some(before) = &line.existing {
        cells.push(Cell::text(effect(before.limits.severity)));
    }
    Row::new(&line.domain, cells)
}

fn cells(values: &BlockValues) -> Vec<Cell> {
    vec![
        Cell::text(effect(values.limits.severity)),
        Cell::tags(&[
            (values.limits.reject_media, "No media"),
            (values.limits.reject_reports, "No reports"),
            (values.obfuscate, "Partly hidden"),
        ]),
        Cell::Lines(values.public_comment.clone().unwrap_or_default()),
    ]
}

/// Returns the section with the blocks that the list does not have. They stay.
fn only_here(import: &DomainBlockImport) -> Option<Section> {
    let count = import.only_here.len();
    let shown: Vec<String> = import.only_here.iter().take(MAX_SHOWN).cloned().collect();
    (count > 0).then(|| {
        let words = "The list does not have these domains. They stay blocked.";
        let section = Section::new("only_here", "Blocked only here").text(words).lines(shown);
        and_more(section, count)
    })
}

/// The list of an import that was confirmed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Confirmed {
    list: String,
}

async fn import(
    app: Data<App>,
    form: PostedStaff<ManageFederation>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let Confirmed { list } = form.posted.decode()?;
    let imported = match parse(app.urls().clone(), list.into_bytes()).await {
        Ok((lines, _)) => app.import_domain_blocks(form.actor(), lines).await,
        Err(error) => Err(error),
    };
    match imported {
        Ok(import) => {
            let count = |result| import.count(result).to_string();
            let (added, changed) = (count(ImportResult::Added), count(ImportResult::Changed));
            Ok(see(&app, &with_params(IMPORT, &[("added", &added), ("changed", &changed)])))
        }
        Err(error) => layout(viewer, Some(&Problem::of(error)?)).show(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_counts_the_blocks() {
        let message = |added, changed| Imported { added, changed }.message();
        assert_eq!(message(Some(1), 2).unwrap(), "1 block added, 2 blocks changed.");
        assert_eq!(message(None, 2), None);
    }
}
