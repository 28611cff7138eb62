//! One newtype per kind of record, so that the id of an account cannot be used as that of a status.

use std::{error::Error, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Error for a text that is not a positive decimal number of at most 63 bits in its shortest form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidId;

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid id: must be a positive decimal number")
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
            /// Creates the id with this number, which should be positive: only positive numbers
            /// are parsed.
            #[must_use]
            pub const fn new(id: i64) -> Self {
                Self(id)
            }

            /// Returns the number of the id.
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

            /// Parses the shortest decimal form only: `01`, `+1`, ` 1` and `1e3` are invalid.
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
    /// Account, local or remote.
    AccountId,
    /// Announcement of the operator.
    AnnouncementId,
    /// Appeal of an account against a strike.
    AppealId,
    /// Client application.
    ApplicationId,
    /// Entry of the audit log.
    AuditEntryId,
    /// Block of one account by another.
    BlockId,
    /// Bookmark; orders the list of bookmarks.
    BookmarkId,
    /// Block of an email address in all its spellings.
    CanonicalEmailBlockId,
    /// Direct conversation of an account.
    ConversationId,
    /// Custom emoji.
    CustomEmojiId,
    /// Block of a domain by an account.
    DomainBlockId,
    /// Block of email addresses at a domain.
    EmailDomainBlockId,
    /// Endorsement of an account on the profile of another.
    EndorsementId,
    /// Row of the event table.
    EventId,
    /// Export of the statuses of an account.
    ExportId,
    /// Filter of an account.
    FilterId,
    /// Keyword of a filter.
    FilterKeywordId,
    /// Status of a filter.
    FilterStatusId,
    /// Favourite; orders the list of favourites.
    FavouriteId,
    /// Hashtag featured on a profile.
    FeaturedTagId,
    /// Established follow.
    FollowId,
    /// Pending follow request.
    FollowRequestId,
    /// Server that may federate, if only allowed ones may.
    InstanceDomainAllowId,
    /// Block of another server by staff.
    InstanceDomainBlockId,
    /// Link by which a user lets others sign up.
    InviteId,
    /// Block of IP addresses.
    IpBlockId,
    /// List of accounts.
    ListId,
    /// Membership of an account in a list.
    ListAccountId,
    /// Waiting or running job.
    JobId,
    /// Attachment of a status.
    MediaId,
    /// Mute of one account by another.
    MuteId,
    /// Notification.
    NotificationId,
    /// Sender of filtered notifications that waits for the recipient's decision.
    NotificationRequestId,
    /// Poll.
    PollId,
    /// Option of a poll.
    PollOptionId,
    /// Link preview.
    PreviewCardId,
    /// Web Push subscription of a client.
    PushSubscriptionId,
    /// Report of an account to the staff.
    ReportId,
    /// Note of staff on a report.
    ReportNoteId,
    /// Role of local users.
    RoleId,
    /// Rule of the instance.
    RuleId,
    /// Scheduled status.
    ScheduledStatusId,
    /// Browser session.
    SessionId,
    /// Status or reblog.
    StatusId,
    /// Moderation action against an account.
    StrikeId,
    /// Hashtag.
    TagId,
    /// Follow of a hashtag by an account.
    TagFollowId,
    /// Access token.
    TokenId,
    /// Text for warnings that staff use again.
    WarningPresetId,
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
    fn ids_are_json_strings() {
        assert_eq!(serde_json::to_string(&AccountId::new(7)).unwrap(), "\"7\"");
        assert!(serde_json::from_str::<AccountId>("7").is_err());
    }

    proptest! {
        #[test]
        fn ids_round_trip_through_text(id in 1..=i64::MAX) {
            let id = AccountId::new(id);
            prop_assert_eq!(id.to_string().parse(), Ok(id));
        }
    }
}
