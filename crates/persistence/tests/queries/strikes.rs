//! Strikes and appeals: what is stored, their lists, and query plans.

use siskin_entities::{AppealState, Cursor, PageRequest, Strike, StrikeAction, StrikeStatus};
use siskin_ids::{AccountId, AppealId, ReportId, StatusId, StrikeId};
use siskin_persistence::{
    accounts::{self, Decision, Ending},
    strikes::{self, NewStrike},
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all, sorts},
    world::{NOW, World},
};

impl World {
    fn strike(&self, target: AccountId, action: StrikeAction) -> StrikeId {
        self.write(move |tx| {
            strikes::insert(
                tx,
                &NewStrike {
                    target,
                    moderator: None,
                    action,
                    text: "",
                    report: None,
                    statuses: &[],
                },
            )
        })
    }

    fn strike_of(&self, id: StrikeId) -> Strike {
        Strike::clone(&self.read(|conn| strikes::find(conn, id)).unwrap())
    }

    fn appeal(&self, strike: StrikeId, account: AccountId) -> Option<AppealId> {
        self.write(move |tx| strikes::insert_appeal(tx, strike, account, "No"))
    }
}

fn request(cursor: Cursor) -> PageRequest {
    PageRequest { cursor, limit: 2 }
}

both_engines! {
    fn strikes_are_read_as_written(database: &TestDatabase) {
        let world = World::on(database);
        let (bob, mo) = (world.person("bob"), world.person("mo"));
        let about = |id, marked| StrikeStatus {
            id: StatusId::new(id),
            marked,
            excerpt: format!("\u{1F426} {id}"),
        };
        let statuses = vec![about(4, true), about(9, false)];
        let written = statuses.clone();
        let id = world.write(move |tx| {
            strikes::insert(tx, &NewStrike {
                target: bob,
                moderator: Some(mo),
                action: StrikeAction::MarkStatusesAsSensitive,
                text: "Be \"kind\"",
                report: Some(ReportId::new(7)),
                statuses: &written,
            })
        });
        let strike = world.strike_of(id);
        assert_eq!((strike.target.id, strike.moderator), (bob, Some(mo)));
        assert_eq!(strike.action, StrikeAction::MarkStatusesAsSensitive);
        assert_eq!((strike.text.as_str(), strike.report), ("Be \"kind\"", Some(ReportId::new(7))));
        assert_eq!((&strike.statuses, &strike.appeal), (&statuses, &None));
        assert_eq!((strike.overruled_at, strike.created_at), (None, NOW));
        world.write(move |tx| strikes::overrule(tx, id));
        assert_eq!(world.strike_of(id).overruled_at, Some(NOW));
        assert!(world.read(|conn| strikes::find(conn, StrikeId::new(1))).is_none());
    }

    fn a_strike_has_one_appeal_with_one_decision(database: &TestDatabase) {
        let world = World::on(database);
        let (bob, mo) = (world.person("bob"), world.person("mo"));
        let strike = world.strike(bob, StrikeAction::Silence);
        let id = world.appeal(strike, bob).unwrap();
        assert_eq!(world.appeal(strike, bob), None);
        let appeal = world.strike_of(strike).appeal.unwrap();
        assert_eq!((appeal.id, appeal.strike, appeal.account), (id, strike, bob));
        assert_eq!((appeal.text.as_str(), appeal.state), ("No", AppealState::Pending));
        assert_eq!((appeal.decided_by, appeal.decided_at), (None, None));
        world.write(move |tx| strikes::decide_appeal(tx, id, AppealState::Rejected, Some(mo)));
        let decided = world.read(|conn| strikes::find_appeal(conn, id)).unwrap();
        assert_eq!((decided.state, decided.decided_by), (AppealState::Rejected, Some(mo)));
        assert_eq!(decided.decided_at, Some(NOW));
        assert!(world.read(|conn| strikes::find_appeal(conn, AppealId::new(1))).is_none());
    }

    fn strikes_and_appeals_are_listed_newest_first(database: &TestDatabase) {
        let world = World::on(database);
        let (bob, ann) = (world.person("bob"), world.person("ann"));
        let ids: Vec<StrikeId> = (0..3).map(|_| world.strike(bob, StrikeAction::Warn)).collect();
        let other = world.strike(ann, StrikeAction::Warn);
        let strikes_of = |account, cursor| {
            let page = world.read(|conn| strikes::of_account(conn, account, request(cursor)));
            page.items.into_iter().map(|strike| strike.id).collect::<Vec<_>>()
        };
        assert_eq!(strikes_of(bob, Cursor::default()), [ids[2], ids[1]]);
        let below = Cursor { max: Some(ids[1].get()), ..Cursor::default() };
        assert_eq!(strikes_of(bob, below), [ids[0]]);
        assert_eq!(strikes_of(ann, Cursor::default()), [other]);
        let appeals: Vec<AppealId> =
            ids[..2].iter().map(|strike| world.appeal(*strike, bob).unwrap()).collect();
        let approved = appeals[0];
        world.write(move |tx| strikes::decide_appeal(tx, approved, AppealState::Approved, None));
        let listed = |state| {
            let page = world.read(|conn| strikes::appeals(conn, state, request(Cursor::default())));
            page.items.into_iter().map(|appeal| appeal.id).collect::<Vec<_>>()
        };
        assert_eq!(listed(None), [appeals[1], appeals[0]]);
        assert_eq!(listed(Some(AppealState::Pending)), [appeals[1]]);
        assert_eq!(world.read(|conn| strikes::count_pending_appeals(conn, 9)), 1);
        assert_eq!(listed(Some(AppealState::Approved)), [appeals[0]]);
        assert_eq!(listed(Some(AppealState::Rejected)), []);
    }

    fn only_a_later_strike_of_the_same_kind_counts(database: &TestDatabase) {
        let world = World::on(database);
        let (bob, ann) = (world.person("bob"), world.person("ann"));
        let first = world.strike(bob, StrikeAction::Silence);
        let has_later = |id| {
            let strike = world.strike_of(id);
            world.read(|conn| strikes::has_later(conn, &strike))
        };
        world.strike(bob, StrikeAction::Suspend);
        world.strike(ann, StrikeAction::Silence);
        assert!(!has_later(first));
        let second = world.strike(bob, StrikeAction::Silence);
        assert!(has_later(first) && !has_later(second));
        world.write(move |tx| strikes::overrule(tx, second));
        assert!(!has_later(first));
    }

    fn strikes_go_with_their_target_and_stay_without_the_moderator(database: &TestDatabase) {
        let world = World::on(database);
        let (bob, mo) = (world.person("bob"), world.person("mo"));
        let against_bob = world.strike(bob, StrikeAction::Warn);
        world.appeal(against_bob, bob);
        let id = world.write(move |tx| {
            strikes::insert(tx, &NewStrike {
                target: mo,
                moderator: Some(bob),
                action: StrikeAction::Warn,
                text: "",
                report: None,
                statuses: &[],
            })
        });
        while !world.write(move |tx| accounts::remove_some(tx, bob)) {}
        assert!(world.read(|conn| strikes::find(conn, against_bob)).is_none());
        assert_eq!(world.strike_of(id).moderator, Some(bob));
    }

    fn a_decision_changes_an_account_once(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        let decides = |decision| world.write(move |tx| accounts::decide(tx, bob, decision));
        for (on, off) in [
            (Decision::Sensitized(true), Decision::Sensitized(false)),
            (Decision::Silenced(true), Decision::Silenced(false)),
            (Decision::Suspended(true), Decision::Suspended(false)),
            (Decision::Disabled(true), Decision::Disabled(false)),
        ] {
            let changes = [off, on, on, off, off].map(decides);
            assert_eq!(changes, [false, true, false, true, false], "{on:?}");
        }
        let ending = || world.read(|conn| accounts::ending(conn, bob));
        assert_eq!(ending(), Ending::default());
        decides(Decision::Suspended(true));
        assert_eq!(ending(), Ending { suspended_at: Some(NOW), deleting_since: None });
        world.write(move |tx| accounts::begin_deletion(tx, bob));
        assert_eq!(ending().deleting_since, Some(NOW));
        let unknown = world.read(|conn| accounts::ending(conn, AccountId::new(1)));
        assert_eq!(unknown, Ending::default());
    }

    fn strikes_are_read_by_indexes(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        let id = world.strike(bob, StrikeAction::Warn);
        world.appeal(id, bob);
        let strike = world.strike_of(id);
        let plans = plans(database, |conn| {
            for cursor in [
                Cursor { max: Some(9), ..Cursor::default() },
                Cursor { min: Some(9), ..Cursor::default() },
            ] {
                strikes::of_account(conn, bob, request(cursor))?;
                strikes::appeals(conn, None, request(cursor))?;
                strikes::appeals(conn, Some(AppealState::Pending), request(cursor))?;
            }
            strikes::has_later(conn, &strike)?;
            strikes::count_pending_appeals(conn, 9)?;
            strikes::find_appeal(conn, AppealId::new(1))?;
            strikes::load(conn, &[id])
        });
        assert!(plans.len() >= 10, "{}", plans.len());
        for plan in plans {
            assert!(!reads_all(&plan) && !sorts(&plan), "{plan}");
        }
    }
}
