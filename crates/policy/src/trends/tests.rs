//! Tables of the rules of trends.

use proptest::prelude::*;
use siskin_entities::{
    Account, AccountSnapshot, AccountState, RelationParts, StatusSnapshot,
    relationship::Mute,
    status::{StatusBody, StatusSource},
};
use siskin_ids::{AccountId, StatusId};

use super::*;

const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);
const HOUR: Duration = Duration::from_secs(3600);

fn uses(recent: i64, earlier: i64) -> Uses {
    Uses { recent, earlier, total: recent + earlier }
}

fn is(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-6
}

#[test]
fn a_surge_needs_the_threshold_and_growth() {
    for (recent, earlier, tag, link) in [
        (0, 0, 0.0, 0.0),
        (4, 0, 0.0, 0.0),
        (5, 0, 16.0, 0.0),
        (14, 0, 169.0, 0.0),
        (15, 0, 196.0, 196.0),
        (15, 1, 196.0, 196.0),
        (20, 10, 10.0, 10.0),
        (20, 20, 0.0, 0.0),
        (20, 30, 0.0, 0.0),
    ] {
        let uses = uses(recent, earlier);
        assert!(is(surge(&uses, &TAGS), tag), "{uses:?}");
        assert!(is(surge(&uses, &LINKS), link), "{uses:?}");
    }
}

#[test]
fn a_link_needs_fifteen_accounts() {
    assert_eq!(peak(None, &uses(14, 0), &LINKS, NOW), None);
    let peak = peak(None, &uses(15, 0), &LINKS, NOW).unwrap();
    assert_eq!(score(&peak, &LINKS, NOW), Some(196.0));
}

#[test]
fn a_score_halves_with_each_half_life_until_it_is_too_low() {
    let peak = Peak { score: 16.0, at: NOW };
    for (hours, left) in [(0, 16.0), (4, 8.0), (8, 4.0), (12, 2.0), (16, 1.0)] {
        let now = NOW.after(HOUR.saturating_mul(hours));
        assert!(is(score(&peak, &TAGS, now).unwrap(), left), "after {hours} hours");
    }
    assert_eq!(score(&peak, &TAGS, NOW.after(HOUR.saturating_mul(17))), None);
    // A clock that was set back.
    assert_eq!(score(&peak, &TAGS, NOW.before(HOUR)), Some(16.0));
}

#[test]
fn a_peak_lasts_until_a_higher_one_or_a_day() {
    let earlier = Peak { score: 16.0, at: NOW };
    let later = NOW.after(HOUR.saturating_mul(6));
    assert_eq!(peak(Some(earlier), &uses(5, 0), &TAGS, later), Some(earlier));
    let higher = peak(Some(earlier), &uses(6, 0), &TAGS, later).unwrap();
    assert_eq!(higher, Peak { score: 25.0, at: later });
    let next_day = NOW.after(WINDOW);
    assert_eq!(peak(Some(earlier), &uses(0, 5), &TAGS, later), Some(earlier));
    assert_eq!(peak(Some(earlier), &uses(0, 5), &TAGS, next_day), None);
    let again = peak(Some(earlier), &uses(5, 2), &TAGS, next_day).unwrap();
    assert_eq!(again, Peak { score: 4.5, at: next_day });
    // Statuses were deleted.
    assert_eq!(peak(Some(earlier), &uses(4, 0), &TAGS, later), None);
}

#[test]
fn statuses_need_five_accounts_and_lose_half_of_the_score_each_hour() {
    for (accounts, hours, expected) in [
        (4, 0, None),
        (5, 0, Some(16.0)),
        (5, 1, Some(8.0)),
        (5, 5, Some(0.5)),
        (5, 6, None),
        (101, 10, Some(9.765_625)),
        (i64::MAX, 48, None),
    ] {
        let now = NOW.after(HOUR.saturating_mul(hours));
        let score = status_score(accounts, NOW, now);
        let same = match (score, expected) {
            (Some(score), Some(expected)) => is(score, expected),
            (score, expected) => score == expected,
        };
        assert!(same, "{accounts} accounts after {hours} hours: {score:?}");
    }
}

#[test]
fn the_own_review_overrides_the_publisher_and_that_one_the_setting() {
    use Review::{Approved, Rejected, Unreviewed};
    for (own, publisher, by_default, trendable) in [
        (Unreviewed, Unreviewed, false, false),
        (Unreviewed, Unreviewed, true, true),
        (Unreviewed, Approved, false, true),
        (Unreviewed, Rejected, true, false),
        (Approved, Rejected, false, true),
        (Approved, Unreviewed, false, true),
        (Rejected, Approved, true, false),
        (Rejected, Unreviewed, true, false),
    ] {
        let is = is_trendable(own, publisher, by_default);
        assert_eq!(is, trendable, "{own:?} {publisher:?} {by_default}");
        let open = own == Unreviewed && publisher == Unreviewed;
        assert_eq!(requires_review(own, publisher), open, "{own:?} {publisher:?}");
    }
}

#[test]
fn a_publisher_is_its_host_or_a_domain_above() {
    let domains = |host| publisher_domains(host).collect::<Vec<_>>();
    assert_eq!(domains("a.b.example"), ["a.b.example", "b.example"]);
    assert_eq!(domains("b.example"), ["b.example"]);
    assert_eq!(domains("localhost"), ["localhost"]);
}

#[test]
fn the_history_must_reach_the_threshold() {
    let day = |accounts| TagDay { day: NOW.midnight(), uses: accounts, accounts };
    assert!(is_used(&[day(2), day(0), day(3)], &TAGS));
    assert!(!is_used(&[day(2), day(0), day(2)], &TAGS));
    assert!(!is_used(&[], &TAGS));
}

fn status(
    state: AccountState,
    discoverable: Option<bool>,
    change: impl Fn(&mut StatusSnapshot),
) -> Status {
    let author = AccountSnapshot {
        state,
        discoverable,
        ..AccountSnapshot::new(AccountId::new(2), "alice", NOW)
    };
    let mut snapshot = StatusSnapshot::new(StatusId::new(7), &author, "<p>Hello</p>", NOW);
    change(&mut snapshot);
    Status::new(StatusBody::new(snapshot, Account::new(author)))
}

const GOOD: AccountState = AccountState { suspended: false, silenced: false, reachable: true };

#[test]
fn only_harmless_public_statuses_of_discoverable_authors_may_trend() {
    let plain = |_: &mut StatusSnapshot| ();
    assert!(may_trend(&status(GOOD, Some(true), plain), Parent::None));
    assert!(!may_trend(&status(GOOD, Some(true), plain), Parent::By(None)));
    assert!(!may_trend(&status(GOOD, Some(true), plain), Parent::By(Some(AccountId::new(2)))));
    for discoverable in [None, Some(false)] {
        assert!(!may_trend(&status(GOOD, discoverable, plain), Parent::None));
    }
    for state in [
        AccountState { suspended: true, ..GOOD },
        AccountState { silenced: true, ..GOOD },
        AccountState { reachable: false, ..GOOD },
    ] {
        assert!(!may_trend(&status(state, Some(true), plain), Parent::None), "{state:?}");
    }
    for visibility in [Visibility::Unlisted, Visibility::Private, Visibility::Direct] {
        let hidden = status(GOOD, Some(true), |one| one.visibility = visibility);
        assert!(!may_trend(&hidden, Parent::None), "{visibility:?}");
    }
    let warned = status(GOOD, Some(true), |one| {
        one.source = StatusSource { spoiler_text: "Careful".to_owned(), ..StatusSource::default() };
    });
    assert!(!may_trend(&warned, Parent::None));
    let sensitive = status(GOOD, Some(true), |one| {
        one.source = StatusSource { sensitive: true, ..StatusSource::default() };
    });
    assert!(!may_trend(&sensitive, Parent::None));
    let mut author = Account::new(AccountSnapshot {
        discoverable: Some(true),
        ..AccountSnapshot::new(AccountId::new(2), "alice", NOW)
    });
    let snapshot = StatusSnapshot::new(StatusId::new(7), &author, "<p>Hello</p>", NOW);
    let by = |author| Status::new(StatusBody::new(snapshot.clone(), author));
    assert!(may_trend(&by(author.clone()), Parent::None));
    author.snapshot_mut().sensitized = true;
    assert!(!may_trend(&by(author), Parent::None));
}

#[test]
fn the_list_hides_authors_that_the_viewer_hides() {
    let (viewer, author) = (AccountId::new(1), AccountId::new(2));
    let status = status(GOOD, Some(true), |_| ());
    let mute = Mute { notifications: false, until: None };
    for (parts, expected) in [
        (RelationParts::default(), true),
        (RelationParts { blocks: vec![author], ..RelationParts::default() }, false),
        (RelationParts { blocked_by: vec![author], ..RelationParts::default() }, false),
        (RelationParts { mutes: vec![(author, mute)], ..RelationParts::default() }, false),
    ] {
        let relations = ViewerRelations::of(viewer, parts.clone());
        assert_eq!(shows(&relations, &status, Parent::None, NOW), expected, "{parts:?}");
    }
    assert!(shows(&ViewerRelations::default(), &status, Parent::None, NOW));
}

proptest! {
    #[test]
    fn more_accounts_never_lower_a_score(
        recent in 0_i64..100_000, earlier in 0_i64..100_000, more in 0_i64..1000,
    ) {
        let (before, after) = (uses(recent, earlier), uses(recent + more, earlier));
        prop_assert!(surge(&after, &LINKS) >= surge(&before, &LINKS));
        let reacted = |accounts| status_score(accounts, NOW, NOW.after(HOUR)).unwrap_or(0.0);
        prop_assert!(reacted(recent + more) >= reacted(recent));
    }

    #[test]
    fn scores_only_decay(score_at_peak in 1.0_f64..1e9, first in 0_u32..100, more in 0_u32..100) {
        let peak = Peak { score: score_at_peak, at: NOW };
        let at = |hours| score(&peak, &TAGS, NOW.after(HOUR.saturating_mul(hours))).unwrap_or(0.0);
        prop_assert!(at(first + more) <= at(first));
        prop_assert!(at(first) <= score_at_peak);
    }
}
