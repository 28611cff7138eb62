//! Moderation: what staff decide about accounts and statuses.
