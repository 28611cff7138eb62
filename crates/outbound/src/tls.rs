//! Cryptography provider of TLS: the same one in the whole process.

/// Selects `ring` for TLS, unless the process has already selected a provider. Must be called
/// before any client of `reqwest` is built; [`crate::HttpClient`] and [`crate::Mailer`] do so.
pub fn prepare() {
    // It fails if another thread was faster, which selected the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
