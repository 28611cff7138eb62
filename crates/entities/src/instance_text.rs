//! Texts about the instance that staff write: description, privacy policy, terms of service.

use crate::{
    Timestamp,
    named::{names, parses},
    time::Date,
};

/// Name of a text about the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextName {
    /// Some sentences of plain text. They are the setting `site_description`.
    Description,
    /// Describes the instance on a page of its own.
    ExtendedDescription,
    /// Says what the instance stores about its users and visitors.
    PrivacyPolicy,
    /// Says what users agree to. It has versions.
    TermsOfService,
}

names!(TextName {
    Description = "description",
    ExtendedDescription = "extended_description",
    PrivacyPolicy = "privacy_policy",
    TermsOfService = "terms_of_service",
});
parses!(
    /// Error for a name that is no text about the instance.
    TextName, UnknownTextName: "unknown text"
);

/// Text as its authors see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// Name of the text.
    pub name: TextName,
    /// Markdown, or plain text for [`TextName::Description`]. It may be empty.
    pub text: String,
    /// The text as visitors see it, HTML.
    pub html: String,
    /// Time of the last change. `None` if the text was never written, and for the description.
    pub updated_at: Option<Timestamp>,
    /// Whether it is the text that comes with the program.
    pub is_default: bool,
    /// Date of the shown version, for the terms of service.
    pub effective_date: Option<Date>,
    /// Dates of all versions of the terms of service, the earliest first. Empty for other texts.
    pub versions: Vec<Date>,
    /// Time at which staff let all users know of the shown version of the terms of service by email.
    pub announced_at: Option<Timestamp>,
}

/// Text that is shown to visitors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownText {
    /// HTML; empty if there is no text.
    pub html: String,
    /// Time of the last change. `None` if there is no text.
    pub updated_at: Option<Timestamp>,
}

/// Version of the terms of service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermsVersion {
    /// Day (UTC) on which the version takes effect.
    pub effective_date: Date,
    /// HTML.
    pub html: String,
}

/// Version of the terms of service, with its place among the others at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermsOfService {
    /// Day (UTC) on which the version takes effect.
    pub effective_date: Date,
    /// Whether the version is in effect.
    pub is_effective: bool,
    /// Day on which the next version takes effect, if there is one.
    pub succeeded_by: Option<Date>,
    /// HTML.
    pub html: String,
}

/// All texts about the instance, as visitors see them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstanceTexts {
    /// Empty if staff wrote none.
    pub extended_description: ShownText,
    /// Text of staff, or the one that comes with the program.
    pub privacy_policy: ShownText,
    /// Versions of the terms of service, the earliest first.
    pub terms: Vec<TermsVersion>,
}
