//! Reports of accounts to the staff: their creation, what staff see of them and do with them.
//!
//! Staff see reported statuses of every visibility (`docs/decisions/0040-reports.md`).

mod create;
mod handle;
mod notes;
mod notify;
mod resolve;
mod shown;
mod staff;

use siskin_entities::Report;
use siskin_ids::ReportId;
use siskin_persistence::{Conn, reports as rows};

use crate::{Error, Result};

pub use create::{Draft, SentReport, create, prepare, submitted};
pub use handle::{
    Changes, assign_to_self, decide_some, prepare_changes, reopen, resolve, unassign, update,
};
pub use notes::{add_note, delete_note, notes};
pub use notify::{NotifyStaff, notify_staff};
pub use resolve::{ResolveReports, resolve_about, resolve_some};
pub use shown::{Selection, list, load, show};
pub(crate) use staff::{VisibleReports, is_handled_by};

/// Returns the report with this id.
///
/// # Errors
/// [`Error::NotFound`] if there is none.
pub fn find(conn: &mut Conn, id: ReportId) -> Result<Report> {
    rows::find(conn, id)?.ok_or(Error::NotFound)
}
