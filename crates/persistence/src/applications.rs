//! Client applications. Their secrets are stored as hashes only.

use diesel::prelude::*;
use siskin_entities::{Application, Timestamp};
use siskin_ids::{AccountId, ApplicationId, StatusId};

use crate::{
    Conn, Result, Tx,
    access::{self, Ended},
    chunks::{self, OwnedRows, owned},
    equals_any::IdExpression as _,
    schema::{applications, statuses, users},
};

/// The access that an application was granted.
const GRANTS: [OwnedRows; 2] = [
    owned("authorization_codes", "code_hash", "application_id = $1"),
    owned("access_tokens", "id", "application_id = $1"),
];

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = applications)]
pub(crate) struct ApplicationRow {
    id: ApplicationId,
    name: String,
    website: Option<String>,
    client_id: String,
    redirect_uris: String,
    scopes: String,
    created_at: i64,
}

impl From<ApplicationRow> for Application {
    fn from(row: ApplicationRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            website: row.website,
            client_id: row.client_id,
            redirect_uris: row.redirect_uris.lines().map(str::to_owned).collect(),
            scopes: row.scopes,
            created_at: Timestamp::from_unix_ms(row.created_at),
        }
    }
}

/// Data of an application to register.
#[derive(Debug, Clone, Copy)]
pub struct NewApplication<'a> {
    pub name: &'a str,
    pub website: Option<&'a str>,
    pub client_id: &'a str,
    pub client_secret_hash: &'a str,
    /// No redirect URI contains a line break.
    pub redirect_uris: &'a [String],
    /// Scopes, separated by spaces.
    pub scopes: &'a str,
}

/// Inserts an application.
///
/// # Errors
/// [`crate::Error::Duplicate`] if another application has the client id.
pub fn insert(tx: &mut Tx<'_>, new: &NewApplication<'_>) -> Result<Application> {
    let id = ApplicationId::new(tx.next_id());
    let row = (
        applications::id.eq(id),
        applications::name.eq(new.name),
        applications::website.eq(new.website),
        applications::client_id.eq(new.client_id),
        applications::client_secret_hash.eq(new.client_secret_hash),
        applications::redirect_uris.eq(new.redirect_uris.join("\n")),
        applications::scopes.eq(new.scopes),
        applications::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(applications::table).values(row).execute(&mut **tx)?;
    Ok(Application {
        id,
        name: new.name.to_owned(),
        website: new.website.map(str::to_owned),
        client_id: new.client_id.to_owned(),
        redirect_uris: new.redirect_uris.to_vec(),
        scopes: new.scopes.to_owned(),
        created_at: tx.now(),
    })
}

/// Loads the application with this id.
pub fn find(conn: &mut Conn, id: ApplicationId) -> Result<Option<Application>> {
    let row =
        applications::table.find(id).select(ApplicationRow::as_select()).first(conn).optional()?;
    Ok(row.map(Application::from))
}

/// Loads the first `limit` applications that were registered after `after`, ordered by id.
pub fn list(conn: &mut Conn, after: ApplicationId, limit: i64) -> Result<Vec<Application>> {
    let rows = applications::table
        .filter(applications::id.gt(after))
        .order(applications::id)
        .limit(limit)
        .select(ApplicationRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Application::from).collect())
}

/// An application with the hash of its client secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    pub application: Application,
    pub secret_hash: String,
}

/// Loads the application with this client id.
pub fn find_client(conn: &mut Conn, client_id: &str) -> Result<Option<Client>> {
    let row: Option<(ApplicationRow, String)> = applications::table
        .filter(applications::client_id.eq(client_id))
        .select((ApplicationRow::as_select(), applications::client_secret_hash))
        .first(conn)
        .optional()?;
    Ok(row.map(|(row, secret_hash)| Client { application: row.into(), secret_hash }))
}

/// Deletes at most `limit` tokens and codes of an application, or removes it from as many statuses.
/// Deletes the application itself with the last ones. Returns `true` if it is gone.
pub fn delete_some(tx: &mut Tx<'_>, id: ApplicationId, limit: usize) -> Result<bool> {
    let deleted = chunks::delete_some(tx, &GRANTS, id.get(), limit)?;
    let is_last = deleted < limit && leave_statuses(tx, id, limit - deleted)?;
    if is_last {
        // Foreign keys update the few rows that are left.
        diesel::delete(applications::table.find(id)).execute(&mut **tx)?;
    }
    access::end(tx, Ended::Application(id))?;
    Ok(is_last)
}

/// Removes an application from at most `limit` statuses and users that it created. Returns `true`
/// if fewer were left.
fn leave_statuses(tx: &mut Tx<'_>, id: ApplicationId, limit: usize) -> Result<bool> {
    let rows = i64::try_from(limit).unwrap_or(i64::MAX);
    let written: Vec<StatusId> = statuses::table
        .filter(statuses::application_id.eq(id))
        .limit(rows)
        .select(statuses::id)
        .load(&mut **tx)?;
    diesel::update(statuses::table.filter(statuses::id.equals_any(&written)))
        .set(statuses::application_id.eq(None::<ApplicationId>))
        .execute(&mut **tx)?;
    let signed_up: Vec<AccountId> = users::table
        .filter(users::created_by_application_id.eq(id))
        .limit(rows)
        .select(users::account_id)
        .load(&mut **tx)?;
    diesel::update(users::table.filter(users::account_id.equals_any(&signed_up)))
        .set(users::created_by_application_id.eq(None::<ApplicationId>))
        .execute(&mut **tx)?;
    Ok(written.len() < limit && signed_up.len() < limit)
}
