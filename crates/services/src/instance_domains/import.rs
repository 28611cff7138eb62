//! Import of a list of domain blocks, and its dry run. Both judge a line by the same function.

use std::collections::{HashMap, HashSet};

use siskin_entities::{
    Actor, BlockValues, DomainBlockImport, DomainLimits, ImportResult, ImportedLine,
    InstanceDomainBlock, Timestamp,
};
use siskin_ids::InstanceDomainBlockId;
use siskin_persistence::{
    Conn, Tx,
    instance_domains::{self as rows, NewBlock},
};
use siskin_policy::domains::{conflict, covering};

use super::{
    BlockChanges, Blocking, CONFLICT, ChangeRequest, NewDomainBlock,
    blocks::{self, digest},
    limits, list_all,
    list_file::{LineValues, ParsedLine},
};
use crate::{Error, Result};

/// Number of lines that are imported in one transaction, so that other writers do not wait.
pub const IMPORTED_AT_ONCE: usize = 100;

/// Id of blocks that a dry run simulates.
const UNSTORED: InstanceDomainBlockId = InstanceDomainBlockId::new(0);

/// What a line means for the blocks that are present.
enum Verdict {
    Add(NewDomainBlock),
    /// The block after and before the change.
    Change(InstanceDomainBlock, InstanceDomainBlock),
    Unchanged(InstanceDomainBlock),
    Conflict(InstanceDomainBlock),
}

impl LineValues {
    /// Judges a line by the blocks that cover its domain.
    fn judge(&self, present: &[InstanceDomainBlock]) -> Verdict {
        if let Some(before) = present.iter().find(|block| block.domain == self.domain) {
            if self.is_repeat {
                // The first line about the domain has decided, with the values of all.
                return Verdict::Unchanged(before.clone());
            }
            let after = self.changes().of(before);
            return if after == *before {
                Verdict::Unchanged(after)
            } else {
                Verdict::Change(after, before.clone())
            };
        }
        let new = self.new_block();
        match conflict(&self.domain, new.0.limits, present) {
            Some(existing) => Verdict::Conflict(existing.clone()),
            None => Verdict::Add(new),
        }
    }

    /// Returns the changes of an existing block. What the line does not say stays.
    fn changes(&self) -> BlockChanges {
        blocks::changes(ChangeRequest {
            severity: self.severity,
            reject_media: self.reject_media,
            reject_reports: self.reject_reports,
            private_comment: None,
            public_comment: self.public_comment.clone().map(Some),
            obfuscate: self.obfuscate,
        })
    }

    /// Returns the new block.
    fn new_block(&self) -> NewDomainBlock {
        NewDomainBlock(NewBlock {
            domain: self.domain.clone(),
            digest: digest(&self.domain),
            limits: DomainLimits {
                severity: self.new_severity,
                reject_media: self.reject_media.unwrap_or_default(),
                reject_reports: self.reject_reports.unwrap_or_default(),
            },
            private_comment: None,
            public_comment: self.public_comment.clone(),
            obfuscate: self.obfuscate.unwrap_or_default(),
        })
    }
}

impl ParsedLine {
    /// Returns the domain in its stored form, or the text of an invalid line.
    fn domain(&self) -> &str {
        self.values.as_ref().map_or(self.typed.as_str(), |values| values.domain.as_str())
    }

    fn accepted(
        &self,
        result: ImportResult,
        block: &InstanceDomainBlock,
        existing: Option<InstanceDomainBlock>,
    ) -> ImportedLine {
        let values = BlockValues {
            limits: block.limits,
            public_comment: block.public_comment.clone(),
            obfuscate: block.obfuscate,
        };
        let problem = None;
        let (number, domain) = (self.number, self.domain().to_owned());
        ImportedLine { number, domain, result, problem, values: Some(values), existing }
    }

    fn refused(
        &self,
        result: ImportResult,
        problem: &str,
        existing: Option<InstanceDomainBlock>,
    ) -> ImportedLine {
        let problem = Some(problem.to_owned());
        let (number, domain) = (self.number, self.domain().to_owned());
        ImportedLine { number, domain, result, problem, values: None, existing }
    }
}

/// Returns what the import of these lines would do. Stores nothing.
///
/// # Errors
/// Storage errors only.
pub fn dry_run(conn: &mut Conn, lines: &[ParsedLine]) -> Result<DomainBlockImport> {
    let stored = list_all(conn)?;
    let only_here = missing_in(lines, &stored);
    let mut simulated: HashMap<String, InstanceDomainBlock> =
        stored.into_iter().map(|block| (block.domain.clone(), block)).collect();
    let lines = lines.iter().map(|line| simulate(line, &mut simulated)).collect();
    Ok(DomainBlockImport { is_dry_run: true, lines, only_here })
}

/// Judges a line, and stores its result in `blocks` for the lines after it.
fn simulate(line: &ParsedLine, blocks: &mut HashMap<String, InstanceDomainBlock>) -> ImportedLine {
    let values = match &line.values {
        Ok(values) => values,
        Err(problem) => return line.refused(ImportResult::Invalid, problem, None),
    };
    let present = covering(&values.domain).into_iter().filter_map(|it| blocks.get(it).cloned());
    let present: Vec<InstanceDomainBlock> = present.collect();
    let if_stored = |block: InstanceDomainBlock| (block.id != UNSTORED).then_some(block);
    match values.judge(&present) {
        Verdict::Add(NewDomainBlock(new)) => {
            let block = unstored(new);
            let imported = line.accepted(ImportResult::Added, &block, None);
            blocks.insert(block.domain.clone(), block);
            imported
        }
        Verdict::Change(after, before) => {
            let imported = line.accepted(ImportResult::Changed, &after, if_stored(before));
            blocks.insert(after.domain.clone(), after);
            imported
        }
        Verdict::Unchanged(block) => line.accepted(ImportResult::Unchanged, &block, None),
        Verdict::Conflict(existing) => {
            line.refused(ImportResult::Conflicting, CONFLICT, if_stored(existing))
        }
    }
}

fn unstored(new: NewBlock) -> InstanceDomainBlock {
    InstanceDomainBlock {
        id: UNSTORED,
        domain: new.domain,
        digest: new.digest,
        limits: new.limits,
        private_comment: new.private_comment,
        public_comment: new.public_comment,
        obfuscate: new.obfuscate,
        created_at: Timestamp::from_unix_ms(0),
    }
}

/// Imports some lines of a list, in order. A job then limits the accounts of the domains. Each
/// block that is created or changed has its own entry in the audit log.
///
/// # Errors
/// [`Error::Conflict`] if a block is deleted at the same time.
pub fn apply(tx: &mut Tx<'_>, actor: Actor, lines: &[ParsedLine]) -> Result<Vec<ImportedLine>> {
    let mut imported = Vec::with_capacity(lines.len());
    for line in lines {
        imported.push(match &line.values {
            Ok(values) => apply_line(tx, actor, line, values)?,
            Err(problem) => line.refused(ImportResult::Invalid, problem, None),
        });
    }
    let is_new =
        |it: &&ImportedLine| matches!(it.result, ImportResult::Added | ImportResult::Changed);
    let changed = imported.iter().filter(is_new).map(|line| line.domain.clone()).collect();
    limits::enqueue_known(tx, changed)?;
    Ok(imported)
}

fn apply_line(
    tx: &mut Tx<'_>,
    actor: Actor,
    line: &ParsedLine,
    values: &LineValues,
) -> Result<ImportedLine> {
    let present = rows::covering(tx, covering(&values.domain))?;
    Ok(match values.judge(&present) {
        Verdict::Add(new) => match blocks::insert(tx, actor, &new)? {
            Blocking::Created(block) => line.accepted(ImportResult::Added, &block, None),
            Blocking::Conflict(existing) => {
                line.refused(ImportResult::Conflicting, CONFLICT, Some(existing))
            }
        },
        Verdict::Change(_, before) => {
            let gone = || Error::Conflict("Another request changed this, try again".to_owned());
            let before = rows::lock(tx, before.id)?.ok_or_else(gone)?;
            let after = values.changes().of(&before);
            blocks::store_change(tx, actor, &after)?;
            line.accepted(ImportResult::Changed, &after, Some(before))
        }
        Verdict::Unchanged(block) => line.accepted(ImportResult::Unchanged, &block, None),
        Verdict::Conflict(existing) => {
            line.refused(ImportResult::Conflicting, CONFLICT, Some(existing))
        }
    })
}

/// Returns the domains that are blocked here and are not among these lines, in order.
///
/// # Errors
/// Storage errors only.
pub fn only_here(conn: &mut Conn, lines: &[ParsedLine]) -> Result<Vec<String>> {
    Ok(missing_in(lines, &list_all(conn)?))
}

fn missing_in(lines: &[ParsedLine], stored: &[InstanceDomainBlock]) -> Vec<String> {
    let listed: HashSet<&str> = lines.iter().map(ParsedLine::domain).collect();
    let domains = stored.iter().map(|block| block.domain.as_str());
    let mut missing: Vec<String> =
        domains.filter(|domain| !listed.contains(domain)).map(str::to_owned).collect();
    missing.sort_unstable();
    missing
}
