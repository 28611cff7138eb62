//! Limits of what is read from other servers. Where a limit refuses, the document is dropped with
//! its reason; elsewhere the surplus is cut or ignored.

/// Maximum number of options of a poll; more are refused.
pub const MAX_POLL_OPTIONS: usize = 500;

/// Number of options of a poll that are read.
pub const POLL_OPTIONS: usize = 20;
/// Size of the HTML of a status, in bytes; longer HTML is cut at an element.
pub const CONTENT_BYTES: usize = 100_000;
/// Size of a content warning and of the text of a profile, in bytes.
pub const SUMMARY_BYTES: usize = 20_000;
/// Number of characters of a name or a title.
pub const NAME_CHARACTERS: usize = 2048;
/// Number of characters of the description of an attachment.
pub const DESCRIPTION_CHARACTERS: usize = 10_000;
/// Number of characters of the comment of a report.
pub const COMMENT_CHARACTERS: usize = 5000;
/// Number of characters of an article from which its summary is shown first.
pub const LONG_ARTICLE_CHARACTERS: usize = 5000;
/// Number of fields of a profile.
pub const FIELDS: usize = 50;
/// Number of characters of the name and of the value of a field.
pub const FIELD_CHARACTERS: usize = 2047;
/// Number of tags that are read: mentions, hashtags, links and emojis together.
pub const TAGS: usize = 200;
/// Number of emojis of an object.
pub const EMOJIS: usize = 50;
/// Number of addressees in `to` and in `cc` together.
pub const ADDRESSEES: usize = 1000;
/// Number of attachments of a status.
pub const ATTACHMENTS: usize = 16;
/// Number of other ids of an account.
pub const ALIASES: usize = 256;
/// Number of domains that may name an account as the author of their pages.
pub const ATTRIBUTION_DOMAINS: usize = 256;
/// Number of keys of an account.
pub const KEYS: usize = 10;
/// Number of items of a page of a collection.
pub const PAGE_ITEMS: usize = 500;
/// Number of objects of one activity, such as the votes of one person.
pub const OBJECTS: usize = 20;
/// Number of accounts and statuses of a report.
pub const REPORTED: usize = 100;
/// Number of authors of an object.
pub const AUTHORS: usize = 20;
/// Number of emojis' characters in a reaction.
pub const REACTION_CHARACTERS: usize = 64;
/// Size of a `NodeInfo` document, in bytes.
pub const NODE_INFO_BYTES: usize = 64 << 10;
/// Size of the answer of `WebFinger` and of host metadata, in bytes.
pub const WEBFINGER_BYTES: usize = 64 << 10;
/// Number of links of these answers.
pub const LINKS: usize = 100;
/// Highest count of likes, reblogs, replies or votes.
pub const COUNT: u64 = 1 << 31;
