//! Announcements: which ones are listed, counted reactions, deletion in steps, and query plans.

use siskin_entities::{Announcement, announcement::Period};
use siskin_ids::AnnouncementId;
use siskin_persistence::announcements;
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all},
    world::{NOW, World},
};

impl World {
    fn announcement(&self, is_published: bool) -> Announcement {
        self.write(move |tx| {
            let mut announcement = announcements::insert(tx, "Tea", Period::of_days(NOW, NOW))?;
            announcement.published_at = is_published.then_some(NOW);
            announcements::update(tx, &announcement)?;
            Ok(announcement)
        })
    }

    fn react(
        &self,
        id: AnnouncementId,
        account: siskin_ids::AccountId,
        name: &'static str,
    ) -> bool {
        self.write(move |tx| announcements::react(tx, id, account, name))
    }
}

both_engines! {
    fn announcements_are_read_as_written(database: &TestDatabase) {
        let world = World::on(database);
        let stored = world.announcement(false);
        assert_eq!(world.read(|conn| announcements::find(conn, stored.id)), Some(stored.clone()));
        let id = stored.id;
        assert_eq!(world.write(move |tx| announcements::lock(tx, id)), Some(stored.clone()));
        let mut changed = stored;
        changed.text = "Coffee \u{1F426} \"".to_owned();
        changed.period = Period::of_times(NOW, NOW);
        changed.scheduled_at = Some(NOW);
        let update = changed.clone();
        world.write(move |tx| announcements::update(tx, &update));
        assert_eq!(world.read(|conn| announcements::find(conn, id)), Some(changed));
        let unknown = AnnouncementId::new(1);
        assert_eq!(world.read(|conn| announcements::find(conn, unknown)), None);
        assert_eq!(world.write(move |tx| announcements::lock(tx, unknown)), None);
    }

    fn published_announcements_are_listed_the_latest_first(database: &TestDatabase) {
        let world = World::on(database);
        let (first, hidden, last) =
            (world.announcement(true), world.announcement(false), world.announcement(true));
        let published = world.read(|conn| announcements::published(conn, 20));
        assert_eq!(published, [last.clone(), first.clone()]);
        assert_eq!(world.read(|conn| announcements::published(conn, 1)).len(), 1);
        let all = world.read(|conn| announcements::list(conn, None, 20));
        assert_eq!(all, [first.clone(), hidden, last.clone()]);
        assert_eq!(world.read(|conn| announcements::list(conn, Some(first.id), 20))[1..], [last]);
    }

    fn reactions_and_dismissals_count_each_account_once(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let (tea, coffee) = (world.announcement(true).id, world.announcement(true).id);
        assert!(world.react(tea, ann, "\u{1F426}") && !world.react(tea, ann, "\u{1F426}"));
        assert!(world.react(tea, bob, "\u{1F426}") && world.react(tea, bob, "cat"));
        assert!(world.react(coffee, bob, "cat"));
        let counted = world.read(|conn| announcements::reactions(conn, &[tea], Some(ann)));
        let counted: Vec<_> = counted.iter().map(|it| (&*it.name, it.count, it.me)).collect();
        assert_eq!(counted, [("cat", 1, false), ("\u{1F426}", 2, true)]);
        let both = world.read(|conn| announcements::reactions(conn, &[tea, coffee], None));
        assert!(both.len() == 3 && both.iter().all(|it| !it.me));
        let mut names = world.read(|conn| announcements::reaction_names(conn, tea));
        names.sort();
        assert_eq!(names, ["cat", "\u{1F426}"]);
        assert!(world.write(move |tx| announcements::unreact(tx, tea, bob, "cat")));
        assert!(!world.write(move |tx| announcements::unreact(tx, tea, bob, "cat")));
        for _ in 0..2 {
            world.write(move |tx| announcements::dismiss(tx, tea, ann));
        }
        let dismissed = world.read(|conn| announcements::dismissed(conn, ann, &[tea, coffee]));
        assert_eq!(dismissed.into_iter().collect::<Vec<_>>(), [tea]);
        assert!(world.read(|conn| announcements::dismissed(conn, bob, &[tea, coffee])).is_empty());
    }

    fn an_announcement_is_deleted_in_steps(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let (tea, other) = (world.announcement(true).id, world.announcement(true).id);
        for account in [ann, bob] {
            for id in [tea, other] {
                world.react(id, account, "\u{1F426}");
                world.write(move |tx| announcements::dismiss(tx, id, account));
            }
        }
        let step = || world.write(move |tx| announcements::delete_step(tx, tea, 3));
        assert!(!step() && world.read(|conn| announcements::find(conn, tea)).is_some());
        assert!(step() && world.read(|conn| announcements::find(conn, tea)).is_none());
        assert_eq!(world.read(|conn| announcements::reactions(conn, &[tea], None)), []);
        assert_eq!(world.read(|conn| announcements::reactions(conn, &[other], None))[0].count, 2);
    }

    fn announcements_are_read_by_indexes(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, tea) = (world.person("ann"), world.announcement(true).id);
        let plans = plans(database, |conn| {
            announcements::published(conn, 20)?;
            announcements::load(conn, &[tea])?;
            announcements::list(conn, Some(tea), 20)?;
            announcements::dismissed(conn, ann, &[tea])?;
            announcements::reactions(conn, &[tea], Some(ann))?;
            announcements::reaction_names(conn, tea)
        });
        assert_eq!(plans.len(), 6);
        for plan in plans {
            assert!(!reads_all(&plan), "{plan}");
        }
    }
}
