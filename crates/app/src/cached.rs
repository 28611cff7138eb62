//! A cached value of limited age.

use std::{future::Future, time::Duration};

use siskin_entities::Timestamp;
use siskin_services::Result;
use tokio::sync::Mutex;

/// Cached value with its time. The first caller that finds it stale loads it again, while the
/// others wait.
#[derive(Debug)]
pub(crate) struct Cached<T>(Mutex<Option<(Timestamp, T)>>);

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Cached<T> {
    /// Returns the value if it is younger than `max_age` at `now`, otherwise loads it.
    ///
    /// # Errors
    /// Those of `load`.
    pub(crate) async fn get(
        &self,
        now: Timestamp,
        max_age: Duration,
        load: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let mut last = self.0.lock().await;
        if let Some((at, value)) = &*last
            && now < at.after(max_age)
        {
            return Ok(value.clone());
        }
        let value = load.await?;
        *last = Some((now, value.clone()));
        Ok(value)
    }

    /// Removes the value. Waits for a load that has begun, which may miss the latest change.
    pub(crate) async fn clear(&self) {
        *self.0.lock().await = None;
    }
}
