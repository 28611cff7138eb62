#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod address;
pub mod audience;
pub mod digest;
mod http_date;
pub mod json;
pub mod keys;
pub mod linked_data;
pub mod policies;
pub mod proof;
pub mod read;
pub mod request;
pub mod rules;
pub mod signature;
mod splice;
mod structured;
pub mod write;
