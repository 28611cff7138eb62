//! The form of a domain block.

use serde::Deserialize;
use siskin_entities::{DomainLimits, DomainSeverity, InstanceDomainBlock};
use siskin_services::{
    Error as Domain,
    instance_domains::{self, BlockRequest, ChangeRequest},
};

use super::effect;
use crate::routes::staff_pages::{
    fields::{Field, InputForm, unix_lines},
    people::Choice,
};

/// The submitted form. Browsers do not send a checkbox that is not ticked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct BlockForm {
    pub(super) domain: String,
    severity: String,
    reject_media: bool,
    reject_reports: bool,
    private_comment: String,
    public_comment: String,
    obfuscate: bool,
}

impl BlockForm {
    /// Returns the form before anything was typed.
    pub(super) fn blank() -> Self {
        Self { severity: DomainSeverity::Silence.as_str().to_owned(), ..Self::default() }
    }

    pub(super) fn of(block: &InstanceDomainBlock) -> Self {
        Self {
            domain: block.domain.clone(),
            severity: block.limits.severity.as_str().to_owned(),
            reject_media: block.limits.reject_media,
            reject_reports: block.limits.reject_reports,
            private_comment: block.private_comment.clone().unwrap_or_default(),
            public_comment: block.public_comment.clone().unwrap_or_default(),
            obfuscate: block.obfuscate,
        }
    }

    /// Returns the new block.
    pub(super) fn request(&self) -> Result<BlockRequest, Domain> {
        Ok(BlockRequest {
            domain: self.domain.clone(),
            limits: DomainLimits {
                severity: instance_domains::severity(&self.severity)?,
                reject_media: self.reject_media,
                reject_reports: self.reject_reports,
            },
            private_comment: Some(unix_lines(&self.private_comment)),
            public_comment: Some(unix_lines(&self.public_comment)),
            obfuscate: self.obfuscate,
        })
    }

    /// Returns all values as changes of a block.
    pub(super) fn changes(&self) -> Result<ChangeRequest, Domain> {
        let BlockRequest { limits, private_comment, public_comment, obfuscate, .. } =
            self.request()?;
        Ok(ChangeRequest {
            severity: Some(limits.severity),
            reject_media: Some(limits.reject_media),
            reject_reports: Some(limits.reject_reports),
            private_comment: Some(private_comment),
            public_comment: Some(public_comment),
            obfuscate: Some(obfuscate),
        })
    }

    /// Adds the field of the domain, which no change can replace.
    pub(super) fn domain_field(&self, form: InputForm) -> InputForm {
        let field = Field::text("domain", "Domain", &self.domain);
        form.with(field.hint("Such as spam.example. Its subdomains are blocked too."))
    }

    /// Adds all other fields.
    pub(super) fn fields(&self, form: InputForm) -> InputForm {
        let choice = |severity: DomainSeverity| {
            Choice::new(severity.as_str(), effect(severity), &self.severity)
        };
        form.with(
            Field::select(
                "severity",
                "Effect on its accounts",
                DomainSeverity::ALL.map(choice).into(),
            )
            .about("Severity")
            .hint(
                "People see limited accounts only if they follow them, and suspended ones not \
                     at all. “Not changed” leaves the accounts as they are.",
            ),
        )
        .with(Field::check("reject_media", "Do not fetch its media", self.reject_media))
        .with(Field::check("reject_reports", "Ignore its reports", self.reject_reports))
        .with(
            Field::lines("private_comment", "Comment for staff", 2, &self.private_comment)
                .about("Private comment"),
        )
        .with(
            Field::lines("public_comment", "Reason for others", 2, &self.public_comment)
                .about("Public comment")
                .hint("The settings say who sees it."),
        )
        .with(
            Field::check("obfuscate", "Hide parts of the domain", self.obfuscate)
                .hint("In the list for others."),
        )
    }

    /// Repeats all values in a form that shows none of them.
    pub(super) fn repeated(&self, form: InputForm) -> InputForm {
        let texts = [
            ("domain", &self.domain),
            ("severity", &self.severity),
            ("private_comment", &self.private_comment),
            ("public_comment", &self.public_comment),
        ];
        let flags = [
            ("reject_media", self.reject_media),
            ("reject_reports", self.reject_reports),
            ("obfuscate", self.obfuscate),
        ];
        let form = texts.into_iter().fold(form, |form, (name, text)| form.hidden(name, text));
        let ticked = flags.into_iter().filter(|(_, is_ticked)| *is_ticked);
        ticked.fold(form, |form, (name, _)| form.hidden(name, "1"))
    }
}
