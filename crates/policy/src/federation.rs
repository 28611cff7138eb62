//! With which servers this one speaks.

pub use siskin_entities::settings::FederationMode as Mode;
