//! `/api/v1/admin/reports`.

mod bulk;
mod decide;
mod list;
mod notes;
mod notified;

const REPORTS: &str = "/api/v1/admin/reports";
