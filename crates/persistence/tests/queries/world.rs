//! Concise builders of rows for the tests of queries.

use std::sync::Arc;

use diesel::prelude::*;
use siskin_entities::{Protocol, Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, Result, Store, StoreOptions, Tx,
    accounts::{self, NewAccount, NewUser},
    schema::{blocks, follows, mentions, mutes, statuses},
};
use siskin_test_support::TestDatabase;

/// Time of all events.
pub const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);

/// A database with a clock that stands still.
pub struct World {
    store: Store,
}

impl World {
    pub fn on(database: &TestDatabase) -> Self {
        let options = StoreOptions::new(database.url()).clock(Arc::new(|| NOW)).count_statements();
        Self { store: Store::open(&options).unwrap() }
    }

    pub fn read<T>(&self, body: impl FnOnce(&mut Conn) -> Result<T>) -> T {
        self.store.read(body).unwrap()
    }

    pub fn write<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> T {
        self.store.write(body).unwrap()
    }

    /// Runs a write that may fail.
    pub fn try_write<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.store.write(body)
    }

    /// Counts the statements of `body`.
    pub fn statements<T>(&self, body: impl FnOnce(&Self) -> T) -> u32 {
        drop(self.store.take_counted());
        body(self);
        self.store.take_counted().iter().map(|counted| counted.statements).sum()
    }

    /// Inserts a local account with a user.
    pub fn person(&self, username: &'static str) -> AccountId {
        self.write(move |tx| {
            let account = insert_account(tx, username, None)?;
            let user = NewUser {
                account,
                email: &format!("{username}@mail.test"),
                email_key: &format!("{username}@mail.test"),
                password_hash: "",
                role: None,
                locale: None,
                confirmed: true,
                approved: true,
                sign_up_reason: None,
                sign_up_ip: None,
                application: None,
            };
            assert!(accounts::insert_user(tx, &user)?);
            Ok(account)
        })
    }

    /// Inserts a remote account.
    pub fn remote(&self, username: &'static str) -> AccountId {
        self.write(move |tx| insert_account(tx, username, Some("far.test")))
    }

    /// Inserts a status that mentions `mentioned`.
    pub fn status(
        &self,
        author: AccountId,
        visibility: Visibility,
        mentioned: &[AccountId],
    ) -> StatusId {
        let mentioned = mentioned.to_vec();
        self.write(move |tx| {
            let id = StatusId::new(tx.next_id());
            diesel::insert_into(statuses::table)
                .values((
                    statuses::id.eq(id),
                    statuses::account_id.eq(author),
                    statuses::uri.eq(id.to_string()),
                    statuses::visibility.eq(visibility.number()),
                    statuses::conversation_id.eq(id),
                    statuses::created_at.eq(NOW.unix_ms()),
                ))
                .execute(&mut **tx)?;
            for (position, account) in (0..).zip(&mentioned) {
                diesel::insert_into(mentions::table)
                    .values((
                        mentions::status_id.eq(id),
                        mentions::account_id.eq(account),
                        mentions::position.eq(position),
                    ))
                    .execute(&mut **tx)?;
            }
            Ok(id)
        })
    }

    pub fn follow(&self, actor: AccountId, target: AccountId) {
        self.write(move |tx| {
            let row = (
                follows::id.eq(tx.next_id()),
                follows::account_id.eq(actor),
                follows::target_account_id.eq(target),
                follows::created_at.eq(NOW.unix_ms()),
            );
            Ok(diesel::insert_into(follows::table).values(row).execute(&mut **tx)?)
        });
    }

    pub fn block(&self, actor: AccountId, target: AccountId) {
        self.write(move |tx| {
            let row = (
                blocks::id.eq(tx.next_id()),
                blocks::account_id.eq(actor),
                blocks::target_account_id.eq(target),
                blocks::created_at.eq(NOW.unix_ms()),
            );
            Ok(diesel::insert_into(blocks::table).values(row).execute(&mut **tx)?)
        });
    }

    pub fn mute(
        &self,
        actor: AccountId,
        target: AccountId,
        hide_notifications: bool,
        expires_at: Option<Timestamp>,
    ) {
        self.write(move |tx| {
            let row = (
                mutes::id.eq(tx.next_id()),
                mutes::account_id.eq(actor),
                mutes::target_account_id.eq(target),
                mutes::hide_notifications.eq(hide_notifications),
                mutes::expires_at.eq(expires_at.map(Timestamp::unix_ms)),
                mutes::created_at.eq(NOW.unix_ms()),
            );
            Ok(diesel::insert_into(mutes::table).values(row).execute(&mut **tx)?)
        });
    }
}

fn insert_account(tx: &mut Tx<'_>, username: &str, domain: Option<&str>) -> Result<AccountId> {
    let uri = format!("http://{}/{username}", domain.unwrap_or("siskin.test"));
    let new = NewAccount {
        id: None,
        username,
        username_key: username,
        domain,
        search_text: username,
        uri: &uri,
        url: &uri,
        protocol: if domain.is_none() { Protocol::Local } else { Protocol::ActivityPub },
        reachable: true,
    };
    Ok(accounts::insert(tx, &new)?.unwrap())
}
