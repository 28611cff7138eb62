//! Scope requirements of routes, as types. A handler cannot forget the check in its body, because
//! `Authorized<scopes::ReadStatuses>` is a part of its signature.

use super::Scope;

/// Scopes of which a token must cover at least one. Implemented by the unit types of
/// [`crate::scopes`], one for each requirement of a route.
pub trait RequiredScope: 'static {
    /// Any one of these scopes is sufficient. If the list is empty, any token is.
    const ANY: &'static [Scope];
}

macro_rules! required {
    ($($name:ident),+ $(,)?) => { $(
        #[doc = concat!("Requires [`Scope::", stringify!($name), "`].")]
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl RequiredScope for $name {
            const ANY: &'static [Scope] = &[Scope::$name];
        }
    )+ };
}

required! {
    Profile,
    Read,
    ReadAccounts,
    ReadBlocks,
    ReadBookmarks,
    ReadCollections,
    ReadFavourites,
    ReadFilters,
    ReadFollows,
    ReadLists,
    ReadMutes,
    ReadNotifications,
    ReadSearch,
    ReadStatuses,
    WriteAccounts,
    WriteBlocks,
    WriteBookmarks,
    WriteCollections,
    WriteConversations,
    WriteFavourites,
    WriteFilters,
    WriteFollows,
    WriteLists,
    WriteMedia,
    WriteMutes,
    WriteNotifications,
    WriteReports,
    WriteStatuses,
    Push,
    AdminRead,
    AdminReadAccounts,
    AdminReadCanonicalEmailBlocks,
    AdminReadDomainAllows,
    AdminReadDomainBlocks,
    AdminReadEmailDomainBlocks,
    AdminReadIpBlocks,
    AdminReadReports,
    AdminWrite,
    AdminWriteAccounts,
    AdminWriteCanonicalEmailBlocks,
    AdminWriteDomainAllows,
    AdminWriteDomainBlocks,
    AdminWriteEmailDomainBlocks,
    AdminWriteIpBlocks,
    AdminWriteReports,
}

/// Requires a token of any scope, for requests of an application about itself.
#[derive(Debug, Clone, Copy)]
pub struct Unscoped;

impl RequiredScope for Unscoped {
    const ANY: &'static [Scope] = &[];
}

/// Requires [`Scope::ReadStatuses`] or [`Scope::ReadNotifications`]: the minimum for streaming.
/// Each stream has further requirements.
#[derive(Debug, Clone, Copy)]
pub struct Streams;

impl RequiredScope for Streams {
    const ANY: &'static [Scope] = &[Scope::ReadStatuses, Scope::ReadNotifications];
}

/// Requires [`Scope::Profile`] or [`Scope::ReadAccounts`], for requests about the caller's own
/// account.
#[derive(Debug, Clone, Copy)]
pub struct ProfileOrReadAccounts;

impl RequiredScope for ProfileOrReadAccounts {
    const ANY: &'static [Scope] = &[Scope::Profile, Scope::ReadAccounts];
}

/// Requires [`Scope::ReadNotifications`] or [`Scope::WriteNotifications`], for a read that the API
/// documents with the scope of a write.
#[derive(Debug, Clone, Copy)]
pub struct ReadOrWriteNotifications;

impl RequiredScope for ReadOrWriteNotifications {
    const ANY: &'static [Scope] = &[Scope::ReadNotifications, Scope::WriteNotifications];
}
