//! Limit on profile pictures in memory. They wait on disk for a free place, because each is in
//! memory while it is processed.

use std::sync::OnceLock;

use siskin_services::Error as Domain;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Maximum number of requests with pictures in memory at the same time.
const MAX_CONCURRENT: usize = 2;

/// Waits for a free place, which the caller holds until the permit is dropped.
///
/// # Errors
/// None in practice: the semaphore is never closed.
pub(crate) async fn acquire_permit() -> Result<SemaphorePermit<'static>, Domain> {
    static PERMITS: OnceLock<Semaphore> = OnceLock::new();
    PERMITS.get_or_init(|| Semaphore::new(MAX_CONCURRENT)).acquire().await.map_err(Domain::internal)
}
