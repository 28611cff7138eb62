//! Exports and exported lists: what is stored, and query plans.

use std::time::Duration;

use siskin_entities::{ArchivePart, Cursor, ExportKind, ExportPart, PageRequest, Visibility};
use siskin_ids::{AccountId, ExportId, ListId, MediaId, StatusId};
use siskin_persistence::{
    exports::{
        self, OpenExport, Progress,
        archives::{self, OpenArchive, PlacedPart},
    },
    files, lists, relationships, strikes,
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all, sorts},
    world::{NOW, World},
};

fn part(name: &str) -> ExportPart {
    ExportPart { file: format!("{name}.export"), bytes: 5 }
}

impl World {
    fn export(&self, account: AccountId) -> ExportId {
        let week = NOW.after(Duration::from_hours(7 * 24));
        self.write(move |tx| exports::insert(tx, account, ExportKind::Posts, week))
    }

    fn archive(&self, account: AccountId) -> ExportId {
        let week = NOW.after(Duration::from_hours(7 * 24));
        self.write(move |tx| exports::insert(tx, account, ExportKind::Archive, week))
    }

    fn open(&self, id: ExportId) -> Option<OpenExport> {
        self.read(|conn| exports::open(conn, id))
    }

    fn add(&self, export: OpenExport, last: i64, part: Option<ExportPart>) -> bool {
        let progress = Progress { last: StatusId::new(last), statuses: 2, part };
        self.write(move |tx| exports::add(tx, export, &progress))
    }
}

both_engines! {
    fn parts_are_stored_once_and_in_order(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        let id = world.export(bob);
        let first = world.open(id).unwrap();
        assert_eq!((first.account, first.after), (bob, StatusId::new(0)));
        assert!(world.add(first, 7, Some(part("a"))));
        // Another job that wrote the same part comes too late.
        assert!(!world.add(first, 7, Some(part("b"))));
        let second = world.open(id).unwrap();
        assert!(world.add(second, 9, None));
        let third = world.open(id).unwrap();
        assert!(world.add(third, 12, Some(part("c"))));
        assert_eq!(world.read(|conn| exports::parts(conn, id)), [part("a"), part("c")]);
        let names = world.read(files::named);
        assert!(names.contains("a.export") && !names.contains("b.export"), "{names:?}");

        let until = NOW.after(Duration::from_hours(1));
        world.write(move |tx| exports::complete(tx, id, until));
        let export = world.read(|conn| exports::find(conn, id)).unwrap();
        assert_eq!((export.statuses, export.bytes, export.expires_at), (6, 10, until));
        assert_eq!(export.completed_at, Some(NOW));
        assert_eq!(world.open(id), None);
        assert!(!world.add(OpenExport { after: StatusId::new(12), ..third }, 15, None));
    }

    fn exports_belong_to_an_account(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let (first, second, of_ann) = (world.export(bob), world.export(bob), world.export(ann));
        world.add(world.open(first).unwrap(), 7, Some(part("a")));
        world.add(world.open(of_ann).unwrap(), 7, Some(part("b")));
        let of_bob = |limit| -> Vec<ExportId> {
            let found =
                world.read(|conn| exports::of_account(conn, bob, ExportKind::Posts, limit));
            found.iter().map(|export| export.id).collect()
        };
        assert_eq!((of_bob(9), of_bob(1)), (vec![second, first], vec![second]));
        let files = world.write(move |tx| exports::remove_of_account(tx, bob));
        assert_eq!(files, ["a.export"]);
        assert!(of_bob(9).is_empty());
        assert!(world.read(|conn| exports::find(conn, of_ann)).is_some());
    }

    fn steps_of_an_archive_are_stored_once_and_parts_in_their_places(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        let (id, posts) = (world.archive(bob), world.export(bob));
        let open = |id| world.read(|conn| archives::open(conn, id));
        assert_eq!((world.open(id), open(posts)), (None, None));
        let first = open(id).unwrap();
        assert_eq!((first.account, first.stage, first.step, first.after), (bob, 0, 0, 0));
        let placed = |position, name: &str| PlacedPart {
            position,
            part: ArchivePart {
                file: format!("{name}.export"),
                bytes: 5,
                raw_bytes: 9,
                checksum: u32::MAX,
            },
        };
        let add = |next: OpenArchive, parts: Vec<PlacedPart>| {
            world.write(move |tx| archives::add(tx, &next, 2, &parts))
        };
        let next = OpenArchive { stage: 1, step: 1, after: 7, entry_bytes: 9, entry_items: 2, ..first };
        assert!(add(next, vec![placed(11, "b")]));
        // Another job that wrote the same step comes too late.
        assert!(!add(next, vec![placed(12, "x")]));
        assert_eq!(open(id), Some(next));
        let last = OpenArchive { stage: 2, step: 2, after: 0, entry_bytes: 0, entry_items: 0, ..next };
        assert!(add(last, vec![placed(10, "a"), placed(13, "c")]));
        let parts = world.read(|conn| archives::parts(conn, id));
        assert_eq!(parts, ["a", "b", "c"].map(|name| placed(0, name).part));
        let until = NOW.after(Duration::from_hours(1));
        world.write(move |tx| exports::complete(tx, id, until));
        let export = world.read(|conn| exports::find(conn, id)).unwrap();
        assert_eq!((export.kind, export.statuses, export.bytes), (ExportKind::Archive, 4, 15));
        assert_eq!(open(id), None);
        assert!(!add(OpenArchive { step: 3, ..last }, Vec::new()));
        let of = |kind| world.read(|conn| exports::of_account(conn, bob, kind, 9)).len();
        assert_eq!((of(ExportKind::Posts), of(ExportKind::Archive)), (1, 1));
    }

    fn lists_are_read_from_a_row_on(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, cat) = (world.person("ann"), world.person("bob"), world.person("cat"));
        world.block(ann, bob);
        world.block(ann, cat);
        let blocks = |after, limit| world.read(|conn| exports::blocks_after(conn, ann, after, limit));
        let first = blocks(0, 1);
        assert_eq!((first.len(), first[0].username.as_str()), (1, "bob"));
        let rest = blocks(first[0].row, 9);
        assert_eq!((rest.len(), rest[0].username.as_str()), (1, "cat"));
        assert!(blocks(rest[0].row, 9).is_empty());
        world.write(move |tx| relationships::block_domain(tx, ann, "spam.example"));
        let domains = world.read(|conn| exports::domain_blocks_after(conn, ann, 0, 9));
        assert_eq!(domains[0].1, "spam.example");
    }

    fn exports_are_read_by_indexes(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        world.status(bob, Visibility::Public, &[]);
        let id = world.export(bob);
        let names = vec!["a.export".to_owned()];
        let cursor = Cursor { max: Some(9), ..Cursor::default() };
        let page = PageRequest { cursor, limit: 2 };
        let plans = plans(database, |conn| {
            exports::of_account(conn, bob, ExportKind::Archive, 9)?;
            archives::open(conn, id)?;
            archives::parts(conn, id)?;
            archives::uris(conn, &[StatusId::new(1), StatusId::new(2)])?;
            archives::attached_files_after(conn, bob, MediaId::new(1), 9)?;
            exports::favourites_after(conn, bob, 1, 9)?;
            exports::find(conn, id)?;
            exports::parts(conn, id)?;
            exports::open(conn, id)?;
            exports::statuses_after(conn, bob, StatusId::new(1), 9)?;
            exports::blocks_after(conn, bob, 1, 9)?;
            exports::mutes_after(conn, bob, NOW, 1, 9)?;
            exports::domain_blocks_after(conn, bob, 1, 9)?;
            exports::members_after(conn, ListId::new(1), 1, 9)?;
            exports::bookmarks_after(conn, bob, 1, 9)?;
            lists::of_owner(conn, bob)?;
            files::referenced_of(conn, &names)?;
            strikes::decided_appeals_of(conn, bob, page)
        });
        assert!(plans.len() >= 18, "{}", plans.len());
        for plan in plans {
            assert!(!reads_all(&plan) && !sorts(&plan), "{plan}");
        }
    }
}
