//! Private notes of staff on reports.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, ReportNote, Timestamp};
use siskin_ids::{AccountId, ReportId, ReportNoteId};

use crate::{
    Conn, Result, Tx, accounts,
    page::{cut_rows, page},
    schema::report_notes,
};

type Row = (ReportNoteId, ReportId, AccountId, String, i64);

/// Inserts a note on a report.
pub fn add_note(
    tx: &mut Tx<'_>,
    report: ReportId,
    author: AccountId,
    content: &str,
) -> Result<ReportNote> {
    let (id, now) = (ReportNoteId::new(tx.next_id()), tx.now());
    diesel::insert_into(report_notes::table)
        .values((
            report_notes::id.eq(id),
            report_notes::report_id.eq(report),
            report_notes::account_id.eq(author),
            report_notes::content.eq(content),
            report_notes::created_at.eq(now.unix_ms()),
        ))
        .execute(&mut **tx)?;
    let author = accounts::find(tx, author)?;
    Ok(ReportNote { id, report, author, content: content.to_owned(), created_at: now })
}

/// Loads a page of the notes on a report, newest first.
pub fn notes(conn: &mut Conn, report: ReportId, request: PageRequest) -> Result<Page<ReportNote>> {
    let query = report_notes::table.filter(report_notes::report_id.eq(report)).select((
        report_notes::id,
        report_notes::report_id,
        report_notes::account_id,
        report_notes::content,
        report_notes::created_at,
    ));
    let rows: Vec<Row> = cut_rows!(conn, query, report_notes::id, request)?;
    let authors: Vec<AccountId> = rows.iter().map(|(_, _, author, ..)| *author).collect();
    let authors = accounts::load(conn, &authors)?;
    let note = |(id, report, author, content, created_at): Row| ReportNote {
        id,
        report,
        author: authors.get(&author).cloned(),
        content,
        created_at: Timestamp::from_unix_ms(created_at),
    };
    let notes: Vec<ReportNote> = rows.into_iter().map(note).collect();
    Ok(page(notes, request, |note| note.id.get()))
}

/// Returns the author of a note on this report. The account may be deleted. `None` if there is no
/// such note.
pub fn note_author(
    conn: &mut Conn,
    report: ReportId,
    id: ReportNoteId,
) -> Result<Option<AccountId>> {
    let author = report_notes::table
        .find(id)
        .filter(report_notes::report_id.eq(report))
        .select(report_notes::account_id);
    Ok(author.first(conn).optional()?)
}

/// Deletes a note. Returns `false` if there was none with this id.
pub fn delete_note(tx: &mut Tx<'_>, id: ReportNoteId) -> Result<bool> {
    Ok(diesel::delete(report_notes::table.find(id)).execute(&mut **tx)? == 1)
}
