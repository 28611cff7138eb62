//! Collects all routes and lays them out so that few are looked at for each request.
//!
//! actix tries one pattern after the other, and a pattern with a name in it is a regular expression.
//! So routes that begin with the same area of the interface, `/api/v1/statuses` say, are put below that
//! beginning, which is compared as it is: a request meets the patterns of its own area alone.

use std::{collections::BTreeMap, rc::Rc};

use actix_web::{
    Route, guard,
    web::{self, ServiceConfig},
};

/// How many segments name an area of the interface, and how many one of the pages.
const OF_INTERFACE: usize = 3;
const OF_PAGES: usize = 1;

/// Routes in the order in which they are tried.
#[derive(Default)]
pub(crate) struct Table {
    areas: BTreeMap<String, Vec<(String, Route)>>,
    /// Those whose paths begin with a name: they are tried last.
    rest: Vec<(String, Route)>,
}

impl Table {
    /// Adds a route; those of one path are told apart by their methods.
    pub(crate) fn route(&mut self, path: &str, route: Route) -> &mut Self {
        match beginning(path) {
            Some(area) => {
                let below = path[area.len()..].to_owned();
                self.areas.entry(area.to_owned()).or_default().push((below, route));
            }
            None => self.rest.push((path.to_owned(), route)),
        }
        self
    }

    /// Adds the routes of a part.
    pub(crate) fn configure(&mut self, part: impl FnOnce(&mut Self)) -> &mut Self {
        part(self);
        self
    }

    /// Hands all of them to actix. If `named`, requests carry their [`RoutePattern`].
    pub(crate) fn lay_out(self, config: &mut ServiceConfig, named: bool) {
        for (area, routes) in self.areas {
            let below = |scope: actix_web::Scope, (path, route): (String, Route)| {
                scope.route(&path, name_if(named, &format!("{area}{path}"), route))
            };
            config.service(routes.into_iter().fold(web::scope(&area), below));
        }
        for (path, route) in self.rest {
            config.route(&path, name_if(named, &path, route));
        }
    }
}

/// The pattern of the route that answers a request, such as `/api/v1/statuses/{id}`. It is among the
/// extensions of the request.
#[derive(Debug, Clone)]
pub(crate) struct RoutePattern(pub(crate) Rc<str>);

/// A guard runs once a route's path and method match: it leaves the pattern for whoever counts or
/// logs the answer. Asking actix for it afterwards would match all patterns again.
fn name_if(named: bool, pattern: &str, route: Route) -> Route {
    if !named {
        return route;
    }
    let pattern: Rc<str> = Rc::from(pattern);
    route.guard(guard::fn_guard(move |context| {
        context.req_data_mut().insert(RoutePattern(Rc::clone(&pattern)));
        true
    }))
}

/// What names the area of a path; None where its place is taken by a name or by nothing.
fn beginning(path: &str) -> Option<&str> {
    let segments = if path.starts_with("/api/") { OF_INTERFACE } else { OF_PAGES };
    let end = path.match_indices('/').nth(segments).map_or(path.len(), |(at, _)| at);
    let area = &path[..end];
    (area != "/" && !area.contains('{')).then_some(area)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_is_whole_segments_without_a_name() {
        assert_eq!(beginning("/api/v1/statuses/{id}/pin"), Some("/api/v1/statuses"));
        assert_eq!(beginning("/api/v1/statuses"), Some("/api/v1/statuses"));
        assert_eq!(beginning("/api/oembed"), Some("/api/oembed"));
        assert_eq!(beginning("/settings/sessions/{id}/end"), Some("/settings"));
        assert_eq!(beginning("/tags/{name}"), Some("/tags"));
        assert_eq!(beginning("/@{handle}/{id}"), None);
        assert_eq!(beginning("/"), None);
    }
}
