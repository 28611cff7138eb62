//! The routes of the server, parsed from the sources that register them: actix cannot list them,
//! and a list written by hand would become outdated.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;
use reqwest::Method;

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/http/src/routes");
/// Matches `.route(PATH, web::METHOD()`, the only way to register routes there. PATH is a literal
/// or a constant of the same file.
const ROUTE: &str =
    r#"\.route\(\s*(?:"([^"]+)"|([A-Z_]+)),\s*web::(get|post|put|patch|delete)\(\)"#;
const CONSTANT: &str = r#"const ([A-Z_]+): &str =\s*"([^"]+)";"#;
/// Matches other ways to register a route, which this module would miss.
const UNSUPPORTED: &str =
    r"web::resource\(|web::scope\(|\.service\(|#\[(get|post|put|patch|delete|route)\(";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub method: Method,
    /// Path with its parameters in braces, such as `/api/v1/statuses/{id}`.
    pub path: String,
}

/// Returns all routes except static files of the binary (style sheet, pictures).
pub fn all() -> Vec<Route> {
    let mut routes = Vec::new();
    for file in sources() {
        let source = fs::read_to_string(&file).unwrap();
        routes.extend(routes_in(&source).unwrap_or_else(|why| panic!("{}: {why}", file.display())));
    }
    assert!(routes.len() > 10, "no routes in {SOURCES}");
    routes
}

/// Returns the GET routes with a finite response. Streams have none; the tests in `streaming` cover
/// them.
pub fn read() -> Vec<Route> {
    let is_stream =
        |path: &str| path.starts_with("/api/v1/streaming") && !path.ends_with("/health");
    let is_read = |route: &Route| route.method == Method::GET && !is_stream(&route.path);
    all().into_iter().filter(is_read).collect()
}

/// Returns the source files that register routes.
pub fn sources() -> Vec<PathBuf> {
    rust_files(Path::new(SOURCES))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let deeper = folders.iter().flat_map(|folder| rust_files(folder));
    deeper.chain(files).filter(|file| file.extension().is_some_and(|e| e == "rs")).collect()
}

fn routes_in(source: &str) -> Result<Vec<Route>, String> {
    if let Some(unsupported) = Regex::new(UNSUPPORTED).unwrap().find(source) {
        return Err(format!("the crawl misses the routes that {} registers", unsupported.as_str()));
    }
    let constants: HashMap<_, _> = Regex::new(CONSTANT)
        .unwrap()
        .captures_iter(source)
        .map(|found| (found[1].to_owned(), found[2].to_owned()))
        .collect();
    let mut routes = Vec::new();
    for found in Regex::new(ROUTE).unwrap().captures_iter(source) {
        let path = match (found.get(1), found.get(2)) {
            (Some(literal), _) => literal.as_str(),
            (None, name) => {
                let name = name.map_or("", |name| name.as_str());
                constants
                    .get(name)
                    .ok_or_else(|| format!("{name} is not a constant in that file"))?
            }
        };
        let method = found[3].to_uppercase().parse().unwrap();
        routes.push(Route { method, path: path.to_owned() });
    }
    if routes.len() != source.matches(".route(").count() {
        return Err("the crawl cannot parse the registration of a route".to_owned());
    }
    Ok(routes)
}

#[test]
fn every_route_registration_is_recognised_or_refused() {
    let registered = r#"
        const PAGE: &str = "/page";
        config.route("/a/{id}", web::get().to(show)).route(
            PAGE,
            web::post().to(create),
        );
    "#;
    let route = |method, path: &str| Route { method, path: path.to_owned() };
    assert_eq!(
        routes_in(registered),
        Ok(vec![route(Method::GET, "/a/{id}"), route(Method::POST, "/page")])
    );
    for unsupported in [
        r#"config.route(&format!("/a/{x}"), web::get().to(show));"#,
        r#"config.route("/a", web::method(method).to(show));"#,
        "config.route(ELSEWHERE, web::get().to(show));",
        r#"config.service(web::resource("/a").to(show));"#,
        r#"#[get("/a")]"#,
    ] {
        assert!(routes_in(unsupported).is_err(), "{unsupported}");
    }
}
