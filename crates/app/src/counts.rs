//! How large the instance is, as it was at most a minute ago.

use std::time::Duration;

use siskin_entities::{InstanceCounts, Timestamp};
use siskin_services::{Result, about};
use tokio::sync::Mutex;

use crate::App;

/// How long a count is good enough.
const KEPT: Duration = Duration::from_secs(60);

/// The last count with its time. Whoever finds it old counts anew while the others wait.
#[derive(Debug, Default)]
pub(crate) struct CachedCounts(Mutex<Option<(Timestamp, InstanceCounts)>>);

impl App {
    /// How large the instance is, counted anew once a minute at most.
    ///
    /// # Errors
    /// Whatever the database meets.
    pub async fn counts(&self) -> Result<InstanceCounts> {
        let now = self.now();
        let mut last = self.inner.counts.0.lock().await;
        if let Some((at, counts)) = *last
            && now < at.after(KEPT)
        {
            return Ok(counts);
        }
        let counts = self.read(move |conn| about::counts(conn, now)).await?;
        *last = Some((now, counts));
        Ok(counts)
    }
}
