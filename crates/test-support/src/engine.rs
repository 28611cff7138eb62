//! The two engines, and whether this machine has them.

use crate::{TestDatabase, postgres, services};

/// A database engine that tests run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Compiled in, hence always there.
    Sqlite,
    /// A private server, started on first use, or the one that `SISKIN_TEST_POSTGRES` names.
    Postgres,
}

impl Engine {
    /// Whether tests can run on this engine here. Says once on standard error why not.
    ///
    /// # Panics
    /// The engine is missing and `SISKIN_REQUIRE_SERVICES` is 1.
    #[must_use]
    pub fn is_available(self) -> bool {
        let Self::Postgres = self else { return true };
        let Err(missing) = postgres::find() else { return true };
        services::skip("PostgreSQL", &missing.to_string());
        false
    }

    /// Runs `test` on a fresh, migrated database, or does nothing where the engine is missing.
    ///
    /// # Panics
    /// As [`Engine::is_available`] and [`TestDatabase::new`], and where the test does.
    pub fn on_fresh_database(self, test: impl FnOnce(&TestDatabase)) {
        if self.is_available() {
            test(&TestDatabase::new(self));
        }
    }
}

/// Turns each function into two tests, `NAME::sqlite` and `NAME::postgres`, which run it on a
/// fresh, migrated database.
///
/// ```
/// siskin_test_support::both_engines! {
///     fn a_fresh_database_has_an_address(database: &TestDatabase) {
///         assert!(database.url().contains("://"));
///     }
/// }
/// ```
#[macro_export]
macro_rules! both_engines {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($database:ident: &TestDatabase) $body:block
    )+) => { $(
        $(#[$meta])*
        fn $name($database: &$crate::TestDatabase) $body

        mod $name {
            #[test]
            fn sqlite() {
                $crate::Engine::Sqlite.on_fresh_database(super::$name);
            }

            #[test]
            fn postgres() {
                $crate::Engine::Postgres.on_fresh_database(super::$name);
            }
        }
    )+ };
}
