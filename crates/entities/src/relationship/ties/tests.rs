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

/// Generates any reachable `Ties`: an endorsement exists only with an established follow.
fn some_ties() -> impl Strategy<Value = Ties> {
    let follows = (some_following(), some_following());
    let marks = (any::<bool>(), option::of(some_mute()), any::<bool>(), any::<bool>(), "[ab]{0,2}");
    (follows, marks).prop_map(|((following, followed_by), marks)| {
        let (blocking, muting, endorsing, endorsed_by, note) = marks;
        Ties { following, followed_by, blocking, muting, endorsing, endorsed_by, note }.settled()
    })
}

/// Mirrors the ties for the other account, limited to the facts that the actor knows.
fn seen_by_the_other(ties: &Ties) -> Ties {
    Ties {
        following: ties.followed_by.clone(),
        followed_by: ties.following.clone(),
        endorsing: ties.endorsed_by,
        endorsed_by: ties.endorsing,
        ..Ties::default()
    }
}

/// Checks that an action leaves all ties alone that the table does not list for it.
fn spared(action: &Action, before: &Ties, after: &Ties) -> bool {
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
    fn repeating_an_action_changes_nothing_more(ties in some_ties(), action in some_action()) {
        let once = ties.after(&action);
        prop_assert_eq!(once.clone().after(&action), once);
    }

    #[test]
    fn an_action_changes_what_its_line_says_and_nothing_else(
        ties in some_ties(), action in some_action(),
    ) {
        let after = ties.clone().after(&action);
        prop_assert!(spared(&action, &ties, &after), "{:?}: {:?} became {:?}", action, ties, after);
    }

    #[test]
    fn an_endorsement_never_outlives_its_follow(
        ties in some_ties(), actions in prop::collection::vec(some_action(), 0..8),
    ) {
        let after = actions.iter().fold(ties, Ties::after);
        prop_assert!(!after.endorsing || after.following.is_established());
        prop_assert!(!after.endorsed_by || after.followed_by.is_established());
    }

    #[test]
    fn a_block_leaves_nothing_that_joins_the_two(ties in some_ties()) {
        for action in [Action::Block, Action::BlockServer] {
            let after = ties.clone().after(&action);
            prop_assert_eq!(&after.following, &Following::No);
            prop_assert_eq!(&after.followed_by, &Following::No);
            prop_assert!(!after.endorsing && !after.endorsed_by);
            prop_assert_eq!(after.blocking, ties.blocking || action == Action::Block);
        }
    }

    #[test]
    fn what_ends_something_ends_it_whatever_was_there(ties in some_ties(), mute in some_mute()) {
        let muted = ties.clone().after(&Action::Mute(mute));
        prop_assert_eq!(muted.muting, Some(mute));
        prop_assert_eq!(muted.after(&Action::Unmute), Ties { muting: None, ..ties.clone() });
        let unblocked = ties.clone().after(&Action::Block).after(&Action::Unblock);
        prop_assert!(!unblocked.blocking);
        prop_assert_eq!(unblocked.following, Following::No);
        let noted = ties.clone().after(&Action::Note("x".to_owned()));
        prop_assert_eq!(noted.note.as_str(), "x");
        prop_assert_eq!(noted.after(&Action::Note(String::new())).note, "");
    }

    #[test]
    fn only_those_whom_one_follows_are_endorsed(ties in some_ties()) {
        let follows = ties.following.is_established();
        let endorsing = ties.after(&Action::Endorse);
        prop_assert_eq!(endorsing.endorsing, follows);
        prop_assert!(!endorsing.clone().after(&Action::Unendorse).endorsing);
        prop_assert!(!endorsing.after(&Action::Unfollow).endorsing);
    }

    #[test]
    fn a_removed_follower_takes_its_endorsement_along(ties in some_ties()) {
        let theirs = seen_by_the_other(&ties.clone().after(&Action::RemoveFollower));
        prop_assert!(!theirs.following.is_established() && !theirs.endorsing);
        let waiting = matches!(ties.followed_by, Following::Requested(_));
        prop_assert_eq!(matches!(theirs.following, Following::Requested(_)), waiting);
    }

    #[test]
    fn only_what_is_asked_for_changes(follow in some_follow(), asked in some_options()) {
        let after = follow.clone().changed(&asked);
        prop_assert_eq!(after.reblogs, asked.reblogs.unwrap_or(follow.reblogs));
        prop_assert_eq!(after.notify, asked.notify.unwrap_or(follow.notify));
        match asked.languages {
            None => prop_assert_eq!(after.languages, follow.languages),
            Some(list) => prop_assert_eq!(after.languages.unwrap_or_default(), list),
        }
    }

    #[test]
    fn a_request_is_granted_as_it_was_asked_or_not_at_all(
        ties in some_ties(), options in some_options(),
    ) {
        let asked = ties.after(&Action::Follow { options, needs_approval: true });
        let theirs = seen_by_the_other(&asked);
        let granted = theirs.clone().after(&Action::Authorize).followed_by;
        prop_assert!(granted.is_established());
        prop_assert_eq!(granted.follow(), asked.following.follow());
        let refused = theirs.clone().after(&Action::Reject).followed_by;
        let established = theirs.followed_by.is_established();
        prop_assert_eq!(refused.is_established(), established);
        prop_assert_eq!(refused == Following::No, !established);
    }
}

#[test]
fn an_established_follow_is_never_put_back_to_a_request() {
    let follow = Follow { reblogs: false, ..Follow::default() };
    let ties = Ties { following: Following::Yes(follow.clone()), ..Ties::default() };
    let again = Action::Follow { options: FollowOptions::default(), needs_approval: true };
    assert_eq!(ties.after(&again).following, Following::Yes(follow));
}

#[test]
fn unfollowing_takes_a_request_back() {
    let asked = Action::Follow { options: FollowOptions::default(), needs_approval: true };
    let ties = Ties::default().after(&asked).after(&Action::Unfollow);
    assert_eq!(ties, Ties::default());
}
