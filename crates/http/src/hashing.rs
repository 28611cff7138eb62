//! Passwords are hashed on blocking threads, and few at a time: each costs a processor and 19 MiB
//! for a while, so a crowd at the door waits its turn instead of using up the machine.

use std::{sync::OnceLock, thread};

use siskin_services::Error as Domain;
use tokio::{sync::Semaphore, task};

use crate::Result;

/// Runs `body`, which hashes a password, when its turn has come.
///
/// # Errors
/// What `body` returns; an internal error where it panics.
pub(crate) async fn run<T, E>(body: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<Domain> + Send + 'static,
{
    let _turn = turns().acquire().await.map_err(Domain::internal)?;
    task::spawn_blocking(body).await.map_err(Domain::internal)?
}

fn turns() -> &'static Semaphore {
    static TURNS: OnceLock<Semaphore> = OnceLock::new();
    TURNS.get_or_init(|| Semaphore::new(thread::available_parallelism().map_or(2, usize::from)))
}
