//! Writes the exports of accounts: their statuses as lines of JSON, in the form of the API.

use siskin_entities::{ExportPart, Status};
use siskin_media::{FileName, FileType};
use siskin_services::{
    Error, Result,
    exports::{self, Progress, Step, WriteExport},
};
use siskin_wire::pieces::{self, Pieces};

use crate::{App, Finish, JobHandler, app::blocking, nothing_to_store};

/// Runs [`WriteExport`]: stores a file with the next statuses, and then its row. The filters of the
/// owner do not apply, because an export shows nothing in a place.
#[derive(Debug, Clone, Copy)]
pub struct ExportWriter;

impl JobHandler for ExportWriter {
    type Job = WriteExport;

    async fn run(&self, app: &App, job: WriteExport) -> Result<Finish> {
        let step = app.read(move |conn| exports::next_step(conn, job.export)).await?;
        let Some(Step { export, last, statuses }) = step else { return nothing_to_store() };
        let Some(last) = last else {
            return Ok(Box::new(move |tx| exports::complete(tx, export)));
        };
        let count = i64::try_from(statuses.len()).unwrap_or_default();
        let part = store(app, statuses).await?;
        let progress = Progress { last, statuses: count, part };
        Ok(Box::new(move |tx| exports::save(tx, export, &progress)))
    }
}

/// Stores a file with these statuses. Returns `None` if there are none.
async fn store(app: &App, statuses: Vec<Status>) -> Result<Option<ExportPart>> {
    if statuses.is_empty() {
        return Ok(None);
    }
    let lines = render(app.clone(), statuses).await?;
    let bytes = i64::try_from(lines.len()).unwrap_or_default();
    let name = FileName::random(FileType::Export);
    let written = app.media().storage().write(&name, lines).await;
    written.map_err(|error| Error::Unavailable(Box::new(error)))?;
    Ok(Some(ExportPart { file: name.to_string(), bytes }))
}

/// Renders one line of JSON for each status, on a blocking thread.
async fn render(app: App, statuses: Vec<Status>) -> Result<Vec<u8>> {
    blocking(move || {
        let pieces = Pieces { urls: app.urls(), now: app.now() };
        let mut lines = Vec::new();
        for status in &statuses {
            pieces::write_status(&mut lines, status, &pieces);
            lines.push(b'\n');
        }
        Ok(lines)
    })
    .await
}
