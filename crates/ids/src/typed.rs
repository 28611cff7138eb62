//! One newtype per kind of record, so that an account's id cannot be taken for a status's.

use std::{error::Error, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The text is not a positive decimal number of at most 63 bits in its shortest form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidId;

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an id: a positive decimal number is wanted")
    }
}

impl Error for InvalidId {}

fn parse(text: &str) -> Result<i64, InvalidId> {
    let shortest = !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    if !shortest {
        return Err(InvalidId);
    }
    text.parse().map_err(|_| InvalidId)
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "diesel", derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow))]
        #[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::BigInt))]
        pub struct $name(i64);

        impl $name {
            /// The id with this number.
            #[must_use]
            pub const fn new(id: i64) -> Self {
                Self(id)
            }

            /// The number behind the id.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            /// Reads the shortest decimal form only: `01`, `+1`, ` 1` and `1e3` are no ids.
            fn from_str(text: &str) -> Result<Self, InvalidId> {
                parse(text).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }

        #[cfg(feature = "diesel")]
        impl<DB> diesel::serialize::ToSql<diesel::sql_types::BigInt, DB> for $name
        where
            DB: diesel::backend::Backend,
            i64: diesel::serialize::ToSql<diesel::sql_types::BigInt, DB>,
        {
            fn to_sql<'b>(
                &'b self,
                out: &mut diesel::serialize::Output<'b, '_, DB>,
            ) -> diesel::serialize::Result {
                self.0.to_sql(out)
            }
        }

        #[cfg(feature = "diesel")]
        impl<DB> diesel::deserialize::FromSql<diesel::sql_types::BigInt, DB> for $name
        where
            DB: diesel::backend::Backend,
            i64: diesel::deserialize::FromSql<diesel::sql_types::BigInt, DB>,
        {
            fn from_sql(bytes: DB::RawValue<'_>) -> diesel::deserialize::Result<Self> {
                i64::from_sql(bytes).map(Self)
            }
        }
    )+ };
}

ids! {
    /// An account, local or remote.
    AccountId,
    /// A client application.
    ApplicationId,
    /// A block of one account by another.
    BlockId,
    /// A bookmark; orders the list of bookmarks.
    BookmarkId,
    /// A direct conversation of an account.
    ConversationId,
    /// A custom emoji.
    CustomEmojiId,
    /// A block of a server by an account.
    DomainBlockId,
    /// An account shown on the profile of another.
    EndorsementId,
    /// A row of the event table.
    EventId,
    /// A filter of an account.
    FilterId,
    /// A word or phrase of a filter.
    FilterKeywordId,
    /// A status of a filter.
    FilterStatusId,
    /// A favourite; orders the list of favourites.
    FavouriteId,
    /// A hashtag on a profile.
    FeaturedTagId,
    /// An established follow.
    FollowId,
    /// A follow that waits for approval.
    FollowRequestId,
    /// A list of accounts.
    ListId,
    /// An account's place in a list.
    ListAccountId,
    /// A job that waits or runs.
    JobId,
    /// An attachment of a status.
    MediaId,
    /// A mute of one account by another.
    MuteId,
    /// A notification.
    NotificationId,
    /// A poll.
    PollId,
    /// An option of a poll.
    PollOptionId,
    /// A link preview.
    PreviewCardId,
    /// A role of local users.
    RoleId,
    /// A rule of the instance.
    RuleId,
    /// A status that waits for its time.
    ScheduledStatusId,
    /// A signed-in browser.
    SessionId,
    /// A status or a reblog.
    StatusId,
    /// A hashtag.
    TagId,
    /// A hashtag followed by an account.
    TagFollowId,
    /// An access token.
    TokenId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_the_shortest_decimal_form_is_an_id() {
        for text in
            ["", "0", "-1", "+1", "01", " 1", "1 ", "1e3", "abc", "٣", "9223372036854775808"]
        {
            assert_eq!(text.parse::<StatusId>(), Err(InvalidId), "{text:?}");
        }
        assert_eq!("9223372036854775807".parse(), Ok(StatusId::new(i64::MAX)));
    }

    #[test]
    fn json_holds_a_string() {
        assert_eq!(serde_json::to_string(&AccountId::new(7)).unwrap(), "\"7\"");
        assert!(serde_json::from_str::<AccountId>("7").is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(id in 1..=i64::MAX) {
            let id = AccountId::new(id);
            prop_assert_eq!(id.to_string().parse(), Ok(id));
        }
    }
}
