//! Reports: the resolution of all reports about an account, and the job that notifies staff.

use std::{iter, time::Duration};

use siskin_entities::{Actor, AuditAction, PageRequest, TargetKind};
use siskin_ids::{AccountId, ReportId};
use siskin_persistence::jobs as job_rows;
use siskin_services::{
    accounts,
    audit::{self, AuditSelection},
    emails::SendEmail,
    jobs::{self, Job as _},
    reports::{self, NotifyStaff, ResolveReports, SentReport},
};
use siskin_test_support::both_engines;

use crate::world::World;

/// More reports than one transaction resolves.
const MANY: usize = 230;

impl World {
    fn report(&self, reporter: AccountId, target: AccountId) -> ReportId {
        let sent = SentReport { account: Some(target.to_string()), ..SentReport::default() };
        let draft = reports::prepare(&sent).unwrap();
        self.write(move |tx| reports::create(tx, reporter, &draft)).unwrap()
    }

    fn is_resolved(&self, report: ReportId) -> bool {
        self.read(|conn| reports::find(conn, report)).is_resolved()
    }

    /// Runs the jobs that resolve reports. Returns their number.
    fn resolve_rest(&self) -> usize {
        let run_next = || {
            self.write(|tx| {
                let lease = Duration::from_secs(60);
                let claim = job_rows::claim(tx, &[ResolveReports::KIND], |_| lease)?;
                let Some(claim) = claim else { return Ok(false) };
                reports::resolve_some(tx, &jobs::read(&claim.payload)?)?;
                job_rows::complete(tx, &claim)?;
                Ok(true)
            })
        };
        iter::from_fn(|| run_next().unwrap().then_some(())).count()
    }

    /// Returns who did what with a report, the latest first.
    fn entries(&self, report: ReportId) -> Vec<(Actor, AuditAction)> {
        let target = Some((TargetKind::Report, report.get()));
        let selection = AuditSelection { target, ..AuditSelection::default() };
        let found = self.read(|conn| audit::list(conn, selection, PageRequest::newest(9)));
        found.items.iter().map(|entry| (entry.actor, entry.action)).collect()
    }
}

both_engines! {
    fn a_decision_resolves_all_open_reports_about_an_account(database: &TestDatabase) {
        let world = World::on(database);
        let [ann, bob, mo] = ["ann", "bob", "mo"].map(|name| world.person(name).id);
        let about_bob: Vec<ReportId> = (0..MANY).map(|_| world.report(ann, bob)).collect();
        let about_ann = world.report(bob, ann);
        let staff = Actor::Staff(mo);
        world.write(move |tx| reports::resolve_about(tx, staff, bob)).unwrap();
        // A report that comes after the decision stays open.
        let later = world.report(ann, bob);
        assert!(world.is_resolved(about_bob[0]) && !world.is_resolved(about_bob[MANY - 1]));
        assert_eq!(world.resolve_rest(), 2);
        assert!(about_bob.iter().all(|report| world.is_resolved(*report)));
        assert!(!world.is_resolved(later) && !world.is_resolved(about_ann));
        for report in [about_bob[0], about_bob[MANY - 1]] {
            assert_eq!(world.entries(report), [(staff, AuditAction::Resolve)]);
            let found = world.read(|conn| reports::find(conn, report));
            assert_eq!(found.action_taken_by, Some(mo));
        }
        // Nothing is left to resolve, except for the later one.
        world.write(move |tx| reports::resolve_about(tx, Actor::Operator, bob)).unwrap();
        assert_eq!(world.entries(later), [(Actor::Operator, AuditAction::Resolve)]);
        assert_eq!(world.entries(about_bob[0]).len(), 1);
        world.write(move |tx| reports::resolve_about(tx, Actor::Operator, bob)).unwrap();
        assert_eq!(world.entries(later).len(), 1);
    }

    fn a_report_that_is_gone_notifies_no_one(database: &TestDatabase) {
        let world = World::on(database);
        let [ann, bob, mo] = ["ann", "bob", "mo"].map(|name| world.person(name).id);
        world.write(move |tx| accounts::set_role(tx, mo, Some("Moderator"))).unwrap();
        let report = world.report(ann, bob);
        let waiting = world.read(|conn| Ok(job_rows::payloads(conn, NotifyStaff::KIND)?));
        assert_eq!(waiting, [format!("{{\"report\":\"{report}\"}}")]);
        while !world.write(move |tx| accounts::delete_some(tx, bob)).unwrap() {}
        let job = NotifyStaff { report };
        world.write(move |tx| reports::notify_staff(tx, &job)).unwrap();
        let emails = world.read(|conn| {
            Ok(job_rows::payloads(conn, SendEmail::KIND)?)
        });
        assert_eq!(emails, [""; 0]);
    }
}
