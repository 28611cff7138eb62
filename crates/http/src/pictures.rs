//! Pictures of profiles lie on disk until it is their turn, because each is in memory while it is worked
//! on.

use std::sync::OnceLock;

use siskin_services::Error as Domain;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Requests whose pictures are in memory at the same time.
const AT_ONCE: usize = 2;

/// Waits for a turn, which lasts until it is dropped.
///
/// # Errors
/// None that occurs: the semaphore is never closed.
pub(crate) async fn turn() -> Result<SemaphorePermit<'static>, Domain> {
    static TURNS: OnceLock<Semaphore> = OnceLock::new();
    TURNS.get_or_init(|| Semaphore::new(AT_ONCE)).acquire().await.map_err(Domain::internal)
}
