//! Parsing of responses of remote servers on blocking threads.

use tokio::task::spawn_blocking;

use crate::FetchError;

/// Runs `parse` on a blocking thread and returns its result. Parsers limit their own work, so a
/// thread ends soon even if the caller stops waiting.
///
/// # Errors
/// Returns [`FetchError::Failed`] if the parser panics.
pub async fn parse_blocking<T: Send + 'static>(
    parse: impl FnOnce() -> T + Send + 'static,
) -> Result<T, FetchError> {
    spawn_blocking(parse).await.map_err(|error| FetchError::Failed(error.into()))
}
