//! The running instance: store, clock, settings and background tasks.
//!
//! HTTP and the command line call the use cases through [`App::read`] and [`App::write`]. Each call
//! runs its closure on a blocking thread. This crate contains no SQL, JSON or HTTP.

mod activity;
mod app;
mod archives;
mod attachments;
mod background;
mod bus;
mod cached;
mod callers;
mod cards;
mod clock;
mod counts;
mod domain_blocks;
mod emails;
mod exports;
mod external_login;
mod federation;
mod feeds;
mod filters;
mod instance_data;
mod ip_blocks;
mod jobs;
mod keys;
mod lanes;
mod links;
mod mail_servers;
mod measures;
mod media;
mod outbound;
mod push;
mod readers;
mod relay;
mod scheduled;
mod settings;
mod shared_bus;
mod streams;
mod translation;
mod trends;
mod unconfirmed;
mod upkeep;
mod usage;
mod workers;

pub use app::App;
pub use archives::ArchiveWriter;
pub use attachments::{PictureProcessor, Upload, VideoProcessor};
pub use bus::Subscription;
pub use cards::PageFetcher;
pub use domain_blocks::DomainFinder;
pub use emails::EmailSender;
pub use exports::ExportWriter;
pub use external_login::Departure;
pub use feeds::{FeedBuilder, FeedMaintainer};
pub use instance_data::ActivityCounter;
pub use jobs::{Finish, Handlers, JobHandler, in_transaction, nothing_to_store};
pub use keys::KeyMaker;
pub use lanes::Lane;
pub use links::LinkVerifier;
pub use mail_servers::MailServerLookups;
pub use media::{Uploads, delete_files};
pub use outbound::Outbound;
pub use push::PushDeliverer;
pub use scheduled::ScheduledPublisher;
pub use streams::SubscribeError;
pub use trends::TrendCounter;
pub use unconfirmed::UnconfirmedRemover;
pub use usage::{JobRuns, Outcome, Usage};

pub use siskin_persistence::{CacheUsage, events::Event};
