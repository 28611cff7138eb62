//! The cryptography behind TLS: one provider for all of the process.

/// Has TLS use `ring`, unless the process has chosen already. To be called before a client of
/// `reqwest` is built anywhere in the process; [`crate::HttpClient`] and [`crate::Mailer`] do.
pub fn prepare() {
    // It fails where another thread was quicker, which chose the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
