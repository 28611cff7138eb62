//! A write transaction.

use std::ops::{Deref, DerefMut};

use siskin_entities::Timestamp;
use siskin_ids::Generator;

use crate::Conn;

/// The inside of a write transaction: the connection, the time of the transaction and the source
/// of its ids (drawn here, so that the order of commits is the order of ids on one node).
///
/// The code inside may be run again after a rollback, so it must not change anything but rows.
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

    /// When the transaction began.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// The same transaction at another time, for history that is written afterwards: rows and ids
    /// carry that time, ids as far as none was drawn for a later one.
    pub const fn at(&mut self, now: Timestamp) -> Tx<'_> {
        Tx { conn: self.conn, ids: self.ids, now }
    }

    /// A new id, greater than every id drawn before on this node.
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
