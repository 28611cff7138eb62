//! Baseline server: the minimum cost of a response of typical size with the libraries of the
//! server. One response is constant, the other one is read from SQLite by key.

use std::sync::Mutex;

use actix_web::{App, HttpResponse, HttpServer, error::ErrorInternalServerError, web};
use anyhow::{Context, Result};
use diesel::{
    SqliteConnection,
    connection::SimpleConnection as _,
    prelude::*,
    r2d2::{ConnectionManager, CustomizeConnection, Pool},
};
use tempfile::TempDir;

/// Content of a response: number of rows, and bytes per row.
const ROWS: i64 = 20;
const BYTES: usize = 3 * 1024;
/// Number of stored rows.
const STORED: i64 = 2000;

diesel::table! {
    bodies (id) {
        id -> BigInt,
        body -> Text,
    }
}

type Connections = Pool<ConnectionManager<SqliteConnection>>;

/// First row of the next response, so that responses do not all contain the same rows.
#[derive(Debug, Default)]
struct Turn(Mutex<i64>);

impl Turn {
    fn next(&self) -> i64 {
        let mut turn = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *turn = (*turn + 1) % (STORED - ROWS);
        *turn
    }
}

#[actix_web::main]
async fn main() -> Result<()> {
    let address = std::env::args().nth(1).context("floor HOST:PORT")?;
    let folder = TempDir::new()?;
    let connections = fill(&folder)?;
    let fixed: web::Bytes = format!("[{}]", row(0).repeat(usize::try_from(ROWS)?)).into();
    let turn = web::Data::new(Turn::default());
    HttpServer::new(move || {
        App::new()
            .app_data(web::Data::new(connections.clone()))
            .app_data(web::Data::new(fixed.clone()))
            .app_data(turn.clone())
            .route("/fixed", web::get().to(answer_fixed))
            .route("/rows", web::get().to(answer_rows))
    })
    .bind(address)?
    .run()
    .await?;
    Ok(())
}

async fn answer_fixed(body: web::Data<web::Bytes>) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(body.as_ref().clone())
}

async fn answer_rows(
    connections: web::Data<Connections>,
    turn: web::Data<Turn>,
) -> actix_web::Result<HttpResponse> {
    let first = turn.next();
    let body = web::block(move || read(&connections, first)).await?;
    let body = body.map_err(ErrorInternalServerError)?;
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}

/// Reads twenty rows by key, in one snapshot like any page of the server.
fn read(connections: &Connections, first: i64) -> Result<String> {
    let mut conn = connections.get()?;
    let ids: Vec<i64> = (first..first + ROWS).collect();
    let rows: Vec<String> = conn.transaction(|conn| {
        bodies::table.filter(bodies::id.eq_any(ids)).select(bodies::body).load(conn)
    })?;
    Ok(format!("[{}]", rows.join(",")))
}

fn fill(folder: &TempDir) -> Result<Connections> {
    let path = folder.path().join("floor.sqlite3");
    let manager = ConnectionManager::<SqliteConnection>::new(path.to_string_lossy());
    let connections =
        Pool::builder().max_size(8).connection_customizer(Box::new(AsTheServer)).build(manager)?;
    let mut conn = connections.get()?;
    conn.batch_execute(
        "CREATE TABLE bodies (id INTEGER PRIMARY KEY NOT NULL, body TEXT NOT NULL)",
    )?;
    conn.transaction::<_, diesel::result::Error, _>(|conn| {
        for id in 0..STORED {
            let values = (bodies::id.eq(id), bodies::body.eq(row(id)));
            diesel::insert_into(bodies::table).values(values).execute(conn)?;
        }
        Ok(())
    })?;
    Ok(connections)
}

/// Opens connections with the options that the server uses.
#[derive(Debug)]
struct AsTheServer;

impl CustomizeConnection<SqliteConnection, diesel::r2d2::Error> for AsTheServer {
    fn on_acquire(&self, conn: &mut SqliteConnection) -> Result<(), diesel::r2d2::Error> {
        conn.batch_execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
            .map_err(diesel::r2d2::Error::QueryError)
    }
}

/// Returns a JSON object of the size of a status.
fn row(id: i64) -> String {
    let head = format!("{{\"id\":\"{id}\",\"content\":\"");
    format!("{head}{}\"}}", "x".repeat(BYTES - head.len() - 2))
}
