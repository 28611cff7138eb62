//! Blocks and allows of other servers by staff, for the whole instance.

use std::collections::{BTreeMap, HashSet};

use siskin_ids::{InstanceDomainAllowId, InstanceDomainBlockId};

use crate::{
    named::{names, numbers, parses},
    time::Timestamp,
};

/// What a domain block does to the accounts of the domain. The number is stored, and a greater
/// value is a stronger one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DomainSeverity {
    /// Nothing; the block only rejects media or reports.
    Noop,
    /// Silences the accounts.
    Silence,
    /// Suspends the accounts.
    Suspend,
}

names!(DomainSeverity { Noop = "noop", Silence = "silence", Suspend = "suspend" });
numbers!(DomainSeverity, unknown: Noop);
parses!(
    /// Error for a name that is no severity of a domain block.
    DomainSeverity, UnknownDomainSeverity: "unknown severity"
);

/// Everything that a domain block limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DomainLimits {
    /// What happens to the accounts.
    pub severity: DomainSeverity,
    /// Whether their media are not fetched.
    pub reject_media: bool,
    /// Whether reports of the domain are ignored.
    pub reject_reports: bool,
}

/// Block of a domain and its subdomains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceDomainBlock {
    /// Id of the block.
    pub id: InstanceDomainBlockId,
    /// The domain in its stored form: lower-case ASCII.
    pub domain: String,
    /// SHA-256 of the domain in hexadecimal digits. It identifies an obfuscated domain.
    pub digest: String,
    /// What the block limits.
    pub limits: DomainLimits,
    /// Reason for staff; `None` without one.
    pub private_comment: Option<String>,
    /// Reason that may be shown to others; `None` without one.
    pub public_comment: Option<String>,
    /// Whether others see the domain with most characters replaced.
    pub obfuscate: bool,
    /// Time at which it was created.
    pub created_at: Timestamp,
}

/// Domain that may federate, if only allowed ones may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceDomainAllow {
    /// Id of the record.
    pub id: InstanceDomainAllowId,
    /// The domain in its stored form: lower-case ASCII.
    pub domain: String,
    /// Time at which it was created.
    pub created_at: Timestamp,
}

/// Domain block as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownDomainBlock {
    /// The domain, obfuscated if staff chose that.
    pub domain: String,
    /// SHA-256 of the whole domain in hexadecimal digits.
    pub digest: String,
    /// What happens to the accounts.
    pub severity: DomainSeverity,
    /// The reason; `None` without one.
    pub comment: Option<String>,
}

/// What a new domain block would change, for the accounts of the domain and of its subdomains. All
/// but the first number count only what is not hidden yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DomainBlockEffect {
    /// Known accounts that the block would rule.
    pub accounts: i64,
    /// Follows of accounts of this server to them that a suspension would end.
    pub follows: i64,
    /// Follows in the other direction that a suspension would end.
    pub followers: i64,
    /// Statuses that a suspension would hide.
    pub statuses: i64,
}

/// Dry run of a new domain block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainBlockPreview {
    /// The domain in its stored form.
    pub domain: String,
    /// The severity that was asked for.
    pub severity: DomainSeverity,
    /// What it would change.
    pub effect: DomainBlockEffect,
    /// The block with which the new one conflicts; `None` if it can be created.
    pub conflict: Option<InstanceDomainBlock>,
}

/// What happens with a line of an imported list of domain blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportResult {
    /// A new block.
    Added,
    /// The block of this domain gets other values.
    Changed,
    /// The block of this domain has these values already.
    Unchanged,
    /// Refused, because a block of a parent domain is not weaker.
    Conflicting,
    /// Refused, because the line is no domain block.
    Invalid,
}

names!(ImportResult {
    Added = "added",
    Changed = "changed",
    Unchanged = "unchanged",
    Conflicting = "conflicting",
    Invalid = "invalid",
});

/// What a list of domain blocks says about a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockValues {
    /// What the block limits.
    pub limits: DomainLimits,
    /// Reason that may be shown to others; `None` without one.
    pub public_comment: Option<String>,
    /// Whether others see the domain with most characters replaced.
    pub obfuscate: bool,
}

/// A line of an imported list of domain blocks, and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedLine {
    /// Number of the line in the file, from 1.
    pub number: u64,
    /// The domain in its stored form, or the text of an invalid line.
    pub domain: String,
    /// What happens with it.
    pub result: ImportResult,
    /// Why it was refused; `None` if it was not.
    pub problem: Option<String>,
    /// The block afterwards; `None` if the line was refused.
    pub values: Option<BlockValues>,
    /// The block before a change, or the one with which the line conflicts.
    pub existing: Option<InstanceDomainBlock>,
}

/// Import of a list of domain blocks, or its dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainBlockImport {
    /// `true` if nothing was stored.
    pub is_dry_run: bool,
    /// All lines with a domain, in the order of the file.
    pub lines: Vec<ImportedLine>,
    /// Domains that are blocked here and are not in the list. The import keeps them.
    pub only_here: Vec<String>,
}

impl DomainBlockImport {
    /// Returns the number of lines with this result.
    #[must_use]
    pub fn count(&self, result: ImportResult) -> usize {
        self.lines.iter().filter(|line| line.result == result).count()
    }

    /// Returns the number of domains with this result. Of several lines about a domain, the first
    /// one counts.
    #[must_use]
    pub fn count_domains(&self, result: ImportResult) -> usize {
        let mut seen = HashSet::new();
        let first = self.lines.iter().filter(|line| seen.insert(line.domain.as_str()));
        first.filter(|line| line.result == result).count()
    }

    /// Returns the domains that are in several lines, in order, with the numbers of these lines.
    /// The strictest values of the lines have decided.
    #[must_use]
    pub fn repeated(&self) -> Vec<(&str, Vec<u64>)> {
        let mut numbers: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for line in self.lines.iter().filter(|line| line.result != ImportResult::Invalid) {
            numbers.entry(line.domain.as_str()).or_default().push(line.number);
        }
        numbers.into_iter().filter(|(_, numbers)| numbers.len() > 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_in_several_lines_are_found() {
        let line = |number, domain: &str, result| ImportedLine {
            number,
            domain: domain.to_owned(),
            result,
            problem: None,
            values: None,
            existing: None,
        };
        let import = DomainBlockImport {
            is_dry_run: true,
            lines: vec![
                line(1, "b.example", ImportResult::Added),
                line(2, "x", ImportResult::Invalid),
                line(4, "a.example", ImportResult::Unchanged),
                line(5, "x", ImportResult::Invalid),
                line(7, "b.example", ImportResult::Unchanged),
                line(8, "c.example", ImportResult::Added),
            ],
            only_here: Vec::new(),
        };
        assert_eq!(import.repeated(), [("b.example", vec![1, 7])]);
        assert_eq!(import.count_domains(ImportResult::Added), 2);
        assert_eq!(import.count_domains(ImportResult::Unchanged), 1);
        assert_eq!(import.count(ImportResult::Unchanged), 2);
    }

    #[test]
    fn severities_are_ordered_named_and_numbered() {
        assert!(DomainSeverity::Noop < DomainSeverity::Silence);
        assert!(DomainSeverity::Silence < DomainSeverity::Suspend);
        for severity in DomainSeverity::ALL {
            assert_eq!(severity.as_str().parse(), Ok(severity));
            assert_eq!(DomainSeverity::from_number(severity.number()), severity);
        }
        assert_eq!("Suspend".parse::<DomainSeverity>(), Err(UnknownDomainSeverity));
        assert_eq!(DomainSeverity::from_number(9), DomainSeverity::Noop);
    }
}
