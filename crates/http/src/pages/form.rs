//! Extractor of the parameters of a page.

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;

use super::PageError;
use crate::params::Form;

/// A route's own struct, like [`Form`]. Decoding errors are shown on a page, after the extractor of
/// the person has admitted that one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageForm<T>(pub(crate) T);

impl<T: DeserializeOwned + 'static> FromRequest for PageForm<T> {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let form = Form::from_request(request, payload);
        Box::pin(async move {
            let Form(params) = form.await.map_err(|error| PageError::unreadable(&error))?;
            Ok(Self(params))
        })
    }
}
