//! Origin rules: which claims of other servers count. Each function is pure and stops an attack that
//! its documentation names.
//!
//! An origin is scheme, host and port ([`Origin`](crate::address::Origin)). No rule uses a suffix,
//! a prefix or a shared parent domain, and no rule trusts the sender of something that another one
//! wrote.
//!
//! | rule | function |
//! |---|---|
//! | 1, 2 a fetched document counts for its own id | [`document_counts`] |
//! | 3 redirects | [`redirect_is_followed`] |
//! | 4 the actor is the owner of the key | [`activity_speaks`] |
//! | 5 an activity has an id of its actor's origin | [`activity_id_counts`] |
//! | 6 an embedded copy belongs to the actor | [`object_belongs`], [`author_of`] |
//! | 7 key and owner name each other | [`key_of_document`], [`key_belongs`] |
//! | 8 what others pass on | [`hint_counts`] |
//! | 9 addresses of inboxes and collections | [`Uri`], [`PageWalk`] |
//! | 10 answers and moves by their owner only | [`answer_counts`], [`undo_counts`], [`move_counts`] |
//! | 10 collections of their owner only | [`collection_change_counts`] |
//! | 11 stamps of quotes | none yet |
//! | 12 pages and their authors | [`attribution_counts`], [`foreign_host`] |
//! | 13 other names of an account | [`alias_counts`] |
//! | 15 discovery is bounded | [`FetchBudget`], [`PageWalk`], [`Domain::family`] |
//! | 16 hosts that programs read differently | [`Uri::parse`] |
//! | 17 header values | [`header_value_is_safe`] |
//!
//! Rule 14 (caches by reader) and 18 (suspended accounts) are about what is stored, and bytes are
//! counted where they arrive. The limits hold for fetched and delivered documents alike, because
//! both are read by [`Reader`](crate::read::Reader).
//!
//! [`Domain::family`]: crate::address::Domain::family
//! [`Uri`]: crate::address::Uri
//! [`Uri::parse`]: crate::address::Uri::parse

mod activities;
mod answers;
mod content_type;
mod discovery;
mod documents;
mod handles;
mod hints;
mod keys;
mod pages;
#[cfg(test)]
mod tests;

pub use activities::{
    Belongs, Speaks, activity_id_counts, activity_speaks, author_of, object_belongs,
};
pub use answers::{
    OwnCollections, PinnedIn, SentFollow, alias_counts, answer_counts, collection_change_counts,
    move_counts, undo_counts,
};
pub use content_type::{MediaType, is_host_meta_type, is_json_type, is_webfinger_type};
pub use discovery::{
    FetchBudget, MAX_ACTIVITY_FETCHES, MAX_COLLECTION_PAGES, MAX_NEW_ACCOUNTS_A_MINUTE,
    MAX_NEW_HOSTS_AN_HOUR, MAX_PARENTS, MAX_QUOTES, MAX_THREAD_FETCHES, PageWalk,
};
pub use documents::{
    Answer, Attempt, DocumentVerdict, Hop, MAX_REDIRECTS, document_counts, header_value_is_safe,
    redirect_is_followed,
};
pub use handles::{Closing, Renamed, closes};
pub use hints::{Hint, MAX_HINT_AGE, VerifiedProof, hint_counts};
pub use keys::{key_belongs, key_of_document};
pub use pages::{attribution_counts, foreign_host};

/// Reason why a rule refuses something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// The content type is none of documents.
    #[error("the answer has no content type of documents")]
    ContentType,
    /// The answer is a file to download, such as an upload.
    #[error("the answer is an attachment")]
    Attachment,
    /// A document has no id.
    #[error("the document has no id")]
    DocumentWithoutId,
    /// A document carries another id than its address.
    #[error("the document has another id than its address")]
    OtherId,
    /// An address redirects too often.
    #[error("too many redirects")]
    Redirects,
    /// An address redirects to one without TLS.
    #[error("a redirect leads to an address without TLS")]
    RedirectScheme,
    /// A request with a body is redirected.
    #[error("a delivery is redirected")]
    RedirectOfDelivery,
    /// An activity of this type needs an id.
    #[error("the activity has no id")]
    ActivityWithoutId,
    /// The id of an activity has another origin than its actor.
    #[error("the activity has an id of another origin")]
    ForeignActivityId,
    /// An object has another origin than the one that acts on it.
    #[error("the object is of another origin")]
    ForeignObject,
    /// An object has no author of its own origin.
    #[error("the object has no author of its origin")]
    ForeignAuthor,
    /// An actor acts on what belongs to another account.
    #[error("the actor does not own this")]
    NotTheOwner,
    /// An object has an unknown type and no content.
    #[error("the object has an unknown type")]
    UnknownObject,
    /// An activity announces another activity.
    #[error("an activity is announced")]
    AnnouncedActivity,
    /// A document does not contain the key that a signature names.
    #[error("the document does not contain the key")]
    KeyMissing,
    /// A key and its owner have different origins.
    #[error("the key has another origin than its owner")]
    ForeignKey,
    /// A key names another owner than the document that lists it.
    #[error("the key names another owner")]
    OtherKeyOwner,
    /// The owner does not list the key, or another one by its id.
    #[error("the owner does not name the key")]
    KeyNotNamed,
    /// It answers a request that was not sent.
    #[error("the answer is to a request that was not sent")]
    NeverSent,
    /// The collection is none that the actor may change here.
    #[error("the collection is unknown")]
    UnknownCollection,
    /// The new account does not name the old one.
    #[error("the other account does not name this one")]
    NotAnAlias,
    /// Something passed on can only be believed from its author.
    #[error("this is believed only from its author")]
    SecondHand,
    /// Something passed on is too old.
    #[error("what is passed on is too old")]
    TooOld,
    /// A page of a collection has another origin.
    #[error("the page is of another origin")]
    ForeignPage,
    /// A page of a collection was there before.
    #[error("the page was read before")]
    RepeatedPage,
    /// A collection has too many pages.
    #[error("the collection has too many pages")]
    TooManyPages,
    /// One cause led to too many requests.
    #[error("too many requests for one cause")]
    TooManyFetches,
    /// A handle does not lead back to its account.
    #[error("the handle does not lead back to the account")]
    HandleNotClosed,
}

impl Refusal {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::ContentType => "content_type",
            Self::Attachment => "attachment",
            Self::DocumentWithoutId => "document_without_id",
            Self::OtherId => "other_id",
            Self::Redirects => "redirects",
            Self::RedirectScheme => "redirect_scheme",
            Self::RedirectOfDelivery => "redirect_of_delivery",
            Self::ActivityWithoutId => "activity_without_id",
            Self::ForeignActivityId => "foreign_activity_id",
            Self::ForeignObject => "foreign_object",
            Self::ForeignAuthor => "foreign_author",
            Self::NotTheOwner => "not_the_owner",
            Self::UnknownObject => "unknown_object",
            Self::AnnouncedActivity => "announced_activity",
            Self::KeyMissing => "key_missing",
            Self::ForeignKey => "foreign_key",
            Self::OtherKeyOwner => "other_key_owner",
            Self::KeyNotNamed => "key_not_named",
            Self::NeverSent => "never_sent",
            Self::UnknownCollection => "unknown_collection",
            Self::NotAnAlias => "not_an_alias",
            Self::SecondHand => "second_hand",
            Self::TooOld => "too_old",
            Self::ForeignPage => "foreign_page",
            Self::RepeatedPage => "repeated_page",
            Self::TooManyPages => "too_many_pages",
            Self::TooManyFetches => "too_many_fetches",
            Self::HandleNotClosed => "handle_not_closed",
        }
    }
}
