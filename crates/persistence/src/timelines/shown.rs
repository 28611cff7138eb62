//! Rules of home and list timelines. Each rule exists once, as a condition on a status (`statuses`)
//! and the status it reblogs (`reblogged`, joined to it).
//!
//! The viewer is an id or a column. So a rule works for the page of one viewer, and for one status
//! with many viewers. For a page it accepts the viewer relations (`at:`). [`super::pages`] decides
//! which reblogs are left out because their status is close by. `docs/decisions/0019` explains the
//! rules.

/// The language of the content is among the languages of the follow, or unknown.
pub(crate) const IN_LANGUAGES: &str = "(COALESCE(reblogged.language, statuses.language) IS NULL \
    OR ',' || follows.languages || ',' \
        LIKE '%,' || COALESCE(reblogged.language, statuses.language) || ',%')";

/// Statuses joined with the statuses they reblog.
macro_rules! with_reblogged {
    () => {{
        use diesel::prelude::*;
        use $crate::{schema::statuses, statuses::reblogged};
        statuses::table.left_join(
            reblogged.on(statuses::reblog_of_id.eq(reblogged.field(statuses::id).nullable())),
        )
    }};
}

pub(crate) use with_reblogged;

/// `true` if the current status and the status it reblogs are visible to `reader`, and if `reader`
/// neither blocks nor mutes their authors.
macro_rules! is_welcome {
    ($reader:expr, $now:expr, at: $stakes:ident) => {{
        use diesel::prelude::*;
        use $crate::{
            schema::statuses,
            statuses::{may_see, reblogged, wants_to_see},
        };
        let (reader, now) = ($reader, $now);
        let inner = reblogged.field(statuses::account_id);
        let inner_is_welcome = may_see!(
            reader,
            at: $stakes,
            id: reblogged.field(statuses::id),
            account: inner,
            visibility: reblogged.field(statuses::visibility)
        )
        .and(wants_to_see!(reader, now, at: $stakes, account: inner));
        may_see!(
            reader,
            at: $stakes,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        )
        .and(wants_to_see!(reader, now, at: $stakes, account: statuses::account_id))
        .and(reblogged.field(statuses::id).is_null().or(inner_is_welcome))
    }};
}

pub(crate) use is_welcome;

/// `true` if the current content mentions an account that `reader` blocks or mutes. Mentions of
/// earlier versions do not count, though those accounts can still see the status.
macro_rules! names_unwanted {
    ($reader:expr, $now:expr, at: $stakes:ident) => {{
        use diesel::{prelude::*, sql_types::BigInt};
        use $crate::{
            fixed::fixed,
            schema::mentions,
            statuses::{finds, wants_to_see},
        };
        let shown = fixed!(BigInt, "COALESCE(statuses.reblog_of_id, statuses.id)");
        finds!(
            mentions::table
                .filter(mentions::status_id.eq(shown))
                .filter(mentions::silent.eq(false))
                .filter(diesel::dsl::not(
                    wants_to_see!($reader, $now, at: $stakes, account: mentions::account_id)
                )),
        )
    }};
}

pub(crate) use names_unwanted;

/// As [`names_unwanted!`], but skips the query if the viewer neither blocks nor mutes anyone.
macro_rules! unwanted {
    ($reader:expr, $now:expr, at: all) => {
        $crate::timelines::shown::names_unwanted!($reader, $now, at: all)
    };
    ($reader:expr, $now:expr, at: $stakes:ident) => {{
        let avoids = $stakes.avoids();
        diesel::IntoSql::into_sql::<diesel::sql_types::Bool>(avoids)
            .and($crate::timelines::shown::names_unwanted!($reader, $now, at: $stakes))
    }};
}

pub(crate) use unwanted;

/// `true` if the current follow (`follows`) includes the current status: by its options for reblogs
/// and languages.
macro_rules! lets_through {
    () => {{
        use diesel::{prelude::*, sql_types::Bool};
        use $crate::schema::{follows, statuses};
        statuses::reblog_of_id.is_null().or(follows::show_reblogs.eq(true)).and(
            follows::languages
                .is_null()
                .or($crate::fixed::fixed!(Bool, $crate::timelines::shown::IN_LANGUAGES)),
        )
    }};
}

pub(crate) use lets_through;

/// `true` if the current status is no reply, or is a reply to its author or to `reader`.
macro_rules! answers_nobody_else {
    ($reader:expr) => {{
        use diesel::prelude::*;
        use $crate::schema::statuses;
        let addressee = statuses::in_reply_to_account_id.assume_not_null();
        statuses::in_reply_to_id
            .is_null()
            .or(addressee.eq(statuses::account_id))
            .or(addressee.eq($reader))
    }};
}

pub(crate) use answers_nobody_else;

/// `true` if `reader` follows the author of the current status's parent.
macro_rules! addressee_is_followed {
    ($reader:expr) => {{
        use diesel::prelude::*;
        use $crate::schema::statuses;
        let addressee = statuses::in_reply_to_account_id.assume_not_null();
        $crate::statuses::follows!($reader, account: addressee)
    }};
}

pub(crate) use addressee_is_followed;

/// `true` if home shows the current status to `reader`. Home shows the viewer's own statuses and
/// those of followed accounts, as each follow's options allow, unless the author is in an exclusive
/// list. It also shows public statuses with a followed hashtag. Replies to accounts that the viewer
/// does not follow are shown only by a hashtag. Home hides statuses that mention, are by or reblog
/// an account that the viewer blocks or mutes.
macro_rules! at_home {
    ($reader:expr, $now:expr) => {
        $crate::timelines::shown::at_home!($reader, $now, at: all)
    };
    ($reader:expr, $now:expr, at: $stakes:ident) => {{
        use diesel::{dsl::not, prelude::*};
        use $crate::{
            schema::{follows, list_accounts, lists, statuses, statuses_tags, tag_follows},
            statuses::{at_stake, finds, is_listed},
            timelines::shown as rules,
        };
        let (reader, now) = ($reader, $now);
        let by_follow = finds!(
            follows::table
                .filter(follows::account_id.eq(reader))
                .filter(follows::target_account_id.eq(statuses::account_id))
                .filter(rules::lets_through!()),
        )
        .and(
            rules::answers_nobody_else!(reader).or(rules::addressee_is_followed!(reader)),
        );
        let has_followed_tag = finds!(
            statuses_tags::table
                .inner_join(tag_follows::table.on(tag_follows::tag_id.eq(statuses_tags::tag_id)))
                .filter(statuses_tags::status_id.eq(statuses::id))
                .filter(tag_follows::account_id.eq(reader)),
        );
        let by_tag = statuses::visibility
            .eq(siskin_entities::Visibility::Public.number())
            .and(statuses::reblog_of_id.is_null())
            .and(at_stake!($stakes, tags, has_followed_tag))
            .and(is_listed!(reader, at: $stakes, account: statuses::account_id));
        let elsewhere = finds!(
            list_accounts::table
                .inner_join(lists::table.on(lists::id.eq(list_accounts::list_id)))
                .filter(lists::account_id.eq(reader))
                .filter(lists::exclusive.eq(true))
                .filter(list_accounts::account_id.eq(statuses::account_id)),
        );
        let of_others = by_follow
            .or(by_tag)
            .and(not(at_stake!($stakes, exclusive, elsewhere)))
            .and(not(rules::unwanted!(reader, now, at: $stakes)));
        rules::is_welcome!(reader, now, at: $stakes).and(statuses::account_id.eq(reader).or(of_others))
    }};
}

pub(crate) use at_home;

/// `true` if the list `list` of `reader` shows the current status. A list shows statuses of its
/// members, as the options of each follow allow, and of their replies those that its policy (a
/// number) allows. It hides statuses that mention, are by or reblog an account that the viewer
/// blocks or mutes.
macro_rules! in_list {
    ($reader:expr, $now:expr, list: $list:expr, policy: $policy:expr) => {
        $crate::timelines::shown::in_list!(
            $reader, $now, at: all, list: $list, policy: $policy
        )
    };
    ($reader:expr, $now:expr, at: $stakes:ident, list: $list:expr, policy: $policy:expr $(,)?) => {{
        use diesel::{dsl::not, prelude::*};
        use siskin_entities::RepliesPolicy;
        use $crate::{
            schema::{follows, list_accounts, statuses},
            statuses::finds,
            timelines::shown as rules,
        };
        let (reader, now, list, policy) = ($reader, $now, $list, $policy);
        let of_member = finds!(
            list_accounts::table
                .inner_join(follows::table.on(follows::id.eq(list_accounts::follow_id)))
                .filter(list_accounts::list_id.eq(list))
                .filter(list_accounts::account_id.eq(statuses::account_id))
                .filter(rules::lets_through!()),
        );
        let addressee = statuses::in_reply_to_account_id.assume_not_null();
        let addressee_is_member = finds!(
            list_accounts::table
                .filter(list_accounts::list_id.eq(list))
                .filter(list_accounts::account_id.eq(addressee)),
        );
        let to_followed = policy.eq(RepliesPolicy::Followed.number());
        let to_members = policy.eq(RepliesPolicy::List.number());
        rules::is_welcome!(reader, now, at: $stakes)
            .and(of_member)
            .and(
                rules::answers_nobody_else!(reader)
                    .or(to_followed.and(rules::addressee_is_followed!(reader)))
                    .or(to_members.and(addressee_is_member)),
            )
            .and(not(rules::unwanted!(reader, now, at: $stakes)))
    }};
}

pub(crate) use in_list;

#[cfg(test)]
mod tests {
    use diesel::prelude::*;
    use siskin_entities::Timestamp;
    use siskin_ids::{AccountId, ListId, StatusId};

    use crate::{
        Conn,
        schema::{follows, lists, statuses},
    };

    diesel::alias!(follows as audience: Audience);

    #[test]
    fn the_rules_can_be_asked_for_many_readers_of_one_status() {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        crate::migrations::run(&mut conn).unwrap();
        let (status, now) = (StatusId::new(7), Timestamp::from_unix_ms(0));
        let reader = audience.field(follows::account_id);
        let readers: Vec<AccountId> = with_reblogged!()
            .inner_join(
                audience.on(audience.field(follows::target_account_id).eq(statuses::account_id)),
            )
            .filter(statuses::id.eq(status))
            .filter(at_home!(reader, now))
            .select(reader)
            .load(&mut conn)
            .unwrap();
        assert_eq!(readers, []);
        let owned = lists::table.on(lists::replies_policy.ge(0));
        let in_lists: Vec<ListId> = with_reblogged!()
            .inner_join(owned)
            .filter(statuses::id.eq(status))
            .filter(
                in_list!(lists::account_id, now, list: lists::id, policy: lists::replies_policy),
            )
            .select(lists::id)
            .load(&mut conn)
            .unwrap();
        assert_eq!(in_lists, []);
    }
}
