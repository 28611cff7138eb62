//! Reports and notes on them: what is stored, their lists, and query plans.

use siskin_entities::{Cursor, PageRequest, Report, ReportCategory, Visibility};
use siskin_ids::{AccountId, ReportId, ReportNoteId, RuleId, StatusId};
use siskin_persistence::{
    accounts,
    reports::{self, NewReport, ReportSelection},
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all, sorts},
    world::{NOW, World},
};

const ALL: PageRequest = PageRequest::newest(20);

const fn plain(account: AccountId, target: AccountId) -> NewReport<'static> {
    NewReport {
        account,
        target,
        category: ReportCategory::Other,
        comment: "",
        forwarded: false,
        statuses: &[],
        rules: None,
    }
}

impl World {
    fn report(&self, account: AccountId, target: AccountId) -> Report {
        self.write(move |tx| reports::insert(tx, &plain(account, target)))
    }

    fn resolve(&self, report: &Report, by: Option<AccountId>) {
        let ids = [report.id];
        self.write(move |tx| reports::resolve(tx, &ids, by));
    }

    fn reports(&self, selection: ReportSelection, request: PageRequest) -> Vec<ReportId> {
        let page = self.read(|conn| reports::list(conn, selection, request));
        page.items.iter().map(|report| report.id).collect()
    }
}

/// Returns all selections with or without each restriction.
fn selections(account: AccountId, target: AccountId) -> Vec<ReportSelection> {
    let choices = |id| [None, Some(id)];
    let mut all = Vec::new();
    for is_resolved in [false, true] {
        for account in choices(account) {
            for about in choices(target) {
                for not_about in choices(account.unwrap_or(target)) {
                    all.push(ReportSelection {
                        is_resolved,
                        account,
                        target: about,
                        assigned: None,
                        not_about,
                    });
                }
            }
        }
    }
    all
}

both_engines! {
    fn reports_are_read_as_written(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, mo) = (world.person("ann"), world.person("bob"), world.person("mo"));
        let stored = world.write(move |tx| {
            reports::insert(tx, &NewReport {
                category: ReportCategory::Violation,
                comment: "Rude\n\u{1F426} \"",
                forwarded: true,
                statuses: &[StatusId::new(9), StatusId::new(i64::MAX)],
                rules: Some(&[RuleId::new(4)]),
                ..plain(ann, bob)
            })
        });
        let id = stored.id;
        assert_eq!((stored.account, stored.target, stored.is_resolved()), (ann, bob, false));
        assert_eq!(world.read(|conn| reports::find(conn, id)), Some(stored.clone()));
        assert_eq!(world.write(move |tx| reports::lock(tx, id)), Some(stored.clone()));
        let mut changed = stored;
        changed.category = ReportCategory::Legal;
        changed.rules = None;
        (changed.assigned, changed.action_taken_by) = (Some(mo), Some(ann));
        (changed.action_taken_at, changed.updated_at) = (Some(NOW), NOW);
        let update = changed.clone();
        world.write(move |tx| reports::update(tx, &update));
        assert_eq!(world.read(|conn| reports::find(conn, id)), Some(changed.clone()));
        let unknown = ReportId::new(1);
        assert_eq!(world.read(|conn| reports::load(conn, &[unknown, id])), [changed]);
        assert_eq!(world.read(|conn| reports::find(conn, unknown)), None);
        assert_eq!(world.write(move |tx| reports::lock(tx, unknown)), None);
    }

    fn lists_contain_what_is_selected(database: &TestDatabase) {
        let world = World::on(database);
        let [ann, bob, cal] = ["ann", "bob", "cal"].map(|name| world.person(name));
        let mut all = Vec::new();
        for (account, target) in [(ann, bob), (ann, cal), (bob, cal), (cal, bob), (ann, bob)] {
            let report = world.report(account, target);
            if all.len() % 2 == 1 {
                world.resolve(&report, None);
            }
            all.insert(0, world.read(|conn| reports::find(conn, report.id)).unwrap());
        }
        for selection in selections(ann, bob) {
            let ReportSelection { is_resolved, account, target, not_about, .. } = selection;
            let is_selected = |report: &&Report| {
                report.is_resolved() == is_resolved
                    && account.is_none_or(|account| report.account == account)
                    && target.is_none_or(|target| report.target == target)
                    && not_about.is_none_or(|target| report.target != target)
            };
            let expected: Vec<ReportId> =
                all.iter().filter(is_selected).map(|report| report.id).collect();
            assert_eq!(world.reports(selection, ALL), expected, "{selection:?}");
        }
        let open = world.reports(ReportSelection::default(), ALL);
        let above = Cursor { min: Some(open[2].get()), ..Cursor::default() };
        let request = PageRequest { cursor: above, limit: 1 };
        assert_eq!(world.reports(ReportSelection::default(), request), open[1..2]);
    }

    fn reports_are_listed_by_who_works_on_them_and_counted(database: &TestDatabase) {
        let world = World::on(database);
        let [ann, bob, mo] = ["ann", "bob", "mo"].map(|name| world.person(name));
        let all: Vec<Report> = (0..3).map(|_| world.report(ann, bob)).collect();
        for report in &all[1..] {
            let assigned = Report { assigned: Some(mo), ..report.clone() };
            world.write(move |tx| reports::update(tx, &assigned));
        }
        world.resolve(&all[2], Some(mo));
        let of_mo = ReportSelection { assigned: Some(mo), ..ReportSelection::default() };
        assert_eq!(world.reports(of_mo, ALL), [all[1].id]);
        let resolved = ReportSelection { is_resolved: true, ..of_mo };
        assert_eq!(world.reports(resolved, ALL), [all[2].id]);
        assert_eq!(world.reports(ReportSelection { assigned: Some(ann), ..of_mo }, ALL), []);
        let count = |not_about, most| {
            world.read(move |conn| reports::count_open(conn, not_about, most))
        };
        assert_eq!([count(None, 9), count(None, 1), count(Some(bob), 9)], [2, 1, 0]);
    }

    fn open_reports_about_an_account_are_resolved_once(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let all: Vec<Report> = (0..4).map(|_| world.report(ann, bob)).collect();
        let other = world.report(bob, ann);
        world.resolve(&all[1], Some(ann));
        let open = |last: ReportId, limit| {
            world.write(move |tx| reports::lock_open_about(tx, bob, last, limit))
        };
        assert_eq!(open(all[2].id, 9), [all[0].id, all[2].id]);
        assert_eq!(open(all[3].id, 2), [all[0].id, all[2].id]);
        let found = open(other.id, 9);
        assert_eq!(found, [all[0].id, all[2].id, all[3].id]);
        world.write(move |tx| reports::resolve(tx, &found, None));
        assert_eq!(open(other.id, 9), []);
        let resolved = world.read(|conn| reports::find(conn, all[0].id)).unwrap();
        assert!(resolved.is_resolved() && resolved.action_taken_by.is_none());
        assert_eq!(resolved.action_taken_at, Some(resolved.updated_at));
        assert_eq!(world.reports(ReportSelection::default(), ALL), [other.id]);
    }

    fn statuses_of_other_authors_are_found(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let by_ann = world.status(ann, Visibility::Direct, &[]);
        let by_bob = world.status(bob, Visibility::Public, &[]);
        for (ids, expected) in [
            (vec![], false),
            (vec![by_ann], false),
            (vec![by_ann, StatusId::new(1)], false),
            (vec![by_ann, by_bob], true),
            (vec![by_bob], true),
        ] {
            assert_eq!(world.read(|conn| reports::has_other_author(conn, ann, &ids)), expected);
        }
    }

    fn notes_belong_to_their_report_and_outlive_their_author(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, mo) = (world.person("ann"), world.person("bob"), world.person("mo"));
        let (report, other) = (world.report(ann, bob).id, world.report(ann, bob).id);
        let first = world.write(move |tx| reports::add_note(tx, report, mo, "\u{1F426} \""));
        let second = world.write(move |tx| reports::add_note(tx, report, ann, "b"));
        let notes = |report| world.read(|conn| reports::notes(conn, report, ALL)).items;
        assert_eq!(notes(report), [second.clone(), first.clone()]);
        assert_eq!(first.author.as_ref().map(|author| author.id), Some(mo));
        assert_eq!(notes(other), []);
        let author = |report, id| world.read(|conn| reports::note_author(conn, report, id));
        assert_eq!(author(report, first.id), Some(mo));
        assert_eq!((author(other, first.id), author(report, ReportNoteId::new(1))), (None, None));
        while !world.write(move |tx| accounts::remove_some(tx, mo)) {}
        assert_eq!(notes(report)[1].author, None);
        assert_eq!(author(report, first.id), Some(mo));
        let id = first.id;
        assert!(world.write(move |tx| reports::delete_note(tx, id)));
        assert!(!world.write(move |tx| reports::delete_note(tx, id)));
        assert_eq!(notes(report), [second]);
    }

    fn reports_go_with_their_accounts(database: &TestDatabase) {
        let world = World::on(database);
        let [ann, bob, cal] = ["ann", "bob", "cal"].map(|name| world.person(name));
        let about_bob = world.report(ann, bob).id;
        world.write(move |tx| reports::add_note(tx, about_bob, cal, "x"));
        world.report(bob, ann);
        let kept = world.report(ann, cal).id;
        while !world.write(move |tx| accounts::remove_some(tx, bob)) {}
        assert_eq!(world.reports(ReportSelection::default(), ALL), [kept]);
        assert_eq!(world.read(|conn| reports::notes(conn, about_bob, ALL)).items, []);
    }

    fn reports_are_read_by_indexes(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let report = world.report(ann, bob).id;
        let upwards = PageRequest {
            cursor: Cursor { min: Some(1), ..Cursor::default() },
            ..ALL
        };
        let plans = plans(database, |conn| {
            for selection in selections(ann, bob) {
                reports::list(conn, selection, ALL)?;
                reports::list(conn, selection, upwards)?;
            }
            for is_resolved in [false, true] {
                let assigned = Some(ann);
                let of_ann = ReportSelection { is_resolved, assigned, ..Default::default() };
                reports::list(conn, of_ann, ALL)?;
                reports::list(conn, of_ann, upwards)?;
            }
            reports::count_open(conn, Some(bob), 9)?;
            reports::find(conn, report)?;
            reports::load(conn, &[report])?;
            reports::has_other_author(conn, ann, &[StatusId::new(1)])?;
            reports::notes(conn, report, ALL)?;
            reports::note_author(conn, report, ReportNoteId::new(1))
        });
        for plan in plans {
            assert!(!reads_all(&plan) && !sorts(&plan), "{plan}");
        }
    }
}
