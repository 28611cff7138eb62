//! Notifies staff about new reports, by a job, so that the request stays short.

use serde::{Deserialize, Serialize};
use siskin_entities::NotificationKind;
use siskin_ids::ReportId;
use siskin_persistence::{Tx, notifications::Cause, reports as rows};

use super::staff;
use crate::{
    Result,
    emails::{self, Email},
    jobs::Job,
    notifications,
};

/// Job that notifies staff about a new report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyStaff {
    pub report: ReportId,
}

impl Job for NotifyStaff {
    const KIND: &'static str = "reports.notify_staff";
}

/// Runs [`NotifyStaff`]. Each member of staff that handles the report gets a notification and an
/// email, except for the reporter. Does nothing if the report was deleted.
///
/// # Errors
/// Storage errors only.
pub fn notify_staff(tx: &mut Tx<'_>, job: &NotifyStaff) -> Result<()> {
    let Some(report) = rows::find(tx, job.report)? else { return Ok(()) };
    let mut staff = staff::handling(tx, report.target)?;
    staff.retain(|account| *account != report.account);
    let cause = Cause {
        record: Some(report.id.get()),
        ..Cause::new(report.account, NotificationKind::AdminReport, None)
    };
    notifications::create(tx, cause, &staff)?;
    for account in staff {
        emails::enqueue(tx, Email::NewReport { account, report: report.id })?;
    }
    Ok(())
}
