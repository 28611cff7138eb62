//! Generator of a plausible network from a seed, for trying clients and for benchmarks.
//!
//! The ordinary use cases write all data, many of them in one transaction, with timestamps in the
//! past, up to now.

mod action;
mod additions;
mod extras;
mod moderation;
mod network;
mod pictures;
mod texts;

use std::{io::Write as _, time::Duration};

use anyhow::{Result, ensure};
use siskin_entities::{
    Picture, Protocol, Settings, Timestamp, Visibility, relationship::FollowOptions,
};
use siskin_ids::{AccountId, MediaId, StatusId, unix_ms_of};
use siskin_media::{Media, Purpose};
use siskin_persistence::{
    Tx,
    accounts::{self as rows, NewAccount, NewUser},
    archive,
    media::Finished,
    polls as poll_rows, roles,
};
use siskin_policy::roles::DefaultRole;
use siskin_services::{
    Error, Instance, Result as Served,
    accounts::{self, email_key, profile},
    attachments::{self, MediaMetadata, Received},
    passwords, polls, relationships,
    statuses::{self, Draft},
    tags,
};

use action::{Action, Moment, Person, Standing, Treatment};
pub use moderation::Counts;
use network::Network;
pub use network::Size;

use crate::{files::blocking, site::Site};
use pictures::Scene;

/// Age of the first account.
const HISTORY: Duration = Duration::from_secs(90 * 24 * 3600);
/// Number of actions in one transaction: no other client waits for it in an empty database.
const AT_ONCE: usize = 50;

/// The account to sign in with.
#[derive(Debug, Clone)]
pub struct DemoLogin {
    /// User name of the owner. All other accounts have the same password.
    pub username: String,
    pub password: String,
}

/// Fills an empty database with a generated network.
///
/// # Errors
/// The database is not empty, or it fails.
pub fn run(site: &Site, size: Size, seed: u64) -> Result<DemoLogin> {
    let empty = site.read(|conn| Ok(archive::is_empty(conn)?))?;
    ensure!(
        empty,
        "the database is not empty, and the demo data must not be mixed with real accounts. Use \
         another database: `siskin demo --database sqlite://demo/siskin.sqlite3 --media \
         demo/media`, then `siskin serve` with the same two options. If you do not need the data \
         in this database, stop the server, remove the database and its media, and try again"
    );
    let password = passwords::generate();
    let password_hash = passwords::hash(&password)?;
    let mut network = Network::new(size, seed);
    let mut writer = Writer::new(site, password_hash, network.length(), size.varied)?;
    let media = site.media()?;
    while let Some(moments) = network.next(AT_ONCE) {
        let scenes = draw(&media, &moments)?;
        let made = writer.write(site, moments, scenes)?;
        network.note(made);
    }
    Ok(DemoLogin { username: network.owner().to_owned(), password })
}

/// The result of an action that later actions refer to.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    Account(AccountId),
    RemoteAccount(AccountId),
    Status { author: usize, id: StatusId },
    Nothing,
}

/// Writes the actions with their timestamps.
#[derive(Clone)]
struct Writer {
    instance: Instance,
    settings: Settings,
    /// `true` if accounts that favourite a poll also vote in it.
    varied: bool,
    password_hash: String,
    start: Timestamp,
    end: Timestamp,
    /// Number of actions between start and end.
    length: u32,
}

impl Writer {
    fn new(site: &Site, password_hash: String, length: usize, varied: bool) -> Result<Self> {
        let end = site.store.now();
        let start = end.before(HISTORY);
        // An id contains its timestamp, and no new id may be smaller than earlier ones.
        let first = site.write(move |tx| Ok(tx.at(start).next_id()))?;
        Ok(Self {
            instance: site.instance.clone(),
            // The links are made up, so no page must be fetched for them.
            settings: Settings { link_previews: false, ..Settings::default() },
            varied,
            password_hash,
            start: Timestamp::from_unix_ms(unix_ms_of(first)),
            end,
            length: u32::try_from(length)?.max(1),
        })
    }

    /// Writes the actions. `drawn` holds the stored pictures of each of them.
    fn write(
        &mut self,
        site: &Site,
        moments: Vec<Moment>,
        drawn: Vec<Drawn>,
    ) -> Result<Vec<Outcome>> {
        let writer = self.clone();
        site.write(move |tx| {
            moments
                .iter()
                .zip(&drawn)
                .map(|(moment, drawn)| {
                    writer.action(&mut tx.at(writer.time(moment.at)), moment, drawn)
                })
                .collect()
        })
    }

    fn time(&self, at: usize) -> Timestamp {
        let whole = i128::from(self.end.unix_ms() - self.start.unix_ms());
        let passed = whole * i128::try_from(at).unwrap_or(0) / i128::from(self.length);
        Timestamp::from_unix_ms(self.start.unix_ms() + i64::try_from(passed).unwrap_or(0))
    }

    /// Creates an account. It bypasses the use case, which would spend most of the time on hashing
    /// the same password for each account.
    fn join(&self, tx: &mut Tx<'_>, person: &Person, drawn: &Drawn) -> Served<AccountId> {
        let (username, urls) = (&person.username, &self.instance.urls);
        let account = NewAccount {
            id: None,
            username,
            username_key: username,
            domain: None,
            search_text: "",
            uri: &urls.account_uri(username),
            url: &urls.profile(username),
            protocol: Protocol::Local,
            reachable: person.standing == Standing::Active,
        };
        let account = rows::insert(tx, &account)?.ok_or(Error::NotFound)?;
        let email = format!("{username}@example.com");
        let role = if person.is_owner {
            roles::find_by_name(tx, DefaultRole::Owner.name())?
        } else {
            None
        };
        let user = NewUser {
            account,
            email: &email,
            email_key: &email_key(&email),
            password_hash: &self.password_hash,
            role,
            locale: None,
            confirmed: person.standing != Standing::Unconfirmed,
            approved: person.standing != Standing::Pending,
            sign_up_reason: (person.standing == Standing::Pending).then_some(&*person.note),
            sign_up_ip: None,
            application: None,
        };
        rows::insert_user(tx, &user)?;
        let changes = profile::Changes {
            display_name: Some(person.display_name.clone()),
            note: Some(person.note.clone()),
            discoverable: Some(Some(true)),
            indexable: Some(true),
            ..profile::Changes::default()
        };
        let changes = profile::prepare(&self.settings, changes)?;
        profile::apply(tx, &self.instance, account, &changes, &drawn.profile)?;
        Ok(account)
    }

    fn action(&self, tx: &mut Tx<'_>, moment: &Moment, drawn: &Drawn) -> Served<Outcome> {
        let done = match &moment.action {
            Action::Join(person) => {
                let id = self.join(tx, person, drawn)?;
                // The others do not act.
                return Ok(match person.standing {
                    Standing::Active => Outcome::Account(id),
                    Standing::Pending | Standing::Unconfirmed => Outcome::Nothing,
                });
            }
            Action::JoinRemote { username, domain } => {
                let id = additions::join_remote(tx, &self.instance, username, domain)?;
                return Ok(Outcome::RemoteAccount(id));
            }
            Action::Publish { author, by, draft, .. } => {
                let mut draft = draft.clone();
                for (received, made) in &drawn.attached {
                    draft.media_ids.push(attach(tx, *by, received, made)?.to_string());
                }
                let draft = &draft;
                let prepared = statuses::prepare(&self.settings, Draft::clone(draft))?;
                match statuses::apply(tx, &self.instance, *by, &prepared) {
                    Ok(id) if is_open(draft) => return Ok(Outcome::Status { author: *author, id }),
                    made => made.map(drop),
                }
            }
            Action::Follow { by, target } => relationships::follow(
                tx,
                self.settings.limits_follows,
                *by,
                &target.to_string(),
                &FollowOptions::default(),
            )
            .map(drop),
            Action::Reblog { by, what } => {
                let asked = statuses::prepare_reblog(*what, None, None)?;
                statuses::reblog(tx, &self.instance.urls, *by, &asked).map(drop)
            }
            Action::Favourite { by, what } => {
                if self.varied {
                    vote(tx, *by, *what)?;
                }
                statuses::favourite(tx, *by, *what).map(drop)
            }
            Action::Bookmark { by, what } => statuses::bookmark(tx, *by, *what).map(drop),
            Action::Treat { by, target, how } => treat(tx, *by, &target.to_string(), how),
            Action::BlockServer { by, domain } => {
                relationships::block_domain(tx, &self.instance.urls, *by, domain)
            }
            Action::FollowTag { by, tag } => tags::follow(tx, *by, tag).map(drop),
            Action::Filter { by, draft } => additions::filter(tx, *by, draft),
            Action::List { by, form, members } => additions::list(tx, *by, form, members),
            Action::Decide { account, decision } => accounts::decide(tx, *account, *decision),
            Action::BlockDomains { domains } => {
                additions::block_domains(tx, &self.instance, domains.clone())
            }
            Action::FollowRemote { by, target } => {
                additions::follow_remote(tx, self.settings.limits_follows, *by, *target)
            }
            Action::PublishRemote(status) => additions::publish_remote(tx, status),
        };
        match done {
            // The generator ignores visibility and permissions. A refused action is skipped.
            Ok(()) | Err(Error::NotFound | Error::Forbidden(_) | Error::Invalid(_)) => {
                Ok(Outcome::Nothing)
            }
            Err(error) => Err(error),
        }
    }
}

/// The stored pictures of an action.
#[derive(Debug, Clone, Default)]
struct Drawn {
    profile: profile::Pictures,
    attached: Vec<(Received, Finished)>,
}

/// Draws and stores the pictures of all actions.
fn draw(media: &Media, moments: &[Moment]) -> Result<Vec<Drawn>> {
    moments.iter().map(|moment| draw_one(media, moment)).collect()
}

fn draw_one(media: &Media, moment: &Moment) -> Result<Drawn> {
    let mut drawn = Drawn::default();
    match &moment.action {
        Action::Join(person) => {
            drawn.profile.avatar = store_picture(media, person.avatar, Purpose::AVATAR)?;
            drawn.profile.header = store_picture(media, person.header, Purpose::HEADER)?;
        }
        Action::Publish { scenes, .. } => {
            for scene in scenes {
                drawn.attached.push(store(media, *scene)?);
            }
        }
        _ => {}
    }
    Ok(drawn)
}

/// Stores a picture of a profile.
fn store_picture(media: &Media, scene: Option<Scene>, purpose: Purpose) -> Result<Option<Picture>> {
    let Some(scene) = scene else { return Ok(None) };
    Ok(Some(blocking(media.store_picture(scene.draw()?, purpose))??))
}

/// Stores a picture as an upload, together with its processed versions.
fn store(media: &Media, scene: Scene) -> Result<(Received, Finished)> {
    let mut file = tempfile::NamedTempFile::new_in(media.storage().staging_dir()?)?;
    file.write_all(&scene.draw()?)?;
    let (source, kind) = blocking(media.receive(file.into_temp_path()))??;
    let made = blocking(media.process_upload(&source, kind, None))??;
    let (preview, blurhash) =
        made.preview.map_or((None, None), |preview| (Some(preview.file), preview.blurhash));
    let finished =
        Finished { kind: made.kind, file: made.file, preview, blurhash, meta: made.meta };
    Ok((Received { kind, source, preview: None }, finished))
}

/// Inserts the rows of an upload and its processed versions.
fn attach(tx: &mut Tx<'_>, by: AccountId, received: &Received, made: &Finished) -> Served<MediaId> {
    let metadata =
        MediaMetadata::prepare(Some("Hills under a coloured sky, with a sun".to_owned()), None)?;
    let id = attachments::receive(tx, by, received, &metadata)?;
    if let Some(upload) = attachments::waiting(tx, id)? {
        attachments::finish_processing(tx, &upload, made)?;
    }
    Ok(id)
}

/// Votes in the poll of a status, if it has one that is open.
fn vote(tx: &mut Tx<'_>, by: AccountId, what: StatusId) -> Served<()> {
    let Some(poll) = poll_rows::of_status(tx, what, Some(by))? else { return Ok(()) };
    let options = i64::try_from(poll.options.len()).unwrap_or(1).max(1);
    // Scattered, but the same in every run.
    let choice = (by.get() ^ what.get()).rem_euclid(options).to_string();
    match polls::vote(tx, by, poll.id, &[choice]) {
        Ok(_) | Err(Error::Invalid(_) | Error::NotFound | Error::Forbidden(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns `true` if other accounts will find the status and react to it.
fn is_open(draft: &Draft) -> bool {
    let visibility = draft.visibility.as_deref().map(str::parse::<Visibility>);
    visibility.is_some_and(|visibility| visibility.is_ok_and(Visibility::is_open))
}

fn treat(tx: &mut Tx<'_>, by: AccountId, target: &str, how: &Treatment) -> Served<()> {
    let done = match how {
        Treatment::Endorse => relationships::endorse(tx, by, target),
        Treatment::Note(text) => relationships::note(tx, by, target, text),
        Treatment::Mute(options) => relationships::mute(tx, by, target, *options),
        Treatment::Block => relationships::block(tx, by, target),
    };
    done.map(drop)
}
