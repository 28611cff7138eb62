//! `/settings/second-factor` and `/auth/second_factor`.

mod limits;
mod removal;
mod required;
mod settings;
mod sign_in;
