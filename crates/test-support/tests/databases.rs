//! Tests of the databases that other tests rely on.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use diesel::{Connection, QueryableByName, RunQueryDsl, connection::SimpleConnection, sql_query};
use siskin_persistence::{Conn, migrations};
use siskin_test_support::{Engine, TestDatabase, both_engines};

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    count: i64,
}

fn open(database: &TestDatabase) -> Conn {
    Conn::open(database.url()).unwrap()
}

fn roles(conn: &mut Conn) -> i64 {
    let found: Count = sql_query("SELECT count(*) AS count FROM roles").get_result(conn).unwrap();
    found.count
}

fn add_role(conn: &mut Conn) {
    conn.batch_execute("INSERT INTO roles (id, name, created_at) VALUES (7, 'Test', 0)").unwrap();
}

both_engines! {
    fn the_schema_is_there(database: &TestDatabase) {
        assert_eq!(migrations::pending(&mut open(database)).unwrap(), Vec::<String>::new());
    }

    fn test_databases_are_isolated(database: &TestDatabase) {
        let mut conn = open(database);
        let before = roles(&mut conn);
        add_role(&mut conn);
        assert_eq!(roles(&mut conn), before + 1);
        let other = TestDatabase::new(database.engine());
        assert_ne!(other.url(), database.url());
        assert_eq!(roles(&mut open(&other)), before);
    }

    fn an_empty_database_has_every_migration_pending(database: &TestDatabase) {
        let empty = TestDatabase::empty(database.engine());
        let mut conn = open(&empty);
        assert!(!migrations::pending(&mut conn).unwrap().is_empty());
        migrations::run(&mut conn).unwrap();
        assert_eq!(roles(&mut conn), roles(&mut open(database)));
    }

    fn a_database_is_removed_with_its_test_even_while_connected(database: &TestDatabase) {
        let other = TestDatabase::new(database.engine());
        let url = other.url().to_owned();
        let _conn = open(&other);
        drop(other);
        match database.engine() {
            Engine::Sqlite => {
                let file = url.strip_prefix("sqlite://").unwrap();
                assert!(!std::path::Path::new(file).exists());
            }
            Engine::Postgres => assert!(diesel::PgConnection::establish(&url).is_err()),
        }
    }
}
