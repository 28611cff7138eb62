//! `siskin email-domain-blocks …`, `canonical-email-blocks …` and `ip-blocks …`.

pub mod canonical_emails;
pub mod email_domains;
pub mod ips;

use anyhow::Result;
use serde_json::Value;
use siskin_entities::{Cursor, Page, PageRequest};

use crate::{
    cli::Options,
    output::{Listing, print_json, print_line},
};

/// Number of blocks that are loaded at once.
const PAGE: i64 = 200;

/// Prints all blocks, the newest first. `load` loads a page of them.
fn list<T>(
    options: &Options,
    mut load: impl FnMut(PageRequest) -> Result<Page<T>>,
    shown: fn(&T) -> (String, Value),
) -> Result<()> {
    let mut listing = Listing::new(options.json);
    let mut request = PageRequest::newest(PAGE);
    loop {
        let page = load(request)?;
        for block in &page.items {
            let (line, value) = shown(block);
            listing.entry(&line, &value)?;
        }
        let Some(oldest) = page.oldest.filter(|_| page.full) else { return listing.end() };
        request.cursor = Cursor { max: Some(oldest), ..Cursor::default() };
    }
}

/// Prints one block. `done` says what happened to it.
fn report(options: &Options, done: &str, (line, value): (String, Value)) -> Result<()> {
    if options.json { print_json(&value) } else { print_line(&format!("{done} {line}")) }
}
