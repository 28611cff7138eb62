//! The audit log: its order, its filters, and query plans.

use siskin_entities::{
    Actor, AuditAction, AuditEntry, AuditTarget, Cursor, PageRequest, TargetKind,
};
use siskin_ids::AccountId;
use siskin_persistence::audit::{self, AuditSelection};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all, sorts},
    world::{NOW, World},
};

fn role(id: i64) -> AuditTarget {
    AuditTarget { kind: TargetKind::Role, id: Some(id), name: format!("Role {id}") }
}

fn record(world: &World, actor: Actor, target: AuditTarget) {
    world.write(move |tx| audit::insert(tx, actor, AuditAction::Update, &target));
}

fn request(limit: i64) -> PageRequest {
    PageRequest { cursor: Cursor::default(), limit }
}

fn listed(world: &World, selection: AuditSelection) -> Vec<AuditEntry> {
    world.read(|conn| audit::list(conn, selection, request(20))).items
}

/// Returns the ids of the targets of the selected entries.
fn targets(world: &World, account: Option<AccountId>, target: Option<i64>) -> Vec<i64> {
    let target = target.map(|id| (TargetKind::Role, id));
    let found = listed(world, AuditSelection { account, target });
    found.into_iter().filter_map(|entry| entry.target.id).collect()
}

both_engines! {
    fn entries_are_read_as_written(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        record(&world, Actor::Staff(ann), role(1));
        let setting =
            AuditTarget { kind: TargetKind::Setting, id: None, name: "site_title".to_owned() };
        record(&world, Actor::Operator, setting.clone());
        let all = listed(&world, AuditSelection::default());
        let shown = |entry: &AuditEntry| {
            (entry.actor, entry.actor_name.clone(), entry.action, entry.target.clone())
        };
        assert_eq!(all.iter().map(shown).collect::<Vec<_>>(), [
            (Actor::Operator, String::new(), AuditAction::Update, setting),
            (Actor::Staff(ann), "ann".to_owned(), AuditAction::Update, role(1)),
        ]);
        assert!(all.iter().all(|entry| entry.created_at == NOW));
    }

    fn entries_are_selected_by_actor_and_target(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        for (actor, id) in [(ann, 1), (bob, 1), (ann, 2), (bob, 3)] {
            record(&world, Actor::Staff(actor), role(id));
        }
        record(&world, Actor::Operator, role(1));
        let rule = AuditTarget { kind: TargetKind::Rule, ..role(1) };
        record(&world, Actor::Operator, rule);
        assert_eq!(targets(&world, None, None), [1, 1, 3, 2, 1, 1]);
        assert_eq!(targets(&world, Some(ann), None), [2, 1]);
        assert_eq!(targets(&world, None, Some(1)), [1, 1, 1]);
        assert_eq!(targets(&world, Some(bob), Some(1)), [1]);
        assert_eq!(targets(&world, Some(bob), Some(2)), Vec::<i64>::new());
    }

    fn the_log_has_pages(database: &TestDatabase) {
        let world = World::on(database);
        for id in 1..=5 {
            record(&world, Actor::Operator, role(id));
        }
        let page = |cursor| {
            let request = PageRequest { cursor, limit: 2 };
            let page = world.read(|conn| audit::list(conn, AuditSelection::default(), request));
            let ids: Vec<i64> = page.items.iter().filter_map(|entry| entry.target.id).collect();
            (ids, page.oldest, page.newest)
        };
        let (first, oldest, newest) = page(Cursor::default());
        assert_eq!(first, [5, 4]);
        let (second, older, _) = page(Cursor { max: oldest, ..Cursor::default() });
        assert_eq!(second, [3, 2]);
        assert_eq!(page(Cursor { max: older, ..Cursor::default() }).0, [1]);
        assert_eq!(page(Cursor { min: newest, ..Cursor::default() }).0, Vec::<i64>::new());
        assert_eq!(page(Cursor { min: older, ..Cursor::default() }).0, [4, 3]);
    }

    fn entries_outlive_the_account_of_their_actor(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        record(&world, Actor::Staff(ann), role(1));
        while !world.write(move |tx| siskin_persistence::accounts::remove_some(tx, ann)) {}
        let all = listed(&world, AuditSelection::default());
        assert_eq!((all[0].actor, all[0].actor_name.as_str()), (Actor::Staff(ann), "ann"));
    }

    fn the_log_is_read_by_indexes(database: &TestDatabase) {
        let world = World::on(database);
        let (account, target) = (Some(world.person("ann")), Some((TargetKind::Role, 1)));
        let below = Cursor { max: Some(9), ..Cursor::default() };
        let above = Cursor { min: Some(9), ..Cursor::default() };
        let plans = plans(database, |conn| {
            for cursor in [below, above] {
                let request = PageRequest { cursor, limit: 2 };
                for selection in [
                    AuditSelection::default(),
                    AuditSelection { account, target: None },
                    AuditSelection { account: None, target },
                    AuditSelection { account, target },
                ] {
                    audit::list(conn, selection, request)?;
                }
            }
            Ok(())
        });
        assert_eq!(plans.len(), 8);
        for plan in plans {
            assert!(!reads_all(&plan) && !sorts(&plan), "{plan}");
        }
    }
}
