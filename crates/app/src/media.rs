//! Profile pictures: files are stored before the rows that refer to them are written. They are
//! deleted when no row refers to them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use siskin_entities::{Account, Actor, Picture, PictureVersion};
use siskin_ids::AccountId;
use siskin_media::{Media, Purpose, StoredPreview};
use siskin_services::{
    Error, Result,
    accounts::profile::{self, Pictures, Prepared},
    emojis, instance_picture,
    media::{DeleteFiles, upload_error, upload_field_error},
};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::{App, Finish, JobHandler, nothing_to_store};

/// Pictures sent for a profile. `None` keeps the current picture.
#[derive(Debug, Clone)]
pub struct Uploads<B> {
    pub avatar: Option<B>,
    pub header: Option<B>,
}

/// Serialises the processing of uploads during requests: one of each account at a time.
#[derive(Default)]
pub(crate) struct UploadTurns {
    by_account: Mutex<HashMap<AccountId, Arc<AsyncMutex<()>>>>,
}

impl UploadTurns {
    /// Waits until no other upload of this account is processed.
    pub(crate) async fn wait(&self, account: AccountId) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.by_account.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(turns.entry(account).or_default())
        };
        turn.lock_owned().await
    }
}

impl App {
    /// Returns the media storage.
    #[must_use]
    pub fn media(&self) -> &Media {
        &self.inner.media
    }

    /// Stores new profile pictures, and writes them to the profile together with its other changes.
    ///
    /// # Errors
    /// [`Error::InvalidFields`] for files that are no picture, and those of [`profile::apply`].
    /// Nothing is stored or changed then.
    pub async fn change_profile<B>(
        &self,
        account: AccountId,
        changes: Prepared,
        uploads: Uploads<B>,
    ) -> Result<Arc<Account>>
    where
        B: AsRef<[u8]> + Send + 'static,
    {
        let turn = self.inner.upload_turns.wait(account).await;
        let avatar = self.store_picture("avatar", uploads.avatar, Purpose::AVATAR).await?;
        let header = match self.store_picture("header", uploads.header, Purpose::HEADER).await {
            Ok(header) => header,
            Err(error) => {
                self.discard(avatar).await;
                return Err(error);
            }
        };
        drop(turn);
        let stored = Pictures { avatar, header };
        let (instance, pictures) = (self.instance().clone(), stored.clone());
        let written =
            self.write(move |tx| profile::apply(tx, &instance, account, &changes, &pictures)).await;
        if let Err(error) = &written
            && is_rolled_back(error)
        {
            self.discard(stored.avatar.into_iter().chain(stored.header)).await;
        }
        written
    }

    /// Stores the picture of a new custom emoji, and adds the emoji.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file that is no picture, and if the name is taken. Nothing is stored
    /// then.
    pub async fn add_emoji<B>(
        &self,
        actor: Actor,
        prepared: emojis::Prepared,
        upload: B,
    ) -> Result<()>
    where
        B: AsRef<[u8]> + Send + 'static,
    {
        let stored = self.media().store_picture(upload, Purpose::EMOJI).await;
        let picture = stored.map_err(|error| upload_error("The picture", error))?;
        let row = picture.clone();
        let added = self.write(move |tx| emojis::add(tx, actor, &prepared, &row)).await;
        if let Err(error) = &added
            && is_rolled_back(error)
        {
            self.discard([picture]).await;
        }
        added
    }

    /// Stores the picture of the instance in all its sizes, in place of the former one.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file that is no picture. Nothing is stored then.
    pub async fn set_instance_picture<B>(&self, actor: Actor, upload: B) -> Result<()>
    where
        B: AsRef<[u8]> + Send + 'static,
    {
        let stored = self.media().store_instance_picture(upload).await;
        let stored = stored.map_err(|error| upload_error("The picture", error))?;
        let files: Vec<String> = stored.iter().map(|version| version.file.clone()).collect();
        let versions: Vec<PictureVersion> = stored
            .into_iter()
            .map(|StoredPreview { file, size, blurhash }| PictureVersion { file, size, blurhash })
            .collect();
        let set = self.write(move |tx| instance_picture::set(tx, actor, &versions)).await;
        if let Err(error) = &set
            && is_rolled_back(error)
        {
            self.media().discard(files).await;
        }
        set
    }

    async fn store_picture<B>(
        &self,
        field: &'static str,
        upload: Option<B>,
        purpose: Purpose,
    ) -> Result<Option<Picture>>
    where
        B: AsRef<[u8]> + Send + 'static,
    {
        let Some(upload) = upload else { return Ok(None) };
        let stored = self.media().store_picture(upload, purpose).await;
        stored.map(Some).map_err(|error| upload_field_error(field, error))
    }

    async fn discard(&self, pictures: impl IntoIterator<Item = Picture>) {
        let files = pictures.into_iter().flat_map(Picture::into_files);
        self.media().discard(files.collect::<Vec<_>>()).await;
    }
}

/// Returns `true` if it is certain that nothing was written. Otherwise a row may refer to the
/// files, so they must stay. `siskin doctor` finds files that no row refers to.
pub(crate) const fn is_rolled_back(error: &Error) -> bool {
    !matches!(error, Error::Unavailable(_) | Error::Unreachable(_) | Error::Internal(_))
}

/// Returns the handler of [`DeleteFiles`].
#[must_use]
pub fn delete_files() -> impl JobHandler<Job = DeleteFiles> {
    Deleter
}

struct Deleter;

impl JobHandler for Deleter {
    type Job = DeleteFiles;

    async fn run(&self, app: &App, job: DeleteFiles) -> Result<Finish> {
        for file in &job.files {
            let deleted = app.media().delete(file).await;
            deleted.map_err(|error| Error::Unavailable(Box::new(error)))?;
        }
        nothing_to_store()
    }
}
