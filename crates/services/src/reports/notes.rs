//! Private notes of staff on reports.

use siskin_entities::{Actor, AuditAction, Page, PageRequest, ReportNote, TargetKind};
use siskin_ids::{ReportId, ReportNoteId};
use siskin_persistence::{Conn, Tx, reports as rows};
use siskin_policy::{
    limits::MAX_REPORT_NOTE_CHARS,
    reports::{deletes_note, handles},
    roles::Authority,
};
use siskin_text::{TextLimit, is_blank};

use super::handle::{lock, name};
use crate::{
    Error, Result, audit,
    authentication::{authority, not_allowed},
};

/// Returns the text of a note without white space around it.
fn checked(content: &str) -> Result<&str> {
    let content = content.trim();
    if is_blank(content) {
        return Err(Error::validation("Content can't be blank"));
    }
    if !TextLimit::of(MAX_REPORT_NOTE_CHARS).fits_code_points(content) {
        let most = MAX_REPORT_NOTE_CHARS;
        return Err(Error::validation(format!(
            "Content is too long (maximum is {most} characters)"
        )));
    }
    Ok(content)
}

/// Loads a page of the notes on a report, newest first.
///
/// # Errors
/// [`Error::NotFound`] if there is no such report, and if it is about this member of staff.
pub fn notes(
    conn: &mut Conn,
    staff: Authority,
    report: ReportId,
    request: PageRequest,
) -> Result<Page<ReportNote>> {
    let found = rows::find(conn, report)?.filter(|report| handles(staff, report.target));
    found.ok_or(Error::NotFound)?;
    Ok(rows::notes(conn, report, request)?)
}

/// Stores a note on a report. White space around it is removed.
///
/// # Errors
/// As [`notes`]. [`Error::Invalid`] for an empty note, and for one longer than the limit.
pub fn add_note(
    tx: &mut Tx<'_>,
    staff: Authority,
    report: ReportId,
    content: &str,
) -> Result<ReportNote> {
    let report = lock(tx, staff, report)?;
    let note = rows::add_note(tx, report.id, staff.account, checked(content)?)?;
    let target = audit::target(TargetKind::ReportNote, note.id.get(), name(tx, report.target)?);
    audit::record(tx, Actor::Staff(staff.account), AuditAction::Create, &target)?;
    Ok(note)
}

/// Deletes a note on a report: an own one, or one of a member of staff with a lower rank.
///
/// # Errors
/// As [`notes`], also if the report has no such note. [`Error::Forbidden`] if the rank is too low.
pub fn delete_note(
    tx: &mut Tx<'_>,
    staff: Authority,
    report: ReportId,
    id: ReportNoteId,
) -> Result<()> {
    let report = lock(tx, staff, report)?;
    let author = rows::note_author(tx, report.id, id)?.ok_or(Error::NotFound)?;
    if !deletes_note(staff, author, authority(tx, author)?.priority) {
        return Err(not_allowed());
    }
    rows::delete_note(tx, id)?;
    let target = audit::target(TargetKind::ReportNote, id.get(), name(tx, report.target)?);
    audit::record(tx, Actor::Staff(staff.account), AuditAction::Delete, &target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_has_text_of_limited_length() {
        assert_eq!(checked(" looks like spam\n").unwrap(), "looks like spam");
        assert!(checked(&"é".repeat(MAX_REPORT_NOTE_CHARS)).is_ok());
        for refused in ["", " \n", &"e".repeat(MAX_REPORT_NOTE_CHARS + 1)] {
            assert!(checked(refused).is_err());
        }
    }
}
