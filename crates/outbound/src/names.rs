//! From the name of a server to its addresses.

use std::{
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::{FetchError, is_global};

/// The addresses that a name has, or why they are not known.
pub type Looked = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks up names. What comes back is not trusted.
pub trait Names: Send + Sync + 'static {
    /// All addresses of a name.
    fn look_up(&self, name: &str) -> Looked;
}

/// The machine's own way.
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

/// Gives out addresses of the open internet alone, at the moment of connecting: a name that is
/// looked up again, and means something else by then, is judged again.
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
