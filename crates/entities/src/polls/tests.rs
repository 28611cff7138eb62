use std::{collections::BTreeSet, time::Duration};

use proptest::{collection::vec, option, prelude::*};
use siskin_text::{TextLimit, is_blank};

use super::*;

const LIMITS: Limits = Limits {
    options: 4,
    option_chars: 50,
    shortest: Duration::from_secs(300),
    longest: Duration::from_secs(2_629_746),
};

const START: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);

fn request(options: &[&str], expires_in: i64) -> PollRequest {
    let options = options.iter().map(|title| (*title).to_owned()).collect();
    PollRequest { options, expires_in: Some(expires_in), multiple: false, hide_totals: false }
}

fn check(options: &[&str], expires_in: i64) -> Result<Definition, PollError> {
    Definition::check(&request(options, expires_in), &LIMITS)
}

/// Builds a poll without votes in which the viewer can vote.
fn poll(definition: &Definition) -> Poll {
    let option = |title: &String| PollOption { title: title.clone(), votes: 0 };
    Poll {
        id: PollId::new(1),
        options: definition.options().iter().map(option).collect(),
        multiple: definition.multiple(),
        hide_totals: definition.hides_totals(),
        expires_at: Some(definition.end(START)),
        closed: false,
        voters: 0,
        emojis: Vec::new(),
        viewer: Some(PollViewer::default()),
    }
}

fn choices(positions: &[&str]) -> Vec<String> {
    positions.iter().map(|position| (*position).to_owned()).collect()
}

fn cast(poll: &Poll, positions: &[&str]) -> Result<Vec<usize>, VoteError> {
    Ballot::cast(poll, &choices(positions), START).map(|ballot| ballot.chosen().to_vec())
}

fn two_options(multiple: bool) -> Poll {
    Poll { multiple, ..poll(&check(&["a", "b"], 300).unwrap()) }
}

#[test]
fn a_poll_has_two_to_four_different_options() {
    assert_eq!(check(&[], 300), Err(PollError::TooFewOptions));
    assert_eq!(check(&["a"], 300), Err(PollError::TooFewOptions));
    assert_eq!(check(&["a"; 50], 300), Err(PollError::TooManyOptions { max: 4 }));
    for unseen in [" ", "\u{200B}", "\u{2800} "] {
        assert_eq!(check(&["a", unseen], 300), Err(PollError::TooFewOptions));
    }
    assert_eq!(check(&["a", "", "b "], 300).unwrap().options(), ["a", "b"]);
    assert_eq!(check(&["a", " a "], 300), Err(PollError::SameOptions));
    assert_eq!(check(&["a", "A"], 300).unwrap().options(), ["a", "A"]);
    let long = "é".repeat(51);
    assert_eq!(check(&["a", &long], 300), Err(PollError::LongOption { max: 50 }));
    let families = "👩‍👩‍👧‍👦".repeat(50);
    assert!(check(&["a", &families], 300).is_ok());
    assert!(check(&["a", &format!("{families}x")], 300).is_err());
    assert!(check(&["a", &format!("b{}", "\u{301}".repeat(1000))], 300).is_err());
    assert_eq!(check(&["a", "\u{200B}"], 300), Err(PollError::TooFewOptions));
    assert!(check(&["a", &long[..100], "c", "d"], 300).is_ok());
}

#[test]
fn a_poll_is_open_for_five_minutes_to_a_month() {
    for (seconds, fault) in [
        (i64::MIN, PollError::EndsTooSoon),
        (-5, PollError::EndsTooSoon),
        (0, PollError::EndsTooSoon),
        (299, PollError::EndsTooSoon),
        (2_629_747, PollError::EndsTooLate),
        (1_000_000_000_000, PollError::EndsTooLate),
        (i64::MAX, PollError::EndsTooLate),
    ] {
        assert_eq!(check(&["a", "b"], seconds), Err(fault), "{seconds}");
    }
    let forever = PollRequest { expires_in: None, ..request(&["a", "b"], 300) };
    assert_eq!(Definition::check(&forever, &LIMITS), Err(PollError::EndsTooSoon));
    let end = check(&["a", "b"], 300).unwrap().end(START);
    assert_eq!(end.unix_ms() - START.unix_ms(), 300_000);
}

#[test]
fn an_invalid_option_position_is_refused() {
    for wrong in ["99", "2", "-1", "+1", "abc", "0.0", "1e0", "18446744073709551616"] {
        for all in [&[wrong][..], &["0", wrong]] {
            assert_eq!(cast(&two_options(true), all), Err(VoteError::NoSuchOption), "{all:?}");
        }
    }
    assert_eq!(cast(&two_options(false), &[]), Err(VoteError::NothingChosen));
    assert_eq!(cast(&two_options(false), &["", " "]), Err(VoteError::NothingChosen));
    assert_eq!(cast(&two_options(false), &["", "1"]), Ok(vec![1]));
}

#[test]
fn an_account_votes_once_or_once_per_option_in_multiple_choice_polls() {
    assert_eq!(cast(&two_options(false), &["1", "0"]), Err(VoteError::OneOptionOnly));
    assert_eq!(cast(&two_options(false), &["1", "1"]), Ok(vec![1]));
    assert_eq!(cast(&two_options(true), &["1", "0", "1"]), Ok(vec![0, 1]));
    let viewer = Some(PollViewer { is_author: false, chosen: vec![1] });
    let voted = Poll { viewer, ..two_options(false) };
    assert_eq!(cast(&voted, &["0"]), Err(VoteError::VotedAlready));
    let voted = Poll { multiple: true, ..voted };
    assert_eq!(cast(&voted, &["1"]), Err(VoteError::VotedAlready));
    assert_eq!(cast(&voted, &["0", "1"]), Err(VoteError::VotedAlready));
    let ballot = Ballot::cast(&voted, &choices(&["0"]), START).unwrap();
    let counted = voted.counting(&ballot);
    assert_eq!((counted.voters, counted.viewer.unwrap().chosen), (0, vec![1, 0]));
}

#[test]
fn votes_in_own_or_ended_polls_are_refused() {
    let own = PollViewer { is_author: true, chosen: Vec::new() };
    assert!(own.is_done());
    assert_eq!(
        cast(&Poll { viewer: Some(own), ..two_options(true) }, &["0"]),
        Err(VoteError::OwnPoll)
    );
    let closed = Poll { closed: true, ..two_options(true) };
    assert_eq!(cast(&closed, &["0"]), Err(VoteError::Over));
    let poll = two_options(true);
    let end = poll.expires_at.unwrap();
    let last = end.before(Duration::from_millis(1));
    assert!(Ballot::cast(&poll, &choices(&["0"]), last).is_ok());
    assert_eq!(Ballot::cast(&poll, &choices(&["0"]), end), Err(VoteError::Over));
    let endless = Poll { expires_at: None, ..poll };
    assert!(Ballot::cast(&endless, &choices(&["0"]), Timestamp::from_unix_ms(i64::MAX)).is_ok());
}

#[test]
fn totals_are_hidden_until_the_end_and_no_longer() {
    let poll = Poll { hide_totals: true, ..two_options(false) };
    assert!(!poll.shows_totals(START));
    assert!(poll.shows_totals(poll.expires_at.unwrap()));
    assert!(Poll { closed: true, ..poll.clone() }.shows_totals(START));
    assert!(Poll { hide_totals: false, ..poll }.shows_totals(START));
}

#[test]
fn changed_options_reset_the_votes_and_a_changed_end_does_not() {
    let before = poll(&check(&["a", "b"], 300).unwrap());
    assert!(!check(&["a", " b"], 600).unwrap().resets(&before));
    let hidden = PollRequest { hide_totals: true, ..request(&["a", "b"], 300) };
    assert!(!Definition::check(&hidden, &LIMITS).unwrap().resets(&before));
    for options in [&["b", "a"][..], &["a", "c"], &["a", "b", "c"]] {
        assert!(check(options, 300).unwrap().resets(&before), "{options:?}");
    }
    let multiple = PollRequest { multiple: true, ..request(&["a", "b"], 300) };
    assert!(Definition::check(&multiple, &LIMITS).unwrap().resets(&before));
}

fn any_request() -> impl Strategy<Value = PollRequest> {
    let options = vec("[ab\u{e9} ]{0,3}|.{0,60}", 0..6);
    let seconds = option::of(prop_oneof![any::<i64>(), -10..3_000_000_i64]);
    (options, seconds, any::<[bool; 2]>()).prop_map(|(options, expires_in, flags)| {
        let [multiple, hide_totals] = flags;
        PollRequest { options, expires_in, multiple, hide_totals }
    })
}

fn any_choices() -> impl Strategy<Value = Vec<String>> {
    vec(prop_oneof![3 => "[0-3]", 1 => "[0-9a-]{0,3}"], 0..4)
}

proptest! {
    #[test]
    fn every_valid_poll_is_within_the_limits(request in any_request()) {
        let Ok(poll) = Definition::check(&request, &LIMITS) else { return Ok(()) };
        prop_assert!((2..=4).contains(&poll.options().len()));
        let titles: BTreeSet<_> = poll.options().iter().collect();
        prop_assert_eq!(titles.len(), poll.options().len());
        for title in poll.options() {
            prop_assert!(TextLimit::of(50).fits(title) && !is_blank(title) && title.trim() == title);
        }
        let open = poll.end(START).unix_ms() - START.unix_ms();
        prop_assert!((300_000..=2_629_746_000).contains(&open));
    }

    #[test]
    fn each_voter_counts_once_and_each_vote_counts(
        multiple in any::<bool>(),
        people in vec(vec(any_choices(), 0..4), 0..20),
    ) {
        let (mut poll, mut voters, mut votes) = (two_options(multiple), 0, 0);
        for tries in people {
            poll.viewer = Some(PollViewer::default());
            for choices in tries {
                let Ok(ballot) = Ballot::cast(&poll, &choices, START) else { continue };
                let titles = ballot.titles(&poll).count();
                prop_assert!(titles == ballot.chosen().len() && titles > 0);
                poll = poll.counting(&ballot);
                votes += i64::try_from(titles).unwrap();
                let again = Ballot::cast(&poll, &choices, START);
                prop_assert_eq!(again, Err(VoteError::VotedAlready));
            }
            let chosen = &poll.viewer.as_ref().unwrap().chosen;
            prop_assert!(multiple || chosen.len() <= 1);
            prop_assert_eq!(chosen.iter().collect::<BTreeSet<_>>().len(), chosen.len());
            voters += i64::from(!chosen.is_empty());
        }
        prop_assert_eq!((poll.voters, poll.votes()), (voters, votes));
    }
}
