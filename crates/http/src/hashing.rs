//! Password hashing: runs on blocking threads, and few at a time. Each hash takes a processor and
//! 19 MiB for a while, so a burst of sign-ins queues up instead of exhausting the machine.

use std::{sync::OnceLock, thread};

use siskin_services::Error as Domain;
use tokio::{sync::Semaphore, task};

use crate::Result;

/// Runs `body`, which hashes a password, once there is a free place.
///
/// # Errors
/// What `body` returns; an internal error if it panics.
pub(crate) async fn run<T, E>(body: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<Domain> + Send + 'static,
{
    let _permit = permits().acquire().await.map_err(Domain::internal)?;
    task::spawn_blocking(body).await.map_err(Domain::internal)?
}

fn permits() -> &'static Semaphore {
    static PERMITS: OnceLock<Semaphore> = OnceLock::new();
    PERMITS.get_or_init(|| Semaphore::new(thread::available_parallelism().map_or(2, usize::from)))
}
