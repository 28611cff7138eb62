//! Opens the database and hands out reads and write transactions.

use std::{fmt, sync::Arc};

use siskin_entities::Timestamp;
use siskin_ids::Generator;

use crate::{Conn, Error, Result, Tx, migrations};

/// Tells the time; tests put their own in its place.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A database with its readers and its writer.
#[derive(Clone)]
pub struct Store {
    url: Arc<str>,
    ids: Arc<Generator>,
    clock: Clock,
}
impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}
impl Store {
    pub fn open(url: &str, clock: Clock) -> Result<Self> {
        let mut conn = Conn::open(url)?;
        migrations::run(&mut conn)?;
        Ok(Self {
            url: url.into(),
            ids: Arc::new(Generator::new(0, 0).map_err(|_| Error::Url)?),
            clock,
        })
    }
    pub fn read<T, E: From<Error>>(
        &self,
        body: impl FnOnce(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut conn = Conn::open(&self.url)?;
        body(&mut conn)
    }
    pub fn write<T, E: From<Error>>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut conn = Conn::open(&self.url)?;
        let mut tx = Tx::new(&mut conn, &self.ids, (self.clock)());
        body(&mut tx)
    }
}
