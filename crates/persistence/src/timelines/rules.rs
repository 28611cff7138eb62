//! Rules of home and list timelines. Each rule exists once, as a condition on a status (`statuses`)
//! and the status it reblogs (`reblogged`, joined to it).
//!
//! The viewer is an id or a column. So a rule works for the page of one viewer, and for one status
//! with many viewers. For a page, the parameter `at:` takes the viewer relations
//! ([`RelationFlags`](crate::statuses::RelationFlags)), and the rule skips conditions that cannot
//! apply. `at: all` checks every condition. [`super::pages`] decides which reblogs are left out
//! because their status is close by. `docs/decisions/0019` explains the rules.

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

/// `true` if the current status and the status it reblogs are visible to `viewer`, and if `viewer`
/// neither blocks nor mutes their authors.
macro_rules! passes_viewer_rules {
    ($viewer:expr, $now:expr, at: $flags:ident) => {{
        use diesel::prelude::*;
        use $crate::{
            schema::statuses,
            statuses::{may_see, reblogged, neither_blocks_nor_mutes},
        };
        let (viewer, now) = ($viewer, $now);
        let inner = reblogged.field(statuses::account_id);
        let inner_passes = may_see!(
            viewer,
            at: $flags,
            id: reblogged.field(statuses::id),
            account: inner,
            visibility: reblogged.field(statuses::visibility)
        )
        .and(neither_blocks_nor_mutes!(viewer, now, at: $flags, account: inner));
        may_see!(
            viewer,
            at: $flags,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        )
        .and(neither_blocks_nor_mutes!(viewer, now, at: $flags, account: statuses::account_id))
        .and(reblogged.field(statuses::id).is_null().or(inner_passes))
    }};
}

pub(crate) use passes_viewer_rules;

/// `true` if the current content mentions an account that `viewer` blocks or mutes. Mentions of
/// earlier versions do not count, though those accounts can still see the status.
macro_rules! finds_hidden_mention {
    ($viewer:expr, $now:expr, at: $flags:ident) => {{
        use diesel::{prelude::*, sql_types::BigInt};
        use $crate::{
            fixed::fixed,
            schema::mentions,
            statuses::{row_exists, neither_blocks_nor_mutes},
        };
        let content_id = fixed!(BigInt, "COALESCE(statuses.reblog_of_id, statuses.id)");
        row_exists!(
            mentions::table
                .filter(mentions::status_id.eq(content_id))
                .filter(mentions::silent.eq(false))
                .filter(diesel::dsl::not(
                    neither_blocks_nor_mutes!($viewer, $now, at: $flags, account: mentions::account_id)
                )),
        )
    }};
}

pub(crate) use finds_hidden_mention;

/// As [`finds_hidden_mention!`], but skips the query if the viewer neither blocks nor mutes anyone.
macro_rules! has_hidden_mention {
    ($viewer:expr, $now:expr, at: all) => {
        $crate::timelines::rules::finds_hidden_mention!($viewer, $now, at: all)
    };
    ($viewer:expr, $now:expr, at: $flags:ident) => {{
        let blocks_or_mutes = $flags.blocks_or_mutes();
        diesel::IntoSql::into_sql::<diesel::sql_types::Bool>(blocks_or_mutes)
            .and($crate::timelines::rules::finds_hidden_mention!($viewer, $now, at: $flags))
    }};
}

pub(crate) use has_hidden_mention;

/// `true` if the current follow (`follows`) includes the current status: by its options for reblogs
/// and languages.
macro_rules! follow_includes {
    () => {{
        use diesel::{prelude::*, sql_types::Bool};
        use $crate::schema::{follows, statuses};
        statuses::reblog_of_id.is_null().or(follows::show_reblogs.eq(true)).and(
            follows::languages
                .is_null()
                .or($crate::fixed::fixed!(Bool, $crate::timelines::rules::IN_LANGUAGES)),
        )
    }};
}

pub(crate) use follow_includes;

/// `true` if the current status is no reply, or is a reply to its author or to `viewer`.
macro_rules! is_no_reply_to_others {
    ($viewer:expr) => {{
        use diesel::prelude::*;
        use $crate::schema::statuses;
        let parent_author = statuses::in_reply_to_account_id.assume_not_null();
        statuses::in_reply_to_id
            .is_null()
            .or(parent_author.eq(statuses::account_id))
            .or(parent_author.eq($viewer))
    }};
}

pub(crate) use is_no_reply_to_others;

/// `true` if `viewer` follows the author of the current status's parent.
macro_rules! follows_parent_author {
    ($viewer:expr) => {{
        use diesel::prelude::*;
        use $crate::schema::statuses;
        let parent_author = statuses::in_reply_to_account_id.assume_not_null();
        $crate::statuses::follows!($viewer, account: parent_author)
    }};
}

pub(crate) use follows_parent_author;

/// `true` if home shows the current status to `viewer`. Home shows the viewer's own statuses and
/// those of followed accounts, as each follow's options allow, unless the author is in an exclusive
/// list. It also shows public statuses with a followed hashtag. Replies to accounts that the viewer
/// does not follow are shown only because of a followed hashtag. Home hides statuses that mention,
/// are by or reblog an account that the viewer blocks or mutes.
macro_rules! in_home {
    ($viewer:expr, $now:expr) => {
        $crate::timelines::rules::in_home!($viewer, $now, at: all)
    };
    ($viewer:expr, $now:expr, at: $flags:ident) => {{
        use diesel::{dsl::not, prelude::*};
        use $crate::{
            schema::{follows, list_accounts, lists, statuses, statuses_tags, tag_follows},
            statuses::{flagged, row_exists, is_listed},
            timelines::rules,
        };
        let (viewer, now) = ($viewer, $now);
        let by_follow = row_exists!(
            follows::table
                .filter(follows::account_id.eq(viewer))
                .filter(follows::target_account_id.eq(statuses::account_id))
                .filter(rules::follow_includes!()),
        )
        .and(
            rules::is_no_reply_to_others!(viewer).or(rules::follows_parent_author!(viewer)),
        );
        let has_followed_tag = row_exists!(
            statuses_tags::table
                .inner_join(tag_follows::table.on(tag_follows::tag_id.eq(statuses_tags::tag_id)))
                .filter(statuses_tags::status_id.eq(statuses::id))
                .filter(tag_follows::account_id.eq(viewer)),
        );
        let by_tag = statuses::visibility
            .eq(siskin_entities::Visibility::Public.number())
            .and(statuses::reblog_of_id.is_null())
            .and(flagged!($flags, tags, has_followed_tag))
            .and(is_listed!(viewer, at: $flags, account: statuses::account_id));
        let in_exclusive_list = row_exists!(
            list_accounts::table
                .inner_join(lists::table.on(lists::id.eq(list_accounts::list_id)))
                .filter(lists::account_id.eq(viewer))
                .filter(lists::exclusive.eq(true))
                .filter(list_accounts::account_id.eq(statuses::account_id)),
        );
        let from_others = by_follow
            .or(by_tag)
            .and(not(flagged!($flags, exclusive, in_exclusive_list)))
            .and(not(rules::has_hidden_mention!(viewer, now, at: $flags)));
        rules::passes_viewer_rules!(viewer, now, at: $flags).and(statuses::account_id.eq(viewer).or(from_others))
    }};
}

pub(crate) use in_home;

/// `true` if the list `list` of `viewer` shows the current status. A list shows statuses of its
/// members, as the options of each follow allow. Of the replies, it shows those that `policy`
/// allows, the number of a `RepliesPolicy`. It hides statuses that mention, are by or reblog an
/// account that the viewer blocks or mutes.
macro_rules! in_list {
    ($viewer:expr, $now:expr, list: $list:expr, policy: $policy:expr) => {
        $crate::timelines::rules::in_list!(
            $viewer, $now, at: all, list: $list, policy: $policy
        )
    };
    ($viewer:expr, $now:expr, at: $flags:ident, list: $list:expr, policy: $policy:expr $(,)?) => {{
        use diesel::{dsl::not, prelude::*};
        use siskin_entities::RepliesPolicy;
        use $crate::{
            schema::{follows, list_accounts, statuses},
            statuses::row_exists,
            timelines::rules,
        };
        let (viewer, now, list, policy) = ($viewer, $now, $list, $policy);
        let of_member = row_exists!(
            list_accounts::table
                .inner_join(follows::table.on(follows::id.eq(list_accounts::follow_id)))
                .filter(list_accounts::list_id.eq(list))
                .filter(list_accounts::account_id.eq(statuses::account_id))
                .filter(rules::follow_includes!()),
        );
        let parent_author = statuses::in_reply_to_account_id.assume_not_null();
        let parent_author_is_member = row_exists!(
            list_accounts::table
                .filter(list_accounts::list_id.eq(list))
                .filter(list_accounts::account_id.eq(parent_author)),
        );
        let to_followed = policy.eq(RepliesPolicy::Followed.number());
        let to_members = policy.eq(RepliesPolicy::List.number());
        rules::passes_viewer_rules!(viewer, now, at: $flags)
            .and(of_member)
            .and(
                rules::is_no_reply_to_others!(viewer)
                    .or(to_followed.and(rules::follows_parent_author!(viewer)))
                    .or(to_members.and(parent_author_is_member)),
            )
            .and(not(rules::has_hidden_mention!(viewer, now, at: $flags)))
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
    fn the_rules_accept_a_column_as_the_viewer() {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        crate::migrations::run(&mut conn).unwrap();
        let (status, now) = (StatusId::new(7), Timestamp::from_unix_ms(0));
        let viewer = audience.field(follows::account_id);
        let viewers: Vec<AccountId> = with_reblogged!()
            .inner_join(
                audience.on(audience.field(follows::target_account_id).eq(statuses::account_id)),
            )
            .filter(statuses::id.eq(status))
            .filter(in_home!(viewer, now))
            .select(viewer)
            .load(&mut conn)
            .unwrap();
        assert_eq!(viewers, []);
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
