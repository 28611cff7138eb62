//! Reasons for which a document is refused.

use crate::json::JsonError;

/// Member without which a document cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Member {
    /// `id`
    Id,
    /// `type`
    Type,
    /// `actor`
    Actor,
    /// `object`
    Object,
    /// `target`
    Target,
    /// `inbox`
    Inbox,
    /// `preferredUsername`
    PreferredUsername,
    /// `oneOf` and `anyOf`
    Options,
    /// `content`
    Content,
    /// `publicKey` and `assertionMethod`
    Keys,
    /// `links`
    Links,
}

impl Member {
    /// Returns the name in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Type => "type",
            Self::Actor => "actor",
            Self::Object => "object",
            Self::Target => "target",
            Self::Inbox => "inbox",
            Self::PreferredUsername => "preferredUsername",
            Self::Options => "oneOf",
            Self::Content => "content",
            Self::Keys => "publicKey",
            Self::Links => "links",
        }
    }
}

/// Reason why a document cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ReadError {
    /// It is no JSON document within the limits.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// It lacks a member.
    #[error("the document has no {}", .0.as_str())]
    Missing(Member),
    /// A member has a value that cannot be used.
    #[error("the document has an invalid {}", .0.as_str())]
    Invalid(Member),
    /// A member is longer than a limit that refuses.
    #[error("the {} of the document is too long", .0.as_str())]
    TooLong(Member),
    /// No type of it is known where it stands.
    #[error("the document has an unknown type")]
    UnknownType,
    /// Its activities contain each other too deeply.
    #[error("activities are nested too deeply")]
    Nested,
    /// It is no XML of host metadata.
    #[error("the document is no host metadata")]
    Xml,
}

impl ReadError {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Json(error) => error.reason(),
            Self::Missing(_) => "member_missing",
            Self::Invalid(_) => "member_invalid",
            Self::TooLong(_) => "member_too_long",
            Self::UnknownType => "unknown_type",
            Self::Nested => "nested_activities",
            Self::Xml => "xml",
        }
    }
}
