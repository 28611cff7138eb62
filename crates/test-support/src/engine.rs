//! The two database engines, and their availability on this machine.

use crate::{TestDatabase, postgres, services};

/// Database engine that tests run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Compiled in, so it is always available.
    Sqlite,
    /// A private server, started at first use, or the one in `SISKIN_TEST_POSTGRES`.
    Postgres,
}

impl Engine {
    /// Returns `true` if tests can run on this engine. Otherwise prints the reason once to standard
    /// error.
    ///
    /// # Panics
    /// Panics if the engine is missing and `SISKIN_REQUIRE_SERVICES` is 1.
    #[must_use]
    pub fn is_available(self) -> bool {
        let Self::Postgres = self else { return true };
        let Err(missing) = postgres::find() else { return true };
        services::skip("PostgreSQL", &missing.to_string());
        false
    }

    /// Runs `test` on a fresh, migrated database. Does nothing if the engine is missing.
    ///
    /// # Panics
    /// Panics like [`Engine::is_available`] and [`TestDatabase::new`], and if the test panics.
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
