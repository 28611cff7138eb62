//! Resolution of server names.

use std::{
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::{FetchError, is_global};

/// Future result of a name lookup: the addresses of the name, or an error.
pub type LookupFuture = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Name resolver. Its results are not trusted.
pub trait NameResolver: Send + Sync + 'static {
    /// Returns all addresses of a name.
    fn look_up(&self, name: &str) -> LookupFuture;
}

/// Resolver of the operating system.
#[derive(Debug)]
pub(crate) struct System;

impl NameResolver for System {
    fn look_up(&self, name: &str) -> LookupFuture {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Returns only addresses of the public internet, at the time of the connection. So a name that
/// resolves to another address at a second lookup is checked again.
pub(crate) struct GlobalOnly(pub(crate) Arc<dyn NameResolver>);

impl Resolve for GlobalOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = self.0.look_up(name.as_str());
        Box::pin(async move {
            let mut found = lookup.await?;
            found.retain(|address| is_global(*address));
            if found.is_empty() {
                return Err(FetchError::Private(name.as_str().to_owned()).into());
            }
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
