//! Parses answers of other servers away from the threads that serve requests.

use tokio::task::spawn_blocking;

use crate::FetchError;

/// Runs `parse` on a blocking thread and returns its result. Parsers limit their own work: a caller
/// that gives up waiting leaves a thread that ends soon.
///
/// # Errors
/// [`FetchError::Failed`] if the parser panics.
pub async fn apart<T: Send + 'static>(
    parse: impl FnOnce() -> T + Send + 'static,
) -> Result<T, FetchError> {
    spawn_blocking(parse).await.map_err(|error| FetchError::Failed(error.into()))
}
