//! Domain blocks: the cached list for others, changes by staff, and the job that finds the known
//! domains of a block.

use std::{sync::Arc, time::Duration};

use siskin_entities::{Actor, DomainBlockImport, ShownDomainBlock};
use siskin_persistence::Tx;
use siskin_services::{
    Result,
    instance_domains::{self, IMPORTED_AT_ONCE, LimitKnownDomains, ParsedLine},
};

use crate::{App, Finish, JobHandler, cached::Cached};

/// Maximum age of the cached list, for changes by another process. There may be thousands of
/// blocks, and anonymous visitors may request them.
const MAX_AGE: Duration = Duration::from_secs(4);

/// Cached list of domain blocks as others see them.
pub(crate) type CachedDomainBlocks = Cached<Arc<Vec<ShownDomainBlock>>>;

impl App {
    /// Returns the domain blocks as others see them, in the order of display. The settings say who
    /// sees them, and who sees their comments.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn shown_domain_blocks(&self) -> Result<Arc<Vec<ShownDomainBlock>>> {
        let load = async { Ok(Arc::new(self.read(instance_domains::shown).await?)) };
        self.inner.domain_blocks.get(self.now(), MAX_AGE, load).await
    }

    /// Changes the domain blocks. This process shows the change when this returns, other processes
    /// some seconds later.
    ///
    /// # Errors
    /// What `change` returns, and as [`App::write`].
    pub async fn change_domain_blocks<T: Send + 'static>(
        &self,
        change: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let changed = self.write(change).await?;
        self.inner.domain_blocks.clear().await;
        Ok(changed)
    }

    /// Imports a list of domain blocks, in several transactions. If one fails, the lines before it
    /// stay imported. Importing the list again then imports the rest.
    ///
    /// # Errors
    /// As [`instance_domains::apply`].
    pub async fn import_domain_blocks(
        &self,
        actor: Actor,
        parsed: Vec<ParsedLine>,
    ) -> Result<DomainBlockImport> {
        let mut lines = Vec::with_capacity(parsed.len());
        for some in parsed.chunks(IMPORTED_AT_ONCE) {
            let some = some.to_vec();
            let change = move |tx: &mut Tx<'_>| instance_domains::apply(tx, actor, &some);
            lines.extend(self.change_domain_blocks(change).await?);
        }
        let only_here = self.read(move |conn| instance_domains::only_here(conn, &parsed)).await?;
        Ok(DomainBlockImport { is_dry_run: false, lines, only_here })
    }
}

/// Runs [`LimitKnownDomains`]. Looks for the domains in a read, so that the writer lane is held
/// only for the result.
#[derive(Debug, Clone, Copy)]
pub struct DomainFinder;

impl JobHandler for DomainFinder {
    type Job = LimitKnownDomains;

    async fn run(&self, app: &App, job: LimitKnownDomains) -> Result<Finish> {
        let walk = app.read(move |conn| instance_domains::walk(conn, &job)).await?;
        Ok(Box::new(move |tx| instance_domains::limit_found(tx, &walk)))
    }
}
