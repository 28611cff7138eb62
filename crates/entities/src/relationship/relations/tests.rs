use proptest::{option, prelude::*};

use super::*;
use crate::relationship::Follow;

fn some_languages() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-z]{2}", 0..3)
}

fn some_follow() -> impl Strategy<Value = Follow> {
    let languages = some_languages().prop_map(|list| (!list.is_empty()).then_some(list));
    (any::<bool>(), any::<bool>(), languages).prop_map(|(reblogs, notify, languages)| Follow {
        reblogs,
        notify,
        languages,
    })
}

fn some_following() -> impl Strategy<Value = Following> {
    prop_oneof![
        Just(Following::No),
        some_follow().prop_map(Following::Requested),
        some_follow().prop_map(Following::Yes),
    ]
}

fn some_options() -> impl Strategy<Value = FollowOptions> {
    (any::<Option<bool>>(), any::<Option<bool>>(), option::of(some_languages()))
        .prop_map(|(reblogs, notify, languages)| FollowOptions { reblogs, notify, languages })
}

fn some_mute() -> impl Strategy<Value = Mute> {
    let until = option::of(any::<u32>().prop_map(|ms| Timestamp::from_unix_ms(ms.into())));
    (any::<bool>(), until).prop_map(|(notifications, until)| Mute { notifications, until })
}

fn some_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        (some_options(), any::<bool>())
            .prop_map(|(options, needs_approval)| Action::Follow { options, needs_approval }),
        Just(Action::Unfollow),
        Just(Action::Authorize),
        Just(Action::Reject),
        Just(Action::RemoveFollower),
        some_mute().prop_map(Action::Mute),
        Just(Action::Unmute),
        Just(Action::Block),
        Just(Action::Unblock),
        Just(Action::BlockServer),
        Just(Action::Endorse),
        Just(Action::Unendorse),
        "[ab]{0,2}".prop_map(Action::Note),
    ]
}

/// Generates any reachable `Relations`: an endorsement exists only with an established follow.
fn some_relations() -> impl Strategy<Value = Relations> {
    let follows = (some_following(), some_following());
    let marks = (any::<bool>(), option::of(some_mute()), any::<bool>(), any::<bool>(), "[ab]{0,2}");
    (follows, marks).prop_map(|((following, followed_by), marks)| {
        let (blocking, muting, endorsing, endorsed_by, note) = marks;
        Relations { following, followed_by, blocking, muting, endorsing, endorsed_by, note }
            .normalised()
    })
}

/// Mirrors the relations for the other account, limited to the facts that the actor knows.
fn other_side(relations: &Relations) -> Relations {
    Relations {
        following: relations.followed_by.clone(),
        followed_by: relations.following.clone(),
        endorsing: relations.endorsed_by,
        endorsed_by: relations.endorsing,
        ..Relations::default()
    }
}

/// Checks that an action changes no relation that the table does not list for it.
fn changes_nothing_else(action: &Action, before: &Relations, after: &Relations) -> bool {
    let own = (&before.following, before.endorsing) == (&after.following, after.endorsing);
    let others =
        (&before.followed_by, before.endorsed_by) == (&after.followed_by, after.endorsed_by);
    let block = before.blocking == after.blocking;
    let mute = before.muting == after.muting;
    let note = before.note == after.note;
    let follow = before.following == after.following;
    match action {
        Action::Follow { .. } | Action::Unfollow => others && block && mute && note,
        Action::Authorize | Action::Reject | Action::RemoveFollower => own && block && mute && note,
        Action::Mute(_) | Action::Unmute => own && others && block && note,
        Action::Block => mute && note,
        Action::Unblock => own && others && mute && note,
        Action::BlockServer => block && mute && note,
        Action::Endorse | Action::Unendorse => follow && others && block && mute && note,
        Action::Note(_) => own && others && block && mute,
    }
}

proptest! {
    #[test]
    fn repeating_an_action_changes_nothing_more(relations in some_relations(), action in some_action()) {
        let once = relations.after(&action);
        prop_assert_eq!(once.clone().after(&action), once);
    }

    #[test]
    fn an_action_changes_only_the_columns_of_its_row(
        relations in some_relations(), action in some_action(),
    ) {
        let after = relations.clone().after(&action);
        prop_assert!(changes_nothing_else(&action, &relations, &after), "{:?}: {:?} became {:?}", action, relations, after);
    }

    #[test]
    fn an_endorsement_never_outlives_its_follow(
        relations in some_relations(), actions in prop::collection::vec(some_action(), 0..8),
    ) {
        let after = actions.iter().fold(relations, Relations::after);
        prop_assert!(!after.endorsing || after.following.is_established());
        prop_assert!(!after.endorsed_by || after.followed_by.is_established());
    }

    #[test]
    fn a_block_removes_follows_requests_and_endorsements(relations in some_relations()) {
        for action in [Action::Block, Action::BlockServer] {
            let after = relations.clone().after(&action);
            prop_assert_eq!(&after.following, &Following::No);
            prop_assert_eq!(&after.followed_by, &Following::No);
            prop_assert!(!after.endorsing && !after.endorsed_by);
            prop_assert_eq!(after.blocking, relations.blocking || action == Action::Block);
        }
    }

    #[test]
    fn actions_that_end_a_relation_end_it_from_any_state(relations in some_relations(), mute in some_mute()) {
        let muted = relations.clone().after(&Action::Mute(mute));
        prop_assert_eq!(muted.muting, Some(mute));
        prop_assert_eq!(muted.after(&Action::Unmute), Relations { muting: None, ..relations.clone() });
        let unblocked = relations.clone().after(&Action::Block).after(&Action::Unblock);
        prop_assert!(!unblocked.blocking);
        prop_assert_eq!(unblocked.following, Following::No);
        let noted = relations.clone().after(&Action::Note("x".to_owned()));
        prop_assert_eq!(noted.note.as_str(), "x");
        prop_assert_eq!(noted.after(&Action::Note(String::new())).note, "");
    }

    #[test]
    fn only_followed_accounts_can_be_endorsed(relations in some_relations()) {
        let follows = relations.following.is_established();
        let endorsing = relations.after(&Action::Endorse);
        prop_assert_eq!(endorsing.endorsing, follows);
        prop_assert!(!endorsing.clone().after(&Action::Unendorse).endorsing);
        prop_assert!(!endorsing.after(&Action::Unfollow).endorsing);
    }

    #[test]
    fn removing_a_follower_removes_its_endorsement(relations in some_relations()) {
        let theirs = other_side(&relations.clone().after(&Action::RemoveFollower));
        prop_assert!(!theirs.following.is_established() && !theirs.endorsing);
        let waiting = matches!(relations.followed_by, Following::Requested(_));
        prop_assert_eq!(matches!(theirs.following, Following::Requested(_)), waiting);
    }

    #[test]
    fn only_requested_options_change(follow in some_follow(), requested in some_options()) {
        let after = follow.clone().changed(&requested);
        prop_assert_eq!(after.reblogs, requested.reblogs.unwrap_or(follow.reblogs));
        prop_assert_eq!(after.notify, requested.notify.unwrap_or(follow.notify));
        match requested.languages {
            None => prop_assert_eq!(after.languages, follow.languages),
            Some(list) => prop_assert_eq!(after.languages.unwrap_or_default(), list),
        }
    }

    #[test]
    fn a_follow_request_is_granted_with_its_options_or_rejected(
        relations in some_relations(), options in some_options(),
    ) {
        let requested = relations.after(&Action::Follow { options, needs_approval: true });
        let theirs = other_side(&requested);
        let granted = theirs.clone().after(&Action::Authorize).followed_by;
        prop_assert!(granted.is_established());
        prop_assert_eq!(granted.follow(), requested.following.follow());
        let refused = theirs.clone().after(&Action::Reject).followed_by;
        let established = theirs.followed_by.is_established();
        prop_assert_eq!(refused.is_established(), established);
        prop_assert_eq!(refused == Following::No, !established);
    }
}

#[test]
fn an_established_follow_never_becomes_a_request_again() {
    let follow = Follow { reblogs: false, ..Follow::default() };
    let relations = Relations { following: Following::Yes(follow.clone()), ..Relations::default() };
    let again = Action::Follow { options: FollowOptions::default(), needs_approval: true };
    assert_eq!(relations.after(&again).following, Following::Yes(follow));
}

#[test]
fn unfollowing_withdraws_a_request() {
    let requested = Action::Follow { options: FollowOptions::default(), needs_approval: true };
    let relations = Relations::default().after(&requested).after(&Action::Unfollow);
    assert_eq!(relations, Relations::default());
}
