//! The route table: collects all routes and groups them, so that each request is compared with few.
//!
//! actix tries one pattern after the other, and a pattern with a name in it is a regular
//! expression. Routes with the same area of the API, such as `/api/v1/statuses`, are therefore
//! grouped below that prefix, which is compared as plain text. A request is compared with the
//! patterns of its own area alone.

use std::{collections::BTreeMap, rc::Rc};

use actix_web::{
    Route, guard,
    web::{self, ServiceConfig},
};

/// Number of path segments that name an area of the API, and an area of the pages.
const API_AREA_SEGMENTS: usize = 3;
const PAGE_AREA_SEGMENTS: usize = 1;

/// Routes in the order in which they are tried.
#[derive(Default)]
pub(crate) struct Table {
    areas: BTreeMap<String, Vec<(String, Route)>>,
    /// Routes with paths that begin with a name: they are tried last.
    rest: Vec<(String, Route)>,
}

impl Table {
    /// Adds a route. Routes with the same path differ in their methods.
    pub(crate) fn route(&mut self, path: &str, route: Route) -> &mut Self {
        match area_prefix(path) {
            Some(area) => {
                let below = path[area.len()..].to_owned();
                self.areas.entry(area.to_owned()).or_default().push((below, route));
            }
            None => self.rest.push((path.to_owned(), route)),
        }
        self
    }

    /// Adds the routes of a module.
    pub(crate) fn configure(&mut self, part: impl FnOnce(&mut Self)) -> &mut Self {
        part(self);
        self
    }

    /// Registers all routes with actix. If `named`, requests carry their [`RoutePattern`].
    pub(crate) fn register(self, config: &mut ServiceConfig, named: bool) {
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

/// The pattern of the route that matched a request, such as `/api/v1/statuses/{id}`. It is stored
/// in the extensions of the request.
#[derive(Debug, Clone)]
pub(crate) struct RoutePattern(pub(crate) Rc<str>);

/// Adds a guard that stores the pattern of the route. A guard runs once a route's path and method
/// match, so metrics and the access log find the pattern there. Asking actix for it afterwards
/// would match all patterns again.
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

/// Returns the area prefix of a path. `None` if the path has a parameter, or nothing, in its place.
fn area_prefix(path: &str) -> Option<&str> {
    let segments = if path.starts_with("/api/") { API_AREA_SEGMENTS } else { PAGE_AREA_SEGMENTS };
    let end = path.match_indices('/').nth(segments).map_or(path.len(), |(at, _)| at);
    let area = &path[..end];
    (area != "/" && !area.contains('{')).then_some(area)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_is_whole_segments_without_a_name() {
        assert_eq!(area_prefix("/api/v1/statuses/{id}/pin"), Some("/api/v1/statuses"));
        assert_eq!(area_prefix("/api/v1/statuses"), Some("/api/v1/statuses"));
        assert_eq!(area_prefix("/api/oembed"), Some("/api/oembed"));
        assert_eq!(area_prefix("/settings/sessions/{id}/end"), Some("/settings"));
        assert_eq!(area_prefix("/tags/{name}"), Some("/tags"));
        assert_eq!(area_prefix("/@{handle}/{id}"), None);
        assert_eq!(area_prefix("/"), None);
    }
}
