//! The middleware around every route: gives the request an id, normalises its path and method,
//! enforces limits, and adds the headers that all responses have.
//!
//! It knows paths by their prefixes only. What a route does is left to the route.

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
    web::Data,
};
use futures_util::FutureExt as _;
use siskin_services::Error as Domain;

use self::area::Area;
use crate::{
    Error, Metrics,
    access_log::{self, Answered},
    address,
    connections::{Connections, UnderWay, hand_out},
    limits::{self, Budget, Subject},
    pages, params, serving,
    table::RoutePattern,
    wording::Wording,
};

pub(crate) use area::is_interface;
pub(crate) use plain::wants_head_only;
pub(crate) use request_id::RequestId;

/// Facts about a request that are still needed when it is answered.
struct Seen {
    id: RequestId,
    area: Area,
    method: Method,
    path: String,
    since: Instant,
    secure: bool,
    /// `None` if requests are not counted.
    metrics: Option<Metrics>,
    /// Address that the request comes from. `None` if there is no access log.
    address: Option<IpAddr>,
}

/// Wraps every route; add it to an actix application by `actix_web::middleware::from_fn`.
///
/// # Errors
/// The response that replaces a panic, or a failure outside the routes.
pub async fn around<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    plain::canonicalise(&mut request);
    let seen = Seen::of(&request);
    plain::answer_head_like_get(&mut request);
    let wording = Wording::of(request.query_string(), request.headers());
    let under_way = match under_way(request.request()) {
        Ok(under_way) => under_way,
        Err(error) => {
            let refused = wording.now(|| seen.refuse(&error));
            return Ok(seen.finish(request.into_response(refused), None));
        }
    };
    if let Some(answer) = wording.now(|| early_answer(&request, &seen)) {
        return Ok(seen.finish(request.into_response(answer), under_way));
    }
    let answer =
        AssertUnwindSafe(seen.id.during(wording.during(next.call(request)))).catch_unwind().await;
    match answer {
        Ok(Ok(answer)) => Ok(seen.finish(answer.map_into_boxed_body(), under_way)),
        Ok(Err(error)) => Err(error),
        Err(panic) => Err(seen.instead_of(&*panic)),
    }
}

/// Returns the response to a request that no route has to see.
fn early_answer(request: &ServiceRequest, seen: &Seen) -> Option<HttpResponse> {
    if let Some(answer) = cors::preflight(request, seen.area) {
        return Some(answer);
    }
    if !seen.area.is_counted() {
        return None;
    }
    let subject = Subject::address(address::of(request.request()));
    let refused = limits::spend(request.request(), Budget::Everything, subject).err()?;
    Some(seen.refuse(&refused))
}

/// Counts a request as long as it is in progress.
///
/// # Errors
/// [`Domain::TooMany`] if a trusted proxy forwards it for an address with too many requests in
/// progress.
fn under_way(request: &HttpRequest) -> crate::Result<Option<UnderWay>> {
    let Some(connections) = request.app_data::<Data<Connections>>() else { return Ok(None) };
    let client = address::forwarded(request).map(Subject::network);
    let under_way = UnderWay::begin(connections, request, client);
    under_way.map(Some).ok_or_else(|| Domain::TooMany(limits::TOO_MANY.to_owned()).into())
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

    /// Returns the response to a request that is refused.
    fn refuse(&self, error: &Error) -> HttpResponse {
        if self.area == Area::Page { pages::refusal(error) } else { error.error_response() }
    }

    fn finish(
        &self,
        answer: ServiceResponse<BoxBody>,
        under_way: Option<UnderWay>,
    ) -> ServiceResponse<BoxBody> {
        let (request, mut response) = answer.into_parts();
        if let Some(under_way) = under_way {
            let handed_out = hand_out(under_way, response);
            response = handed_out.unwrap_or_else(|| params::Error::Busy.error_response());
        }
        limits::tell(&request, response.headers_mut());
        self.complete(&mut response);
        self.record(Some(&request), response.status().as_u16());
        ServiceResponse::new(request, response)
    }

    fn complete(&self, response: &mut HttpResponse<BoxBody>) {
        cors::allow(self.area, response.headers_mut());
        headers::add(self, response.headers_mut());
        self.log(response.status().as_u16());
    }

    /// Counts the request and writes its line in the access log, if the operator has enabled these.
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

    /// Writes the debug log line. It leaves out the query, which may hold a token or a code.
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
