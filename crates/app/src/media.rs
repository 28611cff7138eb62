//! Uploads: files are kept before the rows that name them are written, and go when nothing names
//! them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use siskin_entities::{Account, Picture};
use siskin_ids::AccountId;
use siskin_media::{Media, Purpose};
use siskin_services::{
    Error, Result,
    accounts::profile::{self, Pictures, Prepared},
    media::{DeleteFiles, field_not_kept},
};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::{App, Finish, JobHandler, nothing_to_store};

/// Pictures as they were sent for a profile; None leaves what is there.
#[derive(Debug, Clone)]
pub struct Uploads<B> {
    pub avatar: Option<B>,
    pub header: Option<B>,
}

/// Uploads that are examined or converted during their requests: one of each account at a time.
#[derive(Default)]
pub(crate) struct UploadTurns {
    by_account: Mutex<HashMap<AccountId, Arc<AsyncMutex<()>>>>,
}

impl UploadTurns {
    /// Waits until no other upload of this account is worked on.
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
    /// Where uploads lie.
    #[must_use]
    pub fn media(&self) -> &Media {
        &self.inner.media
    }

    /// Keeps new pictures of a profile and writes them to it together with what else changes.
    ///
    /// # Errors
    /// [`Error::InvalidFields`] for what is no picture, and those of [`profile::apply`]; nothing is kept
    /// and nothing changes then.
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
        let avatar = self.keep("avatar", uploads.avatar, Purpose::AVATAR).await?;
        let header = match self.keep("header", uploads.header, Purpose::HEADER).await {
            Ok(header) => header,
            Err(error) => {
                self.discard(avatar).await;
                return Err(error);
            }
        };
        drop(turn);
        let kept = Pictures { avatar, header };
        let (instance, pictures) = (self.instance().clone(), kept.clone());
        let written =
            self.write(move |tx| profile::apply(tx, &instance, account, &changes, &pictures)).await;
        if let Err(error) = &written
            && is_settled(error)
        {
            self.discard(kept.avatar.into_iter().chain(kept.header)).await;
        }
        written
    }

    async fn keep<B>(
        &self,
        field: &'static str,
        upload: Option<B>,
        purpose: Purpose,
    ) -> Result<Option<Picture>>
    where
        B: AsRef<[u8]> + Send + 'static,
    {
        let Some(upload) = upload else { return Ok(None) };
        let kept = self.media().keep(upload, purpose).await;
        kept.map(Some).map_err(|error| field_not_kept(field, error))
    }

    async fn discard(&self, pictures: impl IntoIterator<Item = Picture>) {
        let files = pictures.into_iter().flat_map(Picture::into_files);
        self.media().discard(files.collect::<Vec<_>>()).await;
    }
}

/// Whether it is certain that nothing was written. Where it is not, a row may name the files, and
/// `siskin doctor` finds those that none does.
pub(crate) const fn is_settled(error: &Error) -> bool {
    !matches!(error, Error::Unavailable(_) | Error::Unreachable(_) | Error::Internal(_))
}

/// What runs [`DeleteFiles`].
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
