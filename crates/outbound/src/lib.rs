//! Everything that leaves the machine: requests to other people's servers, what their pages say of
//! themselves, mail, and texts that are to be translated.
//!
//! The one way to another server is [`HttpClient`], which refuses addresses that are nobody's on
//! the open internet and keeps an answer within limits. Nothing here knows a rule of the house, a
//! row or a job; whoever calls holds no connection to the database meanwhile.

mod address;
mod charset;
mod error;
mod guard;
mod html;
mod http;
mod limits;
mod links;
mod mail;
mod names;
mod parsing;
mod preview;
mod tls;
pub mod translation;

pub use address::is_global;
pub use error::FetchError;
pub use http::{Answer, HttpClient, Request};
pub use limits::Limits;
pub use links::links_to_me;
pub use mail::{Mail, MailError, Mailer};
pub use names::{Looked, Names};
pub use parsing::apart;
pub use preview::{Preview, look_at};
pub use reqwest::{Method, StatusCode, header};
pub use tls::prepare as prepare_tls;
pub use url::Url;
