//! What a route requires of a token, as a type: `Authorized<scopes::ReadStatuses>` in a handler's
//! signature cannot be forgotten in its body.

use super::Scope;

/// The scopes of which a token must cover one. Implemented by the unit types of
/// [`crate::scopes`], one for each requirement that a route of the interface has.
pub trait RequiredScope: 'static {
    /// Any one of these is enough. Empty: a token of any scope will do.
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
    AdminWriteAccounts,
    AdminWriteCanonicalEmailBlocks,
    AdminWriteDomainAllows,
    AdminWriteDomainBlocks,
    AdminWriteEmailDomainBlocks,
    AdminWriteIpBlocks,
    AdminWriteReports,
}

/// Requires a token, of whatever scope: what an application may ask about itself.
#[derive(Debug, Clone, Copy)]
pub struct Unscoped;

impl RequiredScope for Unscoped {
    const ANY: &'static [Scope] = &[];
}

/// Requires [`Scope::ReadStatuses`] or [`Scope::ReadNotifications`]: to listen to anything at all.
/// What each stream requires is more.
#[derive(Debug, Clone, Copy)]
pub struct Streams;

impl RequiredScope for Streams {
    const ANY: &'static [Scope] = &[Scope::ReadStatuses, Scope::ReadNotifications];
}

/// Requires [`Scope::Profile`] or [`Scope::ReadAccounts`]: who the signed-in person is.
#[derive(Debug, Clone, Copy)]
pub struct ProfileOrReadAccounts;

impl RequiredScope for ProfileOrReadAccounts {
    const ANY: &'static [Scope] = &[Scope::Profile, Scope::ReadAccounts];
}
