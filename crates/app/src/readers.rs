//! Threads that read the database.

use siskin_services::{Error, Result};
use tokio::runtime::{Builder, Runtime};

/// As many threads as the store has connections for readers. Under load, a thread that has finished
/// a read takes the next one without going to sleep, and no thread waits for a connection. Both
/// would take a large part of the time of a short read.
pub(crate) struct Readers {
    /// Only its blocking threads are used. `None` only while it is dropped.
    runtime: Option<Runtime>,
}

impl Readers {
    /// Starts no thread yet: they start when they are needed, and end when they are idle.
    ///
    /// # Errors
    /// [`Error::Internal`] if the system has no file handles left.
    pub(crate) fn new(connections: u32) -> Result<Self> {
        let threads = usize::try_from(connections).unwrap_or(1).max(1);
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(threads)
            .thread_name("reader")
            .build()
            .map_err(Error::internal)?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Runs `work` on one of the threads. A panic there fails this request only.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Some(runtime) = &self.runtime else {
            return Err(Error::internal("the readers have stopped"));
        };
        runtime.spawn_blocking(work).await.map_err(Error::internal)?
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        // The last owner may be asynchronous code, which must not wait for the threads.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
