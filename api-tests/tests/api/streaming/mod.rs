//! `/api/v1/streaming`.

mod access;
mod blocked_networks;
mod direct;
mod events;
mod home;
mod notifications;
mod public;
mod resume;
mod sockets;
