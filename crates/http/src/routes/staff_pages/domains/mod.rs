//! `/admin/domains`: other servers that staff block or allow.

mod allowed;
mod blocks;
mod form;
mod import;

use siskin_entities::DomainSeverity;

use super::layout::Tab;
use crate::table::Table;

/// The area, and its first page.
const PAGE: &str = "/admin/domains";
const IMPORT: &str = "/admin/domains/import";
const ALLOWED: &str = "/admin/domains/allowed";

pub(super) fn configure(table: &mut Table) {
    table
        .configure(allowed::configure)
        .configure(import::configure)
        // Its paths end with a name, so they come last.
        .configure(blocks::configure);
}

/// Returns the links to the pages of the area. `current` is the path of one of them.
fn tabs(current: &str) -> Vec<Tab> {
    let tab = |(path, words): (&str, &'static str)| Tab {
        path: path.to_owned(),
        words,
        current: path == current,
    };
    [(PAGE, "Blocked servers"), (IMPORT, "Import and export"), (ALLOWED, "Allowed servers")]
        .map(tab)
        .into()
}

/// Returns what a block does to the accounts of its domain, in words.
const fn effect(severity: DomainSeverity) -> &'static str {
    match severity {
        DomainSeverity::Noop => "Not changed",
        DomainSeverity::Silence => "Limited",
        DomainSeverity::Suspend => "Suspended",
    }
}
