//! The access log: one line for each answered request, with a log target of its own.
//!
//! A line holds neither secrets nor personal data: no query and no header. The path is the pattern
//! of the route, with numeric ids filled in. File names and handles are left out, because they may
//! look like e-mail addresses.

use std::{net::IpAddr, time::Duration};

use actix_web::{HttpMessage as _, HttpRequest, http::Method};

use crate::{metrics::method_name, middleware::RequestId, table::RoutePattern};

/// Log target of the access log.
pub const TARGET: &str = "access";

/// Logged instead of a path if no route matches.
const NO_ROUTE: &str = "-";

/// Returns `true` if the access log is enabled.
pub(crate) fn is_on() -> bool {
    log::log_enabled!(target: TARGET, log::Level::Info)
}

/// A request that was answered, with the values of its log line.
pub(crate) struct AccessLogEntry<'a> {
    pub(crate) id: RequestId,
    pub(crate) method: &'a Method,
    pub(crate) status: u16,
    pub(crate) took: Duration,
}

impl AccessLogEntry<'_> {
    /// Writes the line. `request` is `None` if its handler panicked.
    pub(crate) fn log(&self, address: IpAddr, request: Option<&HttpRequest>) {
        log::info!(
            target: TARGET,
            "request={} address={address} method={} path={} status={} ms={}",
            self.id,
            method_name(self.method),
            request.map_or_else(|| NO_ROUTE.to_owned(), path),
            self.status,
            self.took.as_millis()
        );
    }
}

fn path(request: &HttpRequest) -> String {
    let pattern = request.extensions().get::<RoutePattern>().map(|pattern| pattern.0.clone());
    let Some(pattern) = pattern else { return NO_ROUTE.to_owned() };
    with_ids_filled_in(&pattern, |name| request.match_info().get(name))
}

/// Returns the pattern of a route with its numeric ids filled in.
fn with_ids_filled_in<'a>(pattern: &'a str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    let shown = |segment: &'a str| {
        let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        name.and_then(&value).filter(|value| is_number(value)).unwrap_or(segment)
    };
    pattern.split('/').map(shown).collect::<Vec<_>>().join("/")
}

/// Returns `true` if the text can be an id: ids have at most 19 digits.
fn is_number(text: &str) -> bool {
    (1..20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numeric_ids_are_filled_in() {
        let shown =
            |pattern, value| with_ids_filled_in(pattern, |name| (name == "id").then_some(value));
        assert_eq!(shown("/api/v1/statuses/{id}/pin", "42"), "/api/v1/statuses/42/pin");
        for other in ["me@example.com", "4e2", "", "12345678901234567890", "\u{0664}"] {
            assert_eq!(shown("/lists/{id}", other), "/lists/{id}", "{other}");
        }
        assert_eq!(shown("/@{handle}", "42"), "/@{handle}");
        assert_eq!(shown("/", "42"), "/");
    }
}
