//! The middleware around every route: gives the request an id, normalises its path and method,
//! enforces limits, and adds the headers that all responses have.
//!
//! It knows paths by their prefixes only. What a route does is left to the route.

mod area;
mod cors;
mod headers;
mod normalise;
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
use siskin_app::App;
use siskin_services::Error as Domain;

use self::area::Area;
use crate::{
    Error, Metrics,
    access_log::{self, AccessLogEntry},
    address,
    connections::{Connections, RequestInProgress, track_response},
    limits::{self, Budget, Subject},
    pages::{self, WayBack},
    params, serving,
    table::RoutePattern,
    wording::Wording,
};

pub(crate) use area::is_interface;
pub(crate) use normalise::is_head_request;
pub(crate) use request_id::RequestId;

const NO_ACCESS: &str = "Your network has no access to this server";
const HEALTH: &str = "/health";

/// Facts about a request that are still needed when it is answered.
struct RequestFacts {
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
pub async fn apply_middleware<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    normalise::canonicalise(&mut request);
    let facts = RequestFacts::of(&request);
    normalise::route_head_as_get(&mut request);
    let wording = Wording::of(request.query_string(), request.headers());
    let in_progress = match in_progress(request.request()) {
        Ok(in_progress) => in_progress,
        Err(error) => {
            let refused = wording.now(|| facts.refuse(&error));
            return Ok(facts.finish(request.into_response(refused), None));
        }
    };
    if let Some(response) = wording.now(|| early_response(&request, &facts)) {
        return Ok(facts.finish(request.into_response(response), in_progress));
    }
    let handled = WayBack::during(next.call(request));
    let response = AssertUnwindSafe(facts.id.during(wording.during(handled))).catch_unwind().await;
    match response {
        Ok(Ok(response)) => Ok(facts.finish(response.map_into_boxed_body(), in_progress)),
        Ok(Err(error)) => Err(error),
        Err(panic) => Err(facts.response_to_panic(&*panic)),
    }
}

/// Returns the response to a request that no route has to see.
fn early_response(request: &ServiceRequest, facts: &RequestFacts) -> Option<HttpResponse> {
    if has_no_access(request.request()) {
        return Some(facts.refuse(&Domain::forbidden(NO_ACCESS).into()));
    }
    if let Some(response) = cors::preflight(request, facts.area) {
        return Some(response);
    }
    if !facts.area.is_counted() {
        return None;
    }
    let subject = Subject::address(address::of(request.request()));
    let refused = limits::spend(request.request(), Budget::Everything, subject).err()?;
    Some(facts.refuse(&refused))
}

/// Returns `true` if an IP block refuses the request. Health checks are always answered.
fn has_no_access(request: &HttpRequest) -> bool {
    let Some(app) = request.app_data::<Data<App>>() else { return false };
    if !app.blocks_networks() || request.path() == HEALTH {
        return false;
    }
    let client = address::of(request);
    app.has_no_access(client) && !address::is_exempt(request, client)
}

/// Counts a request as long as it is in progress.
///
/// # Errors
/// [`Domain::TooMany`] if a trusted proxy forwards it for an address with too many requests in
/// progress.
fn in_progress(request: &HttpRequest) -> crate::Result<Option<RequestInProgress>> {
    let Some(connections) = request.app_data::<Data<Connections>>() else { return Ok(None) };
    let client = address::forwarded(request).map(Subject::network);
    let in_progress = RequestInProgress::begin(connections, request, client)
        .ok_or_else(|| Domain::TooMany(limits::TOO_MANY.to_owned()))?;
    // Before the blocks are checked. So a block either refuses the request or ends it.
    in_progress.serve(address::unless_exempt(request));
    Ok(Some(in_progress))
}

impl RequestFacts {
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
        if self.area == Area::Page { pages::render_error(error) } else { error.error_response() }
    }

    fn finish(
        &self,
        response: ServiceResponse<BoxBody>,
        in_progress: Option<RequestInProgress>,
    ) -> ServiceResponse<BoxBody> {
        let (request, mut response) = response.into_parts();
        if let Some(in_progress) = in_progress {
            let tracked = track_response(in_progress, response);
            response = tracked.unwrap_or_else(|| params::Error::Busy.error_response());
        }
        limits::write_headers(&request, response.headers_mut());
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
            let pattern =
                extensions.as_ref().and_then(|extensions| extensions.get::<RoutePattern>());
            metrics.record_request(&self.method, pattern.map(|pattern| &*pattern.0), status, took);
        }
        if let Some(address) = self.address {
            let entry = AccessLogEntry { id: self.id, method: &self.method, status, took };
            entry.log(address, request);
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

    fn response_to_panic(&self, panic: &(dyn std::any::Any + Send)) -> ActixError {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        let error = Error::from(Domain::internal(format!("a handler panicked: {message}")));
        let mut response = self.id.now(|| error.error_response());
        self.complete(&mut response);
        self.record(None, response.status().as_u16());
        InternalError::from_response("a handler panicked", response).into()
    }
}

#[cfg(test)]
mod tests;
