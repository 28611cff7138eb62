//! Networks without access, in memory, so that a request needs no statement to be checked.
//!
//! Each change of the blocks replaces the networks, and then ends what is open from them: streams,
//! and connections in the middle of a request. If this process changes the blocks, that happens
//! before it answers the request. If another process changes them, it happens when the event
//! arrives.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    net::IpAddr,
    sync::{Arc, PoisonError, RwLock},
};

use siskin_entities::{Network, Timestamp};
use siskin_persistence::Tx;
use siskin_services::{Result, sign_up_blocks::ips};
use tokio::sync::Mutex;

use crate::App;

/// Networks without access.
#[derive(Debug, Default)]
pub(crate) struct BlockedNetworks {
    /// The networks, with the times at which they get access again.
    networks: HashMap<Network, Option<Timestamp>>,
    /// The numbers of bits of the networks. There are few, so an address is looked up a few times.
    lengths_v4: BTreeSet<u8>,
    lengths_v6: BTreeSet<u8>,
}

impl FromIterator<(Network, Option<Timestamp>)> for BlockedNetworks {
    fn from_iter<I: IntoIterator<Item = (Network, Option<Timestamp>)>>(blocks: I) -> Self {
        let mut blocked = Self::default();
        for (network, until) in blocks {
            let is_v4 = network.address().is_ipv4();
            let lengths = if is_v4 { &mut blocked.lengths_v4 } else { &mut blocked.lengths_v6 };
            lengths.insert(network.bits());
            blocked.networks.insert(network, until);
        }
        blocked
    }
}

impl BlockedNetworks {
    fn contains(&self, address: IpAddr, now: Timestamp) -> bool {
        let address = address.to_canonical();
        let lengths = if address.is_ipv4() { &self.lengths_v4 } else { &self.lengths_v6 };
        lengths.iter().any(|bits| {
            let until = self.networks.get(&Network::of(address, *bits));
            until.is_some_and(|until| until.is_none_or(|until| now < until))
        })
    }
}

/// Ends what is open from the addresses that its argument names.
type Ender = Box<dyn Fn(&dyn Fn(IpAddr) -> bool) + Send + Sync>;

/// Cache of the networks without access.
pub(crate) struct CachedIpBlocks {
    now: RwLock<Arc<BlockedNetworks>>,
    /// Serialises reloads: a reload that began before a change must not overwrite a later one.
    reloading: Mutex<()>,
    /// What to call after each change.
    enders: RwLock<Vec<Ender>>,
}

impl fmt::Debug for CachedIpBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedIpBlocks").field("now", &self.now).finish_non_exhaustive()
    }
}

impl CachedIpBlocks {
    pub(crate) fn new(blocked: BlockedNetworks) -> Self {
        Self {
            now: RwLock::new(Arc::new(blocked)),
            reloading: Mutex::new(()),
            enders: RwLock::default(),
        }
    }

    fn now(&self) -> Arc<BlockedNetworks> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl App {
    /// Returns `true` if there is a block that refuses all requests of a network.
    #[must_use]
    pub fn blocks_networks(&self) -> bool {
        !self.inner.ip_blocks.now().networks.is_empty()
    }

    /// Returns `true` if an active block refuses all requests from this address.
    #[must_use]
    pub fn has_no_access(&self, address: IpAddr) -> bool {
        self.inner.ip_blocks.now().contains(address, self.now())
    }

    /// Calls `end` after each change of the IP blocks, so that it ends what is open from addresses
    /// without access. Its argument says whether an address has none.
    pub fn when_networks_are_blocked(
        &self,
        end: impl Fn(&dyn Fn(IpAddr) -> bool) + Send + Sync + 'static,
    ) {
        let mut enders =
            self.inner.ip_blocks.enders.write().unwrap_or_else(PoisonError::into_inner);
        enders.push(Box::new(end));
    }

    /// Changes the IP blocks. This process enforces the change when this returns, other processes
    /// within a second.
    ///
    /// # Errors
    /// What `change` returns, and as [`App::write`].
    pub async fn change_ip_blocks<T: Send + 'static>(
        &self,
        change: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let changed = self.write(change).await?;
        self.reload_ip_blocks().await?;
        Ok(changed)
    }

    /// Reloads the networks without access.
    pub(crate) async fn reload_ip_blocks(&self) -> Result<()> {
        let cache = &self.inner.ip_blocks;
        let _turn = cache.reloading.lock().await;
        let blocked = self.read(ips::without_access).await?.into_iter().collect();
        *cache.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(blocked);
        self.end_blocked();
        Ok(())
    }

    /// Ends what is open from networks without access. A stream or a request that begins meanwhile
    /// finds the new networks.
    fn end_blocked(&self) {
        let (blocked, now) = (self.inner.ip_blocks.now(), self.now());
        if blocked.networks.is_empty() {
            return;
        }
        let is_blocked = |address| blocked.contains(address, now);
        self.inner.streams.hub.end_blocked(is_blocked);
        let enders = self.inner.ip_blocks.enders.read().unwrap_or_else(PoisonError::into_inner);
        enders.iter().for_each(|end| end(&is_blocked));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_ms(seconds * 1000)
    }

    #[test]
    fn addresses_of_blocked_networks_have_no_access() {
        let block = |text: &str, until| (text.parse().unwrap(), until);
        let blocked: BlockedNetworks = [
            block("192.0.2.0/24", None),
            block("198.51.100.7", None),
            block("2001:db8::/32", None),
            block("203.0.113.0/24", Some(at(5))),
        ]
        .into_iter()
        .collect();
        let contains = |address: &str, now| blocked.contains(address.parse().unwrap(), at(now));
        for address in ["192.0.2.9", "::ffff:192.0.2.9", "198.51.100.7", "2001:db8:1::2"] {
            assert!(contains(address, 9), "{address}");
        }
        for address in ["192.0.3.9", "198.51.100.8", "2001:db9::1", "127.0.0.1", "::1"] {
            assert!(!contains(address, 9), "{address}");
        }
        assert!(contains("203.0.113.9", 4) && !contains("203.0.113.9", 5));
        assert!(!BlockedNetworks::default().contains("::1".parse().unwrap(), at(0)));
    }

    #[test]
    fn a_network_of_all_addresses_excludes_the_other_kind() {
        let all: BlockedNetworks = [("0.0.0.0/0".parse().unwrap(), None)].into_iter().collect();
        assert!(all.contains("192.0.2.9".parse().unwrap(), at(0)));
        assert!(!all.contains("2001:db8::1".parse().unwrap(), at(0)));
    }
}
