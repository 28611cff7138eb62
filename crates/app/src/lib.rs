//! The running instance: store, clock, settings, event relay, workers.
