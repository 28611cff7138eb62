//! Writes the archives of accounts: a profile, statuses, favourites and bookmarks in the form of
//! ActivityPub, and all files, as one `.tar.gz` file in parts.
//!
//! Each step writes into files on the local disk, then stores them, then their rows. So little is in
//! memory, and a step that failed is repeated.

mod tar_gz;

use std::{io, sync::Arc};

use flate2::Compression;
use siskin_entities::{Account, ArchivePart, Picture};
use siskin_ids::MediaId;
use siskin_media::{FileName, FileType};
use siskin_services::{
    Error, Result,
    exports::archives::{
        self, Entries, Items, OpenArchive, Part, Work, WriteArchive, continued, first_place,
        next_stage, place,
    },
};
use siskin_wire::archive::{self, Known};
use tempfile::NamedTempFile;

use self::tar_gz::{PartWriter, Written, header, padding};
use crate::{App, Finish, JobHandler, Lane, app::blocking, nothing_to_store};

/// Size at which a step adds no further file.
const ENOUGH: u64 = 8 << 20;

/// Runs [`WriteArchive`].
#[derive(Debug, Clone, Copy)]
pub struct ArchiveWriter;

impl JobHandler for ArchiveWriter {
    type Job = WriteArchive;

    const LANE: Lane = Lane::Files;

    async fn run(&self, app: &App, job: WriteArchive) -> Result<Finish> {
        let step = app.read(move |conn| archives::next_step(conn, job.archive)).await?;
        let Some((archive, work)) = step else { return nothing_to_store() };
        match work {
            Work::Profile(account) => profile(app, archive, account).await,
            Work::Collection(entries) => collection(app, archive, entries).await,
            Work::Files(files) => attached(app, archive, files).await,
            Work::End(parts) => end(app, archive, parts).await,
        }
    }
}

/// Writes the profile and its pictures.
async fn profile(app: &App, archive: OpenArchive, account: Arc<Account>) -> Result<Finish> {
    let (known, file) = (app.clone(), Arc::clone(&account));
    let actor = blocking(move || {
        with_known(&known, &|_| None, |known| archive::actor_file(&file, known))
            .map_err(Error::internal)
    })
    .await?;
    let writer = PartWriter::first(staged(app).await?, Compression::default());
    let writer = writer.map_err(unavailable)?;
    let mut writer = add_file(app, writer, "actor.json", actor).await?;
    for (name, picture) in [("avatar", &account.avatar), ("header", &account.header)] {
        if let Some(picture) = picture {
            let path = archive::picture_path(name, picture);
            let Picture { file, .. } = picture;
            writer = add_stored(app, writer, &path, file).await?;
        }
    }
    let part = store(app, blocking(move || writer.finish().map_err(unavailable)).await?).await?;
    saved(next_stage(archive), 0, vec![Part { position: place(&archive), part }])
}

/// Writes entries of a collection. After the last ones, the size of the collection is known: then
/// writes its header in front of the parts with its entries.
async fn collection(app: &App, archive: OpenArchive, entries: Entries) -> Result<Finish> {
    let Entries { file, is_counted, items, last } = entries;
    let (known, is_last) = (app.clone(), last.is_none());
    let (text, count) = blocking(move || {
        let mut text = Vec::new();
        if archive.entry_bytes == 0 {
            archive::begin_collection(&mut text, file);
        }
        let count = add_items(&mut text, &known, &items, archive.entry_items)?;
        if is_last {
            archive::end_collection(&mut text, archive.entry_items + count);
        }
        Ok((text, count))
    })
    .await?;
    let statuses = if is_counted { count } else { 0 };
    let size = i64::try_from(text.len()).unwrap_or_default();
    let place = place(&archive);
    let Some(last) = last else {
        let whole = u64::try_from(archive.entry_bytes + size).unwrap_or_default();
        let part = written(app, vec![text, padding(whole)]).await?;
        let header = header(file, whole, seconds(app)).map_err(unavailable)?;
        let first = written(app, vec![header]).await?;
        let parts = vec![
            Part { position: first_place(&archive), part: first },
            Part { position: place, part },
        ];
        return saved(next_stage(archive), statuses, parts);
    };
    let part = written(app, vec![text]).await?;
    saved(continued(archive, last, size, count), statuses, vec![Part { position: place, part }])
}

/// Appends entries to a collection. Returns their number.
fn add_items(text: &mut Vec<u8>, app: &App, items: &Items, before: i64) -> Result<i64> {
    let (added, count) = match items {
        Items::Statuses { statuses, parents } => {
            let parent = |id| parents.get(&id).cloned();
            let added = with_known(app, &parent, |known| {
                archive::add_statuses(text, statuses, known, before)
            });
            (added, statuses.len())
        }
        Items::Addresses(addresses) => {
            (archive::add_addresses(text, addresses, before), addresses.len())
        }
    };
    added.map_err(Error::internal)?;
    Ok(i64::try_from(count).unwrap_or_default())
}

/// Calls a function with what rendering needs besides the views.
fn with_known<T>(
    app: &App,
    parents: &dyn Fn(siskin_ids::StatusId) -> Option<String>,
    render: impl FnOnce(&Known<'_>) -> T,
) -> T {
    let media_type =
        |file: &str| file.parse::<FileName>().ok().and_then(|name| name.file_type().media_type());
    render(&Known { urls: app.urls(), media_type: &media_type, parents, now: app.now() })
}

/// Writes attached files, until the part is large enough.
async fn attached(
    app: &App,
    archive: OpenArchive,
    files: Vec<(MediaId, String)>,
) -> Result<Finish> {
    let mut last = None;
    let mut writer = PartWriter::new(staged(app).await?, Compression::none());
    for (id, file) in files {
        let path = archive::media_path(&file);
        writer = add_stored(app, writer, &path, &file).await?;
        last = Some(id);
        if writer.raw_bytes() >= ENOUGH {
            break;
        }
    }
    let Some(last) = last else { return saved(next_stage(archive), 0, Vec::new()) };
    let next = continued(archive, last.get(), 0, 0);
    if writer.raw_bytes() == 0 {
        return saved(next, 0, Vec::new());
    }
    let part = store(app, blocking(move || writer.finish().map_err(unavailable)).await?).await?;
    saved(next, 0, vec![Part { position: place(&archive), part }])
}

/// Writes the end of the archive.
async fn end(app: &App, archive: OpenArchive, before: Vec<ArchivePart>) -> Result<Finish> {
    let writer = PartWriter::new(staged(app).await?, Compression::default());
    let whole = blocking(move || writer.finish_all(&before).map_err(unavailable)).await?;
    let part = Part { position: place(&archive), part: store(app, whole).await? };
    let last = next_stage(archive);
    Ok(Box::new(move |tx| archives::complete(tx, &last, &part)))
}

fn saved(next: OpenArchive, statuses: i64, parts: Vec<Part>) -> Result<Finish> {
    Ok(Box::new(move |tx| archives::save(tx, &next, statuses, &parts)))
}

/// Adds a file with this content.
async fn add_file(
    app: &App,
    mut writer: PartWriter,
    path: &str,
    content: Vec<u8>,
) -> Result<PartWriter> {
    let size = u64::try_from(content.len()).unwrap_or_default();
    let header = header(path, size, seconds(app)).map_err(unavailable)?;
    blocking(move || {
        for part in [header, content, padding(size)] {
            writer.write(&part).map_err(unavailable)?;
        }
        Ok(writer)
    })
    .await
}

/// Adds a copy of a stored file, in chunks. Leaves out a file that is gone.
async fn add_stored(
    app: &App,
    mut writer: PartWriter,
    path: &str,
    file: &str,
) -> Result<PartWriter> {
    let Ok(name) = file.parse::<FileName>() else { return Ok(writer) };
    let storage = app.media().storage();
    let Some(size) = storage.size(&name).await.map_err(unavailable)? else { return Ok(writer) };
    let mut chunk = header(path, size, seconds(app)).map_err(unavailable)?;
    let mut start = 0;
    loop {
        writer = blocking(move || {
            writer.write(&chunk).map_err(unavailable)?;
            Ok(writer)
        })
        .await?;
        if start >= size {
            break;
        }
        let end = size.min(start + storage.chunk());
        chunk = storage.read(&name, start..end).await.map_err(unavailable)?;
        if end == size {
            chunk.extend(padding(size));
        }
        start = end;
    }
    Ok(writer)
}

/// Writes and stores a part with this content.
async fn written(app: &App, content: Vec<Vec<u8>>) -> Result<ArchivePart> {
    let mut writer = PartWriter::new(staged(app).await?, Compression::default());
    let part = blocking(move || {
        for piece in &content {
            writer.write(piece).map_err(unavailable)?;
        }
        writer.finish().map_err(unavailable)
    })
    .await?;
    store(app, part).await
}

/// Creates an empty file in the staging directory. It is deleted if it is not stored.
async fn staged(app: &App) -> Result<NamedTempFile> {
    let media = app.media().clone();
    blocking(move || {
        let folder = media.storage().staging_dir().map_err(unavailable)?;
        NamedTempFile::new_in(folder).map_err(unavailable)
    })
    .await
}

/// Moves a part to the storage.
async fn store(app: &App, part: Written) -> Result<ArchivePart> {
    let name = FileName::random(FileType::Export);
    let Written { file, bytes, raw_bytes, checksum } = part;
    app.media().storage().adopt(&name, file).await.map_err(unavailable)?;
    Ok(ArchivePart { file: name.to_string(), bytes, raw_bytes, checksum })
}

/// Returns the present time in seconds since 1970.
fn seconds(app: &App) -> u64 {
    u64::try_from(app.now().unix_seconds()).unwrap_or_default()
}

/// The storage or the local disk fails. The job is repeated later.
fn unavailable(error: io::Error) -> Error {
    Error::Unavailable(Box::new(error))
}
