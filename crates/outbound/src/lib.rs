//! All outgoing connections: requests to remote servers, link previews, push messages, email,
//! lookups of mail servers, and requests to translation services and to providers of external
//! logins.
//!
//! [`HttpClient`] is the only way to reach a remote server. It rejects addresses outside of the
//! public internet and limits responses. This crate knows no domain rules, rows or jobs. Callers
//! must not hold a database connection during a request.

mod address;
mod charset;
mod dns_pool;
mod error;
mod guard;
mod html;
mod http;
mod limits;
mod links;
mod mail;
mod mail_servers;
pub mod openid;
mod parsing;
mod preview;
pub mod push;
mod resolver;
mod tls;
pub mod translation;

pub use address::is_global;
pub use error::FetchError;
pub use http::{HttpClient, HttpResponse, Request};
pub use limits::Limits;
pub use links::links_to_me;
pub use mail::{Mail, MailError, Mailer};
pub use mail_servers::{DnsClient, DnsServers, LookupError, MailServer};
pub use parsing::parse_blocking;
pub use preview::{Preview, fetch_preview};
pub use reqwest::{Method, StatusCode, header};
pub use resolver::{LookupFuture, NameResolver};
pub use tls::prepare as prepare_tls;
pub use url::Url;
