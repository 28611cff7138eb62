//! What happens around every route: the request gets an id, its path and method are made plain,
//! limits are kept, and the answer gets the headers that all answers have.
//!
//! Knows paths by their beginnings only; what a route does is the route's business.

mod area;
mod cors;
mod headers;
mod plain;
mod request_id;

use std::{net::IpAddr, panic::AssertUnwindSafe, time::Instant};

use actix_web::{
    Error as ActixError, HttpMessage as _, HttpRequest, HttpResponse, ResponseError as _,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::Method,
    middleware::Next,
};
use futures_util::FutureExt as _;
use siskin_services::Error as Domain;

use self::area::Area;
use crate::{
    Error, Metrics,
    access_log::{self, Answered},
    address,
    limits::{self, Budget, Subject},
    pages, serving,
    table::RoutePattern,
    wording::Wording,
};

pub(crate) use plain::wants_head_only;
pub(crate) use request_id::RequestId;

/// What is known of a request when it is over.
struct Seen {
    id: RequestId,
    area: Area,
    method: Method,
    path: String,
    since: Instant,
    secure: bool,
    /// `None` if requests are not counted.
    metrics: Option<Metrics>,
    /// Where the request comes from; `None` if there is no access log.
    address: Option<IpAddr>,
}

/// Goes around every route; wrap an actix application in it by `actix_web::middleware::from_fn`.
///
/// # Errors
/// An answer that took the place of a panic, or of a failure outside the routes.
pub async fn around<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    plain::trim_slash(&mut request);
    let seen = Seen::of(&request);
    plain::answer_head_like_get(&mut request);
    let wording = Wording::of(request.query_string(), request.headers());
    if let Some(answer) = wording.now(|| early_answer(&request, &seen)) {
        return Ok(seen.finish(request.into_response(answer)));
    }
    let answer =
        AssertUnwindSafe(seen.id.during(wording.during(next.call(request)))).catch_unwind().await;
    match answer {
        Ok(Ok(answer)) => Ok(seen.finish(answer.map_into_boxed_body())),
        Ok(Err(error)) => Err(error),
        Err(panic) => Err(seen.instead_of(&*panic)),
    }
}

/// The answer to what no route has to see.
fn early_answer(request: &ServiceRequest, seen: &Seen) -> Option<HttpResponse> {
    if let Some(answer) = cors::preflight(request, seen.area) {
        return Some(answer);
    }
    if !seen.area.is_counted() {
        return None;
    }
    let subject = Subject::address(address::of(request.request()));
    let refused = limits::spend(request.request(), Budget::Everything, subject).err()?;
    Some(if seen.area == Area::Page { pages::refusal(&refused) } else { refused.error_response() })
}

impl Seen {
    fn of(request: &ServiceRequest) -> Self {
        Self {
            id: RequestId::new(),
            area: Area::of(request.path()),
            method: request.method().clone(),
            path: request.path().to_owned(),
            since: Instant::now(),
            secure: serving::is_secure(request.request()),
            metrics: request.app_data::<Metrics>().cloned(),
            address: access_log::is_on().then(|| address::of(request.request())),
        }
    }

    fn finish(&self, mut answer: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
        let (request, response) = (answer.request().clone(), answer.response_mut());
        limits::tell(&request, response.headers_mut());
        self.complete(response);
        self.record(Some(&request), response.status().as_u16());
        answer
    }

    fn complete(&self, response: &mut HttpResponse<BoxBody>) {
        cors::allow(self.area, response.headers_mut());
        headers::add(self, response.headers_mut());
        self.log(response.status().as_u16());
    }

    /// Counts the request and writes its line of the access log, if these are switched on.
    /// `request` is `None` if its handler panicked.
    fn record(&self, request: Option<&HttpRequest>, status: u16) {
        let took = self.since.elapsed();
        if let Some(metrics) = &self.metrics {
            let extensions = request.map(HttpRequest::extensions);
            let pattern = extensions.as_ref().and_then(|held| held.get::<RoutePattern>());
            metrics.note(&self.method, pattern.map(|pattern| &*pattern.0), status, took);
        }
        if let Some(address) = self.address {
            let answered = Answered { id: self.id, method: &self.method, status, took };
            answered.log(address, request);
        }
    }

    /// The query is left out: it may hold a token or a code.
    fn log(&self, status: u16) {
        log::debug!(
            "request={} method={} path={:?} status={status} ms={}",
            self.id,
            self.method,
            self.path,
            self.since.elapsed().as_millis()
        );
    }

    fn instead_of(&self, panic: &(dyn std::any::Any + Send)) -> ActixError {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        let error = Error::from(Domain::internal(format!("a handler panicked: {message}")));
        let mut answer = self.id.now(|| error.error_response());
        self.complete(&mut answer);
        self.record(None, answer.status().as_u16());
        InternalError::from_response("a handler panicked", answer).into()
    }
}

#[cfg(test)]
mod tests;
