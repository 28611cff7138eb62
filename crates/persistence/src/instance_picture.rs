//! The picture of the instance: a row for each stored size.

use diesel::{prelude::*, sql_query, sql_types::BigInt};
use siskin_entities::{InstancePicture, PictureVersion, media::PixelSize};

use crate::{
    Conn, Error, Result, Tx,
    conn::{OnEngine, each},
    schema::instance_pictures,
};

/// Key of the advisory lock that serialises changes of the picture on PostgreSQL.
const ADVISORY_LOCK: i64 = 0x5153_4b49_4e00_0004;

/// Loads the picture of the instance. Returns `None` if there is none.
pub fn find(conn: &mut Conn) -> Result<Option<InstancePicture>> {
    let rows: Vec<(String, i64, i64, Option<String>)> = instance_pictures::table
        .select((
            instance_pictures::file,
            instance_pictures::width,
            instance_pictures::height,
            instance_pictures::blurhash,
        ))
        .load(conn)?;
    let side = |pixels: i64| u32::try_from(pixels).map_err(|_| Error::Damaged("instance_pictures"));
    let version = |(file, width, height, blurhash)| -> Result<PictureVersion> {
        let size = PixelSize { width: side(width)?, height: side(height)? };
        Ok(PictureVersion { file, size, blurhash })
    };
    let versions = rows.into_iter().map(version).collect::<Result<Vec<_>>>()?;
    Ok(InstancePicture::of_versions(versions))
}

/// Returns `true` if there is a picture.
pub fn exists(conn: &mut Conn) -> Result<bool> {
    let files = instance_pictures::table.select(instance_pictures::file);
    Ok(diesel::select(diesel::dsl::exists(files)).get_result(conn)?)
}

/// Stores a picture in place of the former one, or none. Returns the names of the former files,
/// which no row names any more.
pub fn replace(tx: &mut Tx<'_>, versions: &[PictureVersion]) -> Result<Vec<String>> {
    // Otherwise two simultaneous changes would leave the sizes of both.
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        sql_query("SELECT pg_advisory_xact_lock($1)")
            .bind::<BigInt, _>(ADVISORY_LOCK)
            .execute(pg)?;
    }
    let former: Vec<String> =
        instance_pictures::table.select(instance_pictures::file).load(&mut **tx)?;
    diesel::delete(instance_pictures::table).execute(&mut **tx)?;
    let row = |version: &PictureVersion| {
        (
            instance_pictures::file.eq(version.file.clone()),
            instance_pictures::width.eq(i64::from(version.size.width)),
            instance_pictures::height.eq(i64::from(version.size.height)),
            instance_pictures::blurhash.eq(version.blurhash.clone()),
        )
    };
    let rows: Vec<_> = versions.iter().map(row).collect();
    if !rows.is_empty() {
        each!(&mut **tx, conn => diesel::insert_into(instance_pictures::table)
            .values(rows)
            .execute(conn))?;
    }
    Ok(former)
}
