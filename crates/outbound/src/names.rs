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
pub type Looked = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Name resolver. Its results are not trusted.
pub trait Names: Send + Sync + 'static {
    /// Returns all addresses of a name.
    fn look_up(&self, name: &str) -> Looked;
}

/// Resolver of the operating system.
#[derive(Debug)]
pub(crate) struct System;

impl Names for System {
    fn look_up(&self, name: &str) -> Looked {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Returns only addresses of the public internet, at the time of the connection. So a name that
/// resolves to another address at a second lookup is checked again.
pub(crate) struct GlobalOnly(pub(crate) Arc<dyn Names>);

impl Resolve for GlobalOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let looked = self.0.look_up(name.as_str());
        Box::pin(async move {
            let mut found = looked.await?;
            found.retain(|address| is_global(*address));
            if found.is_empty() {
                return Err(FetchError::Private(name.as_str().to_owned()).into());
            }
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
