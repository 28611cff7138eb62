//! Cached snapshots equal the result of a fresh read after any change.

use std::sync::Arc;

use diesel::{connection::SimpleConnection as _, prelude::*};
use siskin_entities::{Account, Status, Visibility};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, Result, accounts,
    schema::{statuses as status_rows, users},
    statuses,
};
use siskin_test_support::{TestDatabase, both_engines};

use crate::world::World;

/// Tables with columns that are shown with a status or an account.
const TABLES: [&str; 13] = [
    "statuses",
    "accounts",
    "users",
    "roles",
    "mentions",
    "statuses_tags",
    "tags",
    "media_attachments",
    "polls",
    "poll_options",
    "status_cards",
    "custom_emojis",
    "applications",
];

/// Values for columns that do not accept arbitrary values.
const VALUES: [(&str, &str); 3] = [
    (
        "accounts.fields",
        "'[{\"name\":\"n\",\"value\":\"v\",\"value_html\":\"v\",\"verified_at\":1}]'",
    ),
    ("accounts.protocol", "'ostatus'"),
    ("media_attachments.meta", "'{\"original\":[3,4]}'"),
];

/// A status with one of everything, its reblog, and an account that has moved to its author.
struct Scene {
    world: World,
    /// Address of the database.
    url: String,
    author: AccountId,
    people: Vec<AccountId>,
    statuses: Vec<StatusId>,
}

type Views = (Vec<Status>, Vec<Arc<Account>>);

impl Scene {
    fn on(database: &TestDatabase) -> Self {
        let world = World::on(database);
        let author = world.person("ann");
        let (mentioned, moved) = (world.remote("bob"), world.person("old"));
        let status = world.status(author, Visibility::Public, &[mentioned]);
        let other = world.status(mentioned, Visibility::Public, &[author]);
        let rows = rows(author, moved, status, other);
        world.write(move |tx| Ok(tx.batch_execute(&rows)?));
        let people = vec![author, mentioned, moved];
        let url = database.url().to_owned();
        Self { world, url, author, people, statuses: vec![status, other, StatusId::new(1)] }
    }

    fn load(&self) -> impl Fn(&mut Conn) -> Result<Views> + Send + use<> {
        let (people, ids, viewer) = (self.people.clone(), self.statuses.clone(), self.author);
        move |conn| {
            let found = statuses::load(conn, &ids, Some(viewer))?;
            Ok((found, accounts::load_in_order(conn, &people)?))
        }
    }

    /// Loads the scene through the cache, as a read does.
    fn cached(&self) -> Views {
        self.world.read(self.load())
    }

    /// Loads the scene without the cache, which belongs to the store.
    fn fresh(&self) -> Views {
        let fresh = self.load()(&mut Conn::open(&self.url).unwrap()).unwrap();
        let load = self.load();
        let in_write = self.world.write(move |tx| load(tx));
        assert_eq!(in_write, fresh, "a write looks up the cache");
        fresh
    }

    /// Applies a change. Returns `None` if the database refused it, otherwise whether the views
    /// changed.
    fn change(&self, sql: &str) -> Option<bool> {
        let before = self.cached();
        let batch = sql.to_owned();
        let changed = self.world.try_write(move |tx| Ok(tx.batch_execute(&batch)?));
        changed.ok()?;
        let after = self.cached();
        assert_eq!(after, self.fresh(), "{sql}");
        Some(before != after)
    }
}

fn rows(author: AccountId, moved: AccountId, status: StatusId, other: StatusId) -> String {
    format!(
        "INSERT INTO roles (id, name, created_at) VALUES (5000, 'r', 1);
        UPDATE users SET role_id = 5000 WHERE account_id = {author};
        UPDATE accounts SET display_name = ':cat:', note = ':cat: and :dog:' WHERE id = {author};
        UPDATE accounts SET moved_to_account_id = {author} WHERE id = {moved};
        INSERT INTO applications (id, name, client_id, client_secret_hash, redirect_uris, scopes,
            created_at) VALUES (1, 'a', 'c', 'h', 'u', 's', 1);
        UPDATE statuses SET content = '<p>:cat:</p>', application_id = 1 WHERE id = {status};
        INSERT INTO statuses (id, account_id, uri, text, content, visibility, conversation_id,
            reblog_of_id, created_at) VALUES (1, {author}, 'r', '', '', 0, 1, {status}, 1);
        INSERT INTO tags (id, name, display_name, created_at) VALUES (1, 't', 'T', 1);
        INSERT INTO statuses_tags (tag_id, status_id, position) VALUES (1, {status}, 0);
        INSERT INTO media_attachments (id, account_id, status_id, kind, stage, file, preview_file,
            focus_x, focus_y, blurhash, unattached_at, created_at)
            VALUES (1, {author}, {status}, 1, 1, 'f', 'p', 1, 1, 'b', 1, 1),
            (2, {author}, NULL, 1, 1, 'g', 'q', 1, 1, 'b', 1, 1);
        INSERT INTO polls (id, status_id, multiple, hide_totals, voters_count, created_at)
            VALUES (1, {status}, FALSE, FALSE, 0, 1);
        INSERT INTO poll_options (id, poll_id, position, title, votes_count)
            VALUES (1, 1, 0, ':cat:', 0);
        INSERT INTO preview_cards (id, address, shown, look_after, created_at)
            VALUES (1, 'a', TRUE, 1, 1), (2, 'b', TRUE, 1, 1);
        UPDATE preview_cards SET title = 'other' WHERE id = 2;
        INSERT INTO status_cards (status_id, card_id) VALUES ({status}, 1), ({other}, 1);
        INSERT INTO custom_emojis (id, shortcode, file, created_at, updated_at)
            VALUES (1, 'cat', 'c', 1, 1);"
    )
}

/// Returns the columns of a table with their diesel types.
fn columns(table: &str) -> Vec<(String, String)> {
    let schema = include_str!("../../src/schema.rs");
    let begin = schema.find(&format!("    {table} (")).unwrap();
    let body = schema[begin..].split_once("{\n").unwrap().1.split_once("    }").unwrap().0;
    let column = |line: &str| {
        let (name, kind) = line.trim().trim_end_matches(',').split_once(" -> ")?;
        Some((name.to_owned(), kind.to_owned()))
    };
    body.lines().filter_map(column).collect()
}

/// Returns an SQL expression for another value of a column.
fn other_value(table: &str, column: &str, kind: &str) -> String {
    let name = format!("{table}.{column}");
    if let Some((_, value)) = VALUES.iter().find(|(of, _)| *of == name) {
        return (*value).to_owned();
    }
    if kind.contains("Text") {
        format!("COALESCE({column}, '') || 'x'")
    } else if kind.contains("Bool") {
        format!("NOT COALESCE({column}, FALSE)")
    } else {
        format!("COALESCE({column}, 0) + 1")
    }
}

both_engines! {
    fn a_change_of_any_column_invalidates_the_snapshot(database: &TestDatabase) {
        let scene = Scene::on(database);
        let (mut refused, mut visible_changes) = (Vec::new(), 0);
        for table in TABLES {
            for (column, kind) in columns(table) {
                let value = other_value(table, &column, &kind);
                match scene.change(&format!("UPDATE {table} SET {column} = {value}")) {
                    None => refused.push(format!("{table}.{column}")),
                    Some(shows) => visible_changes += u32::from(shows),
                }
            }
        }
        assert!(visible_changes > 60, "{visible_changes}");
        // References to missing rows, and values that must stay unique.
        let ids = refused.iter().all(|column| {
            ["id", "position", "name", "conversation_id"].iter().any(|end| column.ends_with(end))
        });
        assert!(ids, "{refused:?}");
    }

    fn inserted_and_deleted_rows_invalidate_the_snapshot(database: &TestDatabase) {
        let scene = Scene::on(database);
        let status = scene.statuses[0];
        for sql in [
            "INSERT INTO custom_emojis (id, shortcode, file, created_at, updated_at)
                VALUES (2, 'dog', 'd', 1, 1)",
            "DELETE FROM custom_emojis WHERE shortcode = 'cat'",
            "UPDATE media_attachments SET status_id = (SELECT status_id FROM status_cards
                ORDER BY status_id LIMIT 1) WHERE id = 2",
            "DELETE FROM media_attachments WHERE id = 1",
            "DELETE FROM statuses_tags",
            "UPDATE status_cards SET card_id = 2",
            "DELETE FROM status_cards",
            "DELETE FROM polls",
            "DELETE FROM applications",
            "DELETE FROM roles WHERE id = 5000",
            "DELETE FROM mentions",
            "DELETE FROM accounts WHERE username = 'bob'",
        ] {
            assert_eq!(scene.change(sql), Some(true), "{sql}");
        }
        let ids = vec![status];
        scene.world.write(move |tx| {
            diesel::delete(status_rows::table.filter(status_rows::id.eq_any(&ids))).execute(&mut **tx)?;
            Ok(())
        });
        assert_eq!(scene.cached(), scene.fresh());
        assert!(scene.cached().0.is_empty());
    }

    fn rolled_back_changes_are_never_cached(database: &TestDatabase) {
        let scene = Scene::on(database);
        let before = scene.cached();
        let load = scene.load();
        let status = scene.statuses[0];
        let undone: Result<()> = scene.world.try_write(move |tx| {
            let row = status_rows::table.find(status);
            diesel::update(row).set(status_rows::content.eq("undone")).execute(&mut **tx)?;
            assert_eq!(load(tx)?.0[0].body.content, "undone");
            Err(diesel::result::Error::RollbackTransaction.into())
        });
        assert!(undone.is_err());
        assert_eq!(scene.cached(), before);
        scene.change(&format!("UPDATE statuses SET content = 'done' WHERE id = {status}"));
        assert_eq!(scene.cached().0[0].body.content, "done");
    }

    fn cached_snapshots_are_not_read_again(database: &TestDatabase) {
        let scene = Scene::on(database);
        let load = |scene: &Scene| scene.world.statements(|world| world.read(scene.load()));
        let (cold, warm) = (load(&scene), load(&scene));
        // Outlines of statuses, of reblogged statuses (here among them), parents (none), polls with
        // their emojis; outlines of accounts, and of the account to which one of them moved.
        assert!(warm < cold && warm == load(&scene), "{warm} {cold}");
        let cached = scene.cached();
        let again = scene.cached();
        assert!(Arc::ptr_eq(&cached.0[0].body.snapshot, &again.0[0].body.snapshot));
        assert!(Arc::ptr_eq(&cached.1[0].snapshot, &again.1[0].snapshot));
        assert!(Arc::ptr_eq(&cached.0[0].body.snapshot, &cached.0[2].reblog.as_ref().unwrap().snapshot));
    }

    fn role_changes_invalidate_the_snapshot(database: &TestDatabase) {
        let scene = Scene::on(database);
        let author = scene.author;
        for role in [None, Some(5000)] {
            scene.cached();
            scene.world.write(move |tx| {
                let row = users::table.filter(users::account_id.eq(author));
                diesel::update(row).set(users::role_id.eq(role)).execute(&mut **tx)?;
                Ok(())
            });
            let role_after = scene.cached().1[0].role.as_ref().map(|role| role.id.get());
            assert_eq!(role_after, role);
        }
    }
}
