//! What staff do against accounts and statuses: `/api/v1/admin/accounts/{id}/action` and its ends,
//! `/api/v1/admin/statuses/{id}/action`, strikes, and appeals.

mod actions;
mod appeals;
mod at_once;
mod deletion;
mod mails;
mod races;
mod saved;
mod sensitive;
mod statuses;
mod suspension;
mod undoing;
mod warnings;
