//! Moderation: what staff decide about accounts and statuses.

pub mod accounts;
pub mod act;
pub mod appeals;
pub mod bulk;
pub mod external_logins;
pub mod overview;
pub mod second_factors;
pub mod sign_ups;
pub mod statuses;
pub mod strikes;
