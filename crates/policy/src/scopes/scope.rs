//! Single scope: name, position in the lattice and description.

use std::{fmt, str::FromStr};

/// Error for a text that is not the name of a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope: {name}")]
pub struct UnknownScope {
    /// Name as the client sent it.
    pub name: String,
}

macro_rules! scopes {
    ($($variant:ident $name:literal $description:literal),+ $(,)?) => {
        /// Scope of an OAuth token. In the order of [`Scope::ALL`], a parent comes before its
        /// children.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Scope {
            $(#[doc = concat!("`", $name, "`")] $variant),+
        }

        impl Scope {
            /// All scopes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name used in the API, such as `read:statuses`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Returns the description for the consent page: an English phrase that completes
            /// "This application will be able to".
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description),+ }
            }
        }
    };
}

scopes! {
    Profile "profile" "see who you are, and nothing else",
    Read "read" "read everything in your account",
    ReadAccounts "read:accounts" "read account information, yours and that of others",
    ReadBlocks "read:blocks" "see your blocks",
    ReadBookmarks "read:bookmarks" "see your bookmarks",
    ReadCollections "read:collections" "see your collections",
    ReadFavourites "read:favourites" "see your favourites",
    ReadFilters "read:filters" "see your filters",
    ReadFollows "read:follows" "see your follows and followers",
    ReadLists "read:lists" "see your lists",
    ReadMutes "read:mutes" "see your mutes",
    ReadNotifications "read:notifications" "see your notifications",
    ReadSearch "read:search" "search on your behalf",
    ReadStatuses "read:statuses" "see every post you can see",
    Write "write" "change everything in your account",
    WriteAccounts "write:accounts" "change your profile",
    WriteBlocks "write:blocks" "block accounts and domains",
    WriteBookmarks "write:bookmarks" "bookmark posts",
    WriteCollections "write:collections" "create and change your collections",
    WriteConversations "write:conversations" "mark conversations as read and remove them",
    WriteFavourites "write:favourites" "favourite posts",
    WriteFilters "write:filters" "create and change your filters",
    WriteFollows "write:follows" "follow and unfollow people",
    WriteLists "write:lists" "create and change your lists",
    WriteMedia "write:media" "upload pictures, videos and sound",
    WriteMutes "write:mutes" "mute people and conversations",
    WriteNotifications "write:notifications" "dismiss your notifications",
    WriteReports "write:reports" "report people and posts to the moderators",
    WriteStatuses "write:statuses" "publish, edit and delete posts",
    Follow "follow" "see and change your follows, mutes and blocks",
    Push "push" "receive your notifications as push messages",
    AdminRead "admin:read" "read everything the moderators of this server can",
    AdminReadAccounts "admin:read:accounts" "read the private details of all accounts",
    AdminReadCanonicalEmailBlocks "admin:read:canonical_email_blocks"
        "see which email addresses are blocked in any spelling",
    AdminReadDomainAllows "admin:read:domain_allows" "see which domains are allowed",
    AdminReadDomainBlocks "admin:read:domain_blocks" "see which domains are blocked",
    AdminReadEmailDomainBlocks "admin:read:email_domain_blocks"
        "see which email domains are blocked",
    AdminReadIpBlocks "admin:read:ip_blocks" "see which IP addresses are blocked",
    AdminReadReports "admin:read:reports" "read all reports and the accounts they are about",
    AdminWrite "admin:write" "change everything the moderators of this server can",
    AdminWriteAccounts "admin:write:accounts" "take moderation action on accounts",
    AdminWriteCanonicalEmailBlocks "admin:write:canonical_email_blocks"
        "block and unblock email addresses in any spelling",
    AdminWriteDomainAllows "admin:write:domain_allows" "allow and disallow domains",
    AdminWriteDomainBlocks "admin:write:domain_blocks" "block and unblock domains",
    AdminWriteEmailDomainBlocks "admin:write:email_domain_blocks"
        "block and unblock email domains",
    AdminWriteIpBlocks "admin:write:ip_blocks" "block and unblock IP addresses",
    AdminWriteReports "admin:write:reports" "take moderation action on reports",
}

// Each power is one bit of a `u64`.
const _: () = assert!(Scope::ALL.len() <= 64);

impl Scope {
    /// Scope of a client that does not request a scope.
    pub const DEFAULT: Self = Self::Read;

    /// Returns the parent scope: `read` for `read:lists`, `None` for `read` itself. The deprecated
    /// `follow` is not a parent.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        let (parent, _) = self.as_str().rsplit_once(':')?;
        Self::ALL.iter().copied().find(|scope| scope.as_str() == parent)
    }

    /// Returns `true` if a token with this scope may do all that `other` allows.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        other.powers() & !self.powers() == 0
    }

    /// Returns the powers of this scope as a bit mask. A parent and its children are declared
    /// consecutively, so a family is a range of bits.
    pub(super) const fn powers(self) -> u64 {
        match self {
            Self::Read => span(self, Self::ReadStatuses),
            Self::Write => span(self, Self::WriteStatuses),
            Self::AdminRead => span(self, Self::AdminReadReports),
            Self::AdminWrite => span(self, Self::AdminWriteReports),
            Self::Follow => {
                Self::ReadBlocks.bit()
                    | Self::ReadFollows.bit()
                    | Self::ReadMutes.bit()
                    | Self::WriteBlocks.bit()
                    | Self::WriteFollows.bit()
                    | Self::WriteMutes.bit()
            }
            leaf => leaf.bit(),
        }
    }

    const fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// Returns the bits of all scopes from `first` to `last`, inclusive.
const fn span(first: Scope, last: Scope) -> u64 {
    (last.bit() - first.bit()) | last.bit()
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    /// Names must match exactly: case matters, and surrounding spaces are not allowed.
    fn from_str(name: &str) -> Result<Self, UnknownScope> {
        Self::ALL
            .iter()
            .copied()
            .find(|scope| scope.as_str() == name)
            .ok_or_else(|| UnknownScope { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_covers_its_children_and_no_more() {
        assert!(Scope::Read.covers(Scope::ReadStatuses));
        assert!(Scope::AdminWrite.covers(Scope::AdminWriteIpBlocks));
        assert!(!Scope::ReadStatuses.covers(Scope::Read));
        assert!(!Scope::Read.covers(Scope::WriteStatuses));
        assert!(!Scope::Read.covers(Scope::AdminReadReports));
        assert!(!Scope::Read.covers(Scope::Profile));
        assert!(!Scope::Write.covers(Scope::Push));
    }

    #[test]
    fn a_scope_covers_exactly_itself_and_its_named_children() {
        for scope in Scope::ALL.iter().filter(|scope| **scope != Scope::Follow) {
            for other in Scope::ALL.iter().filter(|other| **other != Scope::Follow) {
                let named = scope == other || other.parent() == Some(*scope);
                assert_eq!(scope.covers(*other), named, "{scope} covers {other}");
            }
        }
    }

    #[test]
    fn follow_reads_and_writes_blocks_follows_and_mutes() {
        let covered: Vec<_> =
            Scope::ALL.iter().filter(|other| Scope::Follow.covers(**other)).collect();
        assert_eq!(
            covered,
            [
                &Scope::ReadBlocks,
                &Scope::ReadFollows,
                &Scope::ReadMutes,
                &Scope::WriteBlocks,
                &Scope::WriteFollows,
                &Scope::WriteMutes,
                &Scope::Follow,
            ]
        );
    }

    #[test]
    fn every_scope_but_the_roots_has_a_parent() {
        let roots: Vec<_> =
            Scope::ALL.iter().filter(|s| s.parent().is_none()).map(|s| s.as_str()).collect();
        assert_eq!(
            roots,
            ["profile", "read", "write", "follow", "push", "admin:read", "admin:write"]
        );
    }

    #[test]
    fn names_round_trip_and_errors_contain_unknown_names() {
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(*scope));
            assert_eq!(scope.to_string(), scope.as_str());
            assert!(!scope.description().is_empty());
        }
        for stranger in ["", "Read", " read", "read:", "admin", "read:everything"] {
            assert_eq!(stranger.parse::<Scope>(), Err(UnknownScope { name: stranger.to_owned() }));
        }
    }
}
