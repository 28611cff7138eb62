//! A write transaction.

use std::ops::{Deref, DerefMut};

use siskin_entities::Timestamp;
use siskin_ids::Generator;

use crate::Conn;

/// A write transaction: the connection, the time of the transaction, and the source of its ids. Ids
/// are drawn inside the transaction, so that ids and commits of one node have the same order.
///
/// The code inside may run again after a rollback, so it must not change anything but rows.
#[derive(Debug)]
pub struct Tx<'t> {
    conn: &'t mut Conn,
    ids: &'t Generator,
    now: Timestamp,
}

impl<'t> Tx<'t> {
    pub(crate) const fn new(conn: &'t mut Conn, ids: &'t Generator, now: Timestamp) -> Self {
        Self { conn, ids, now }
    }

    /// Returns the time at which the transaction began.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the same transaction with another time, for inserting history afterwards. Rows and
    /// ids get that time; ids only if none was drawn for a later time.
    pub const fn at(&mut self, now: Timestamp) -> Tx<'_> {
        Tx { conn: self.conn, ids: self.ids, now }
    }

    /// Returns a new id, greater than every id drawn before on this node.
    pub fn next_id(&self) -> i64 {
        self.ids.next(self.now.unix_ms())
    }
}

impl Deref for Tx<'_> {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        self.conn
    }
}

impl DerefMut for Tx<'_> {
    fn deref_mut(&mut self) -> &mut Conn {
        self.conn
    }
}
