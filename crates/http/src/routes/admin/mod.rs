//! `/api/v1/admin`: the interface for staff. The extractor `Staff` checks scope and permission.

pub(super) mod accounts;
mod actions;
mod appeals;
mod audit_log;
pub(super) mod bulk_reports;
mod canonical_email_blocks;
mod dimensions;
mod domain_allows;
mod domain_blocks;
mod email_domain_blocks;
mod instance_texts;
mod ip_blocks;
mod jobs;
mod measures;
mod reports;
mod retention;
pub(super) mod roles;
mod second_factors;
mod statuses;
mod storage;
mod strikes;
mod trends;

use crate::table::Table;

pub(super) fn configure(table: &mut Table) {
    table
        .configure(accounts::configure)
        .configure(actions::configure)
        .configure(appeals::configure)
        .configure(audit_log::configure)
        .configure(bulk_reports::configure)
        .configure(canonical_email_blocks::configure)
        .configure(dimensions::configure)
        .configure(domain_allows::configure)
        .configure(domain_blocks::configure)
        .configure(email_domain_blocks::configure)
        .configure(instance_texts::configure)
        .configure(ip_blocks::configure)
        .configure(jobs::configure)
        .configure(measures::configure)
        .configure(reports::configure)
        .configure(retention::configure)
        .configure(roles::configure)
        .configure(second_factors::configure)
        .configure(statuses::configure)
        .configure(storage::configure)
        .configure(strikes::configure)
        .configure(trends::configure);
}
