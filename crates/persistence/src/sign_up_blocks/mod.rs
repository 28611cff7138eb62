//! Blocks that keep people from signing up: of email domains, of email addresses, and of networks.

pub mod canonical_emails;
pub mod email_domains;
pub mod ips;
