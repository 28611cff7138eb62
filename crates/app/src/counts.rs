//! Size of the instance, at most a minute old.

use std::time::Duration;

use siskin_entities::{InstanceCounts, Timestamp};
use siskin_services::{Result, about};
use tokio::sync::Mutex;

use crate::App;

/// Maximum age of cached counts.
const MAX_AGE: Duration = Duration::from_secs(60);

/// Cached counts with their time. The first caller that finds them stale recounts while the others
/// wait.
#[derive(Debug, Default)]
pub(crate) struct CachedCounts(Mutex<Option<(Timestamp, InstanceCounts)>>);

impl App {
    /// Returns the size of the instance. Recounts at most once a minute.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn counts(&self) -> Result<InstanceCounts> {
        let now = self.now();
        let mut last = self.inner.counts.0.lock().await;
        if let Some((at, counts)) = *last
            && now < at.after(MAX_AGE)
        {
            return Ok(counts);
        }
        let counts = self.read(move |conn| about::counts(conn, now)).await?;
        *last = Some((now, counts));
        Ok(counts)
    }
}
