//! Tables of the rules: for each row, what home, a list, the public timelines and the timeline of a
//! hashtag show.

use siskin_entities::{
    AccountState, RelationParts,
    relationship::{Follow, Mute},
    status::Mention,
};
use siskin_ids::ListId;

use super::*;

const VIEWER: AccountId = AccountId::new(1);
/// Followed account, member of the list.
const AUTHOR: AccountId = AccountId::new(2);
/// Followed account.
const FRIEND: AccountId = AccountId::new(3);
const STRANGER: AccountId = AccountId::new(4);
const NOW: Timestamp = Timestamp::from_unix_ms(1_000);

fn list(replies_policy: RepliesPolicy, exclusive: bool) -> ListMembers {
    ListMembers { id: ListId::new(9), replies_policy, exclusive, members: vec![AUTHOR] }
}

/// Returns the relations of a viewer that follows `AUTHOR` and `FRIEND`.
fn parts() -> RelationParts {
    RelationParts {
        follows: vec![(AUTHOR, Follow::default()), (FRIEND, Follow::default())],
        lists: vec![list(RepliesPolicy::List, false)],
        ..RelationParts::default()
    }
}

const fn by(id: AccountId, visibility: Visibility) -> ContentFacts<'static> {
    ContentFacts {
        author: AccountFacts {
            id,
            domain: None,
            state: AccountState { suspended: false, silenced: false, reachable: true },
        },
        visibility,
        mentions: &[],
        former_mentions: &[],
    }
}

const fn status(author: AccountId) -> StatusFacts<'static> {
    StatusFacts {
        own: by(author, Visibility::Public),
        reblogged: None,
        parent: Parent::None,
        tags: &[],
        language: None,
    }
}

const fn reblog(by_account: AccountId, of: AccountId) -> StatusFacts<'static> {
    StatusFacts { reblogged: Some(by(of, Visibility::Public)), ..status(by_account) }
}

const fn reply(author: AccountId, to: AccountId) -> StatusFacts<'static> {
    StatusFacts { parent: Parent::By(Some(to)), ..status(author) }
}

/// Returns whether home, the list, the public timelines and a hashtag show the status.
fn shown(parts: RelationParts, status: &StatusFacts<'_>) -> [bool; 4] {
    let viewer = ViewerRelations::of(VIEWER, parts);
    let in_list =
        viewer.list(ListId::new(9)).is_some_and(|list| shows_list(&viewer, list, status, NOW));
    [
        shows_home(&viewer, status, NOW),
        in_list,
        shows_public(&viewer, status, NOW),
        shows_tag(&viewer, status, NOW),
    ]
}

const NOWHERE: [bool; 4] = [false; 4];

fn mention(account_id: AccountId, acct: &str) -> Mention {
    Mention { account_id, username: String::new(), acct: acct.to_owned(), url: String::new() }
}

#[test]
fn home_shows_own_and_followed_statuses_and_a_list_its_members() {
    for (author, expected) in [
        (VIEWER, [true, false, true, true]),
        (AUTHOR, [true, true, true, true]),
        (FRIEND, [true, false, true, true]),
        (STRANGER, [false, false, true, true]),
    ] {
        assert_eq!(shown(parts(), &status(author)), expected, "{author}");
    }
}

#[test]
fn public_timelines_show_public_statuses_only() {
    for (visibility, expected) in [
        (Visibility::Public, [true, true, true, true]),
        (Visibility::Unlisted, [true, true, false, false]),
        (Visibility::Private, [true, true, false, false]),
        (Visibility::Direct, NOWHERE),
    ] {
        let status = StatusFacts { own: by(AUTHOR, visibility), ..status(AUTHOR) };
        assert_eq!(shown(parts(), &status), expected, "{visibility:?}");
    }
    assert_eq!(shown(parts(), &reblog(AUTHOR, STRANGER)), [true, true, false, false]);
}

#[test]
fn an_anonymous_viewer_sees_public_timelines_only() {
    let anonymous = ViewerRelations::default();
    assert!(shows_public(&anonymous, &status(AUTHOR), NOW));
    assert!(!shows_home(&anonymous, &status(AUTHOR), NOW));
}

#[test]
fn replies_are_shown_if_the_parents_author_is_included() {
    for (to, home) in [(AUTHOR, true), (VIEWER, true), (FRIEND, true), (STRANGER, false)] {
        let [at_home, ..] = shown(parts(), &reply(AUTHOR, to));
        assert_eq!(at_home, home, "{to}");
    }
    for (policy, expected) in [
        (RepliesPolicy::Followed, [true, true, true, false]),
        (RepliesPolicy::List, [true, true, false, false]),
        (RepliesPolicy::None, [true, true, false, false]),
    ] {
        let parts = RelationParts { lists: vec![list(policy, false)], ..parts() };
        let in_list = [AUTHOR, VIEWER, FRIEND, STRANGER]
            .map(|to| shown(parts.clone(), &reply(AUTHOR, to))[1]);
        assert_eq!(in_list, expected, "{policy:?}");
    }
    let [_, _, public, tag] = shown(parts(), &reply(AUTHOR, FRIEND));
    assert!(!public && tag);
    let unknown = StatusFacts { parent: Parent::By(None), ..status(AUTHOR) };
    assert_eq!(shown(parts(), &unknown), [false, false, false, true]);
}

#[test]
fn a_list_of_members_includes_replies_between_them() {
    let mut members = list(RepliesPolicy::List, false);
    members.members.push(FRIEND);
    let parts = RelationParts { lists: vec![members], ..parts() };
    assert_eq!(shown(parts, &reply(AUTHOR, FRIEND)), [true, true, false, true]);
}

#[test]
fn blocks_and_mutes_hide_authors_reblogged_authors_and_mentions() {
    let until = Some(Timestamp::from_unix_ms(1_001));
    let mute = Mute { notifications: false, until };
    for hidden in [
        RelationParts { blocks: vec![AUTHOR], ..parts() },
        RelationParts { mutes: vec![(AUTHOR, mute)], ..parts() },
    ] {
        assert_eq!(shown(hidden.clone(), &status(AUTHOR)), NOWHERE);
        assert_eq!(shown(hidden.clone(), &reblog(FRIEND, AUTHOR)), NOWHERE);
        let mentions = [mention(AUTHOR, "author")];
        let own = ContentFacts { mentions: &mentions, ..by(FRIEND, Visibility::Public) };
        let naming = StatusFacts { own, ..status(FRIEND) };
        assert_eq!(shown(hidden, &naming), [false, false, true, true]);
    }
    let over = Mute { notifications: false, until: Some(NOW) };
    let parts_after = RelationParts { mutes: vec![(AUTHOR, over)], ..parts() };
    assert_eq!(shown(parts_after, &status(AUTHOR)), [true; 4]);
}

#[test]
fn a_blocked_domain_hides_its_accounts_and_mentions_of_them() {
    let parts = RelationParts { domains: vec!["far.example".to_owned()], ..parts() };
    let mut remote = status(AUTHOR);
    remote.own.author.domain = Some("far.example");
    assert_eq!(shown(parts.clone(), &remote), NOWHERE);
    let mentions = [mention(STRANGER, "someone@far.example")];
    let own = ContentFacts { mentions: &mentions, ..by(AUTHOR, Visibility::Public) };
    let naming = StatusFacts { own, ..status(AUTHOR) };
    assert_eq!(shown(parts, &naming), [false, false, true, true]);
}

#[test]
fn own_statuses_are_shown_whomever_they_mention() {
    let mentions = [mention(STRANGER, "stranger")];
    let own = ContentFacts { mentions: &mentions, ..by(VIEWER, Visibility::Public) };
    let parts = RelationParts { blocks: vec![STRANGER], ..parts() };
    assert!(shown(parts, &StatusFacts { own, ..status(VIEWER) })[0]);
}

#[test]
fn an_author_who_blocks_the_viewer_is_hidden_everywhere() {
    let parts = RelationParts { blocked_by: vec![AUTHOR], ..parts() };
    assert_eq!(shown(parts.clone(), &status(AUTHOR)), NOWHERE);
    assert_eq!(shown(parts, &reblog(FRIEND, AUTHOR)), NOWHERE);
}

#[test]
fn suspended_authors_are_hidden_and_silenced_ones_unlisted() {
    let mut suspended = status(AUTHOR);
    suspended.own.author.state.suspended = true;
    assert_eq!(shown(parts(), &suspended), NOWHERE);
    let mut silenced = status(STRANGER);
    silenced.own.author.state.silenced = true;
    assert_eq!(shown(parts(), &silenced), NOWHERE);
    silenced.own.author.id = AUTHOR;
    assert_eq!(shown(parts(), &silenced), [true; 4]);
}

#[test]
fn exclusive_lists_keep_their_members_out_of_home() {
    let parts = RelationParts { lists: vec![list(RepliesPolicy::List, true)], ..parts() };
    assert_eq!(shown(parts.clone(), &status(AUTHOR)), [false, true, true, true]);
    assert_eq!(shown(parts, &reblog(FRIEND, AUTHOR)), [true, false, false, false]);
}

#[test]
fn the_options_of_a_follow_leave_out_reblogs_and_languages() {
    let no_reblogs = Follow { reblogs: false, ..Follow::default() };
    let without = RelationParts { follows: vec![(AUTHOR, no_reblogs)], ..parts() };
    assert_eq!(shown(without.clone(), &reblog(AUTHOR, STRANGER)), NOWHERE);
    assert_eq!(shown(without, &status(AUTHOR)), [true; 4]);
    let in_french = Follow { languages: Some(vec!["fr".to_owned()]), ..Follow::default() };
    let french = RelationParts { follows: vec![(AUTHOR, in_french)], ..parts() };
    for (language, expected) in [(None, true), (Some("fr"), true), (Some("de"), false)] {
        let status = StatusFacts { language, ..status(AUTHOR) };
        assert_eq!(shown(french.clone(), &status)[..2], [expected; 2], "{language:?}");
    }
}

#[test]
fn a_followed_hashtag_adds_public_statuses_but_no_reblogs() {
    let parts = RelationParts { tags: vec!["walk".to_owned()], ..parts() };
    let tags = [StatusTag { name: "walk".to_owned() }];
    let tagged = StatusFacts { tags: &tags, ..status(STRANGER) };
    assert!(shown(parts.clone(), &tagged)[0]);
    let answering = StatusFacts { parent: Parent::By(Some(STRANGER)), ..tagged };
    assert!(shown(parts.clone(), &answering)[0]);
    let unlisted = StatusFacts { own: by(STRANGER, Visibility::Unlisted), ..tagged };
    assert!(!shown(parts.clone(), &unlisted)[0]);
    let reblogged = Some(by(STRANGER, Visibility::Public));
    assert!(!shown(parts.clone(), &StatusFacts { reblogged, ..tagged })[0]);
    let mut silenced = tagged;
    silenced.own.author.state.silenced = true;
    assert!(!shown(parts, &silenced)[0]);
}

/// Returns whether a thread and the profile of the author show the status.
fn shown_beside(parts: RelationParts, status: &StatusFacts<'_>) -> [bool; 2] {
    let viewer = ViewerRelations::of(VIEWER, parts);
    [shows_in_thread(&viewer, status, NOW), shows_on_profile(&viewer, status, NOW)]
}

#[test]
fn a_profile_shows_muted_and_blocked_authors_and_a_thread_does_not() {
    let mute = Mute { notifications: true, until: None };
    for (parts, expected) in [
        (RelationParts::default(), [true, true]),
        (RelationParts { mutes: vec![(AUTHOR, mute)], ..RelationParts::default() }, [false, true]),
        (RelationParts { blocks: vec![AUTHOR], ..RelationParts::default() }, [false, true]),
        (RelationParts { blocked_by: vec![AUTHOR], ..RelationParts::default() }, [false, false]),
    ] {
        assert_eq!(shown_beside(parts.clone(), &status(AUTHOR)), expected, "{parts:?}");
    }
}

#[test]
fn a_profile_hides_reblogs_of_hidden_authors() {
    let mute = Mute { notifications: false, until: None };
    for (parts, expected) in [
        (RelationParts::default(), true),
        (RelationParts { mutes: vec![(STRANGER, mute)], ..RelationParts::default() }, false),
        (RelationParts { blocks: vec![STRANGER], ..RelationParts::default() }, false),
        (RelationParts { blocked_by: vec![STRANGER], ..RelationParts::default() }, false),
    ] {
        let [_, on_profile] = shown_beside(parts.clone(), &reblog(AUTHOR, STRANGER));
        assert_eq!(on_profile, expected, "{parts:?}");
    }
}

#[test]
fn a_thread_shows_silenced_authors_to_their_followers_only() {
    let silenced = AccountState { suspended: false, silenced: true, reachable: true };
    let by_silenced = |id| {
        let author = AccountFacts { id, domain: None, state: silenced };
        StatusFacts { own: ContentFacts { author, ..by(id, Visibility::Public) }, ..status(id) }
    };
    for (author, expected) in
        [(VIEWER, [true, true]), (AUTHOR, [true, true]), (STRANGER, [false, true])]
    {
        assert_eq!(shown_beside(parts(), &by_silenced(author)), expected, "{author}");
    }
}

/// Returns whether a search among all statuses, the library and the public statuses shows the
/// status. The flags of a [`Found`] are given in their order.
fn searched(
    viewer: &ViewerRelations,
    status: &StatusFacts<'_>,
    (is_indexable, has_interacted): (bool, bool),
) -> [bool; 3] {
    [SearchScope::All, SearchScope::Library, SearchScope::Public].map(|scope| {
        let found = Found { scope, is_indexable, has_interacted };
        shows_in_search(viewer, status, found, NOW)
    })
}

/// Whether the author is indexable, and whether the viewer has interacted.
const FLAGS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

const UNFOUND: [[bool; 3]; 4] = [[false; 3]; 4];

/// What the flags mean for a status that everyone sees, but that is not public.
const BY_INTERACTION: [[bool; 3]; 4] =
    [[false; 3], [false; 3], [true, true, false], [true, true, false]];

/// What they mean for a public status.
const PUBLIC: [[bool; 3]; 4] =
    [[false; 3], [true, false, true], [true, true, false], [true, true, true]];

/// What they mean for a status in the library that is not public.
const IN_LIBRARY: [[bool; 3]; 4] = [[true, true, false]; 4];

/// What they mean for a public status in the library.
const PUBLIC_IN_LIBRARY: [[bool; 3]; 4] =
    [[true, true, false], [true; 3], [true, true, false], [true; 3]];

#[test]
fn a_search_shows_the_library_and_public_statuses_of_indexable_authors() {
    let viewer = ViewerRelations::of(VIEWER, parts());
    for (author, visibility, expected) in [
        (STRANGER, Visibility::Public, PUBLIC),
        (STRANGER, Visibility::Unlisted, BY_INTERACTION),
        (STRANGER, Visibility::Private, UNFOUND),
        (STRANGER, Visibility::Direct, UNFOUND),
        (AUTHOR, Visibility::Public, PUBLIC),
        (AUTHOR, Visibility::Unlisted, BY_INTERACTION),
        (AUTHOR, Visibility::Private, BY_INTERACTION),
        (AUTHOR, Visibility::Direct, UNFOUND),
        (VIEWER, Visibility::Public, PUBLIC_IN_LIBRARY),
        (VIEWER, Visibility::Unlisted, IN_LIBRARY),
        (VIEWER, Visibility::Private, IN_LIBRARY),
        (VIEWER, Visibility::Direct, IN_LIBRARY),
    ] {
        let status = StatusFacts { own: by(author, visibility), ..status(author) };
        let shown = FLAGS.map(|flags| searched(&viewer, &status, flags));
        assert_eq!(shown, expected, "{author} {visibility:?}");
    }
}

#[test]
fn a_search_shows_statuses_of_all_visibilities_that_ever_mentioned_the_viewer() {
    let viewer = ViewerRelations::of(VIEWER, RelationParts::default());
    let now = [mention(VIEWER, "viewer")];
    let other = [mention(FRIEND, "friend")];
    for visibility in Visibility::ALL {
        let own = by(STRANGER, visibility);
        let expected =
            if visibility == Visibility::Public { PUBLIC_IN_LIBRARY } else { IN_LIBRARY };
        for own in [
            ContentFacts { mentions: &now, ..own },
            ContentFacts { former_mentions: &[VIEWER], ..own },
        ] {
            let status = StatusFacts { own, ..status(STRANGER) };
            let shown = FLAGS.map(|flags| searched(&viewer, &status, flags));
            assert_eq!(shown, expected, "{visibility:?}");
        }
    }
    // A mention of another account adds nothing.
    let own = ContentFacts { mentions: &other, ..by(STRANGER, Visibility::Public) };
    let status = StatusFacts { own, ..status(STRANGER) };
    assert_eq!(FLAGS.map(|flags| searched(&viewer, &status, flags)), PUBLIC);
}

#[test]
fn a_search_hides_accounts_as_timelines_do() {
    let mute = |until| vec![(AUTHOR, Mute { notifications: false, until })];
    let stranger = RelationParts::default;
    let all = (true, true);
    let mentions = [mention(VIEWER, "viewer")];
    let mut remote = by(AUTHOR, Visibility::Public);
    remote.author.domain = Some("far.example");
    remote.mentions = &mentions;
    for (parts, expected) in [
        (stranger(), true),
        (RelationParts { blocks: vec![AUTHOR], ..stranger() }, false),
        (RelationParts { blocked_by: vec![AUTHOR], ..stranger() }, false),
        (RelationParts { domains: vec!["far.example".to_owned()], ..stranger() }, false),
        (RelationParts { domains: vec!["near.example".to_owned()], ..stranger() }, true),
        (RelationParts { mutes: mute(None), ..stranger() }, false),
        (RelationParts { mutes: mute(Some(Timestamp::from_unix_ms(1_001))), ..stranger() }, false),
        (RelationParts { mutes: mute(Some(NOW)), ..stranger() }, true),
    ] {
        let viewer = ViewerRelations::of(VIEWER, parts.clone());
        let status = StatusFacts { own: remote, ..status(AUTHOR) };
        assert_eq!(searched(&viewer, &status, all), [expected; 3], "{parts:?}");
    }
    for (suspended, silenced, reachable, author, expected) in [
        (true, false, true, AUTHOR, false),
        (false, false, false, AUTHOR, false),
        (false, true, true, AUTHOR, true),
        (false, true, true, STRANGER, false),
        (false, true, true, VIEWER, true),
    ] {
        let viewer = ViewerRelations::of(VIEWER, parts());
        let mut status = status(author);
        status.own.author.state = AccountState { suspended, silenced, reachable };
        status.own.mentions = &mentions;
        let state = status.own.author.state;
        assert_eq!(searched(&viewer, &status, all), [expected; 3], "{author} {state:?}");
    }
}

#[test]
fn a_search_shows_no_reblogs_and_nothing_to_anonymous_viewers() {
    let viewer = ViewerRelations::of(VIEWER, parts());
    for author in [VIEWER, AUTHOR] {
        let shown = FLAGS.map(|flags| searched(&viewer, &reblog(author, FRIEND), flags));
        assert_eq!(shown, UNFOUND, "{author}");
    }
    let anonymous = ViewerRelations::default();
    for visibility in Visibility::ALL {
        let status = StatusFacts { own: by(AUTHOR, visibility), ..status(AUTHOR) };
        let shown = FLAGS.map(|flags| searched(&anonymous, &status, flags));
        assert_eq!(shown, UNFOUND, "{visibility:?}");
    }
}
