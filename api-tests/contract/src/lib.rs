//! For tests only: the machine-readable description of the REST interface (`contract.json`), and
//! the check that a response matches it. The description is an OpenAPI document; keys that begin
//! with `x-` hold further facts. The first tag of an operation is its area.

mod operation;
mod schemas;

use std::{fs, path::Path, sync::LazyLock};

use serde_json::{Map, Value};

use operation::PathTemplate;
use schemas::Schemas;

pub use operation::Operation;

/// Relative to the folder of this crate.
const FILE: &str = "contract.json";

/// Faults of fields that the contract does not contain. Mastodon sends them, and staff need the id to
/// approve a link.
const IN_ADDITION: &[&str] = &[
    "GET /api/v1/admin/trends/links[].id: not in the schema",
    "GET /api/v1/admin/trends/links[].requires_review: not in the schema",
];

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::read);

/// The operations and entities of the REST interface.
#[derive(Debug)]
pub struct Contract {
    document: Value,
    /// Templates with fewer parameters come first.
    paths: Vec<PathTemplate>,
}

impl Contract {
    /// Returns the contract, which is read once per process.
    ///
    /// # Panics
    /// If the file is missing or is not JSON.
    #[must_use]
    pub fn get() -> &'static Self {
        &CONTRACT
    }

    #[expect(clippy::unwrap_used, clippy::panic, reason = "tests cannot run without the file")]
    fn read() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
        let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{file:?}: {why}"));
        let document: Value = serde_json::from_str(&text).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let mut paths: Vec<_> =
            paths.iter().map(|(template, item)| PathTemplate::new(template, item)).collect();
        paths.sort_by_key(PathTemplate::count_parameters);
        Self { document, paths }
    }

    /// Returns all operations, in no particular order.
    pub fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        self.paths.iter().flat_map(PathTemplate::operations)
    }

    /// Returns the operation that a request with this path calls. Returns `None` if the contract
    /// has none. A literal segment of a path takes precedence over a parameter.
    #[must_use]
    pub fn operation(&self, method: &str, path: &str) -> Option<Operation<'_>> {
        let segments: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        self.paths
            .iter()
            .filter(|template| template.matches(&segments))
            .find_map(|template| template.operation(method))
    }

    /// Returns the faults of `value` as an entity of this name. Returns an empty list if it
    /// matches.
    ///
    /// # Panics
    /// If the contract has no such entity.
    #[must_use]
    pub fn faults_of_entity(&self, entity: &str, value: &Value) -> Vec<String> {
        let reference = serde_json::json!({ "$ref": format!("#/components/schemas/{entity}") });
        self.schemas().faults(entity, &reference, value)
    }

    /// Returns the faults of a JSON response to an operation. Returns an empty list if the body
    /// matches, or if the contract does not describe the operation or the status code. Errors may
    /// have fields that the contract does not list: the details of an error are keyed by parameter.
    /// Each fault begins with the name of the operation and the place in the body.
    #[must_use]
    pub fn faults_of_response(
        &self,
        method: &str,
        path: &str,
        status: u16,
        body: &Value,
    ) -> Vec<String> {
        let operation = self.operation(method, path);
        let Some((operation, schema)) = operation.and_then(|operation| {
            let schema =
                self.response(&operation, status)?["content"]["application/json"].get("schema")?;
            Some((operation, schema))
        }) else {
            return Vec::new();
        };
        if status < 400 {
            let mut faults = self.schemas().faults(operation.name(), schema, body);
            faults.retain(|fault| !IN_ADDITION.contains(&fault.as_str()));
            faults
        } else {
            self.schemas().faults_of_known(operation.name(), schema, body)
        }
    }

    /// Returns the media types that an operation may respond with. Returns `None` if the contract
    /// does not describe the status code, and an empty list if such a response has no body.
    #[must_use]
    pub fn media_types<'c>(
        &'c self,
        operation: &Operation<'c>,
        status: u16,
    ) -> Option<Vec<&'c str>> {
        let content = self.response(operation, status)?["content"].as_object();
        Some(content.map_or_else(Vec::new, |types| types.keys().map(String::as_str).collect()))
    }

    fn response<'c>(&'c self, operation: &Operation<'c>, status: u16) -> Option<&'c Value> {
        let response = operation.description["responses"].get(status.to_string())?;
        match response["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')),
            None => Some(response),
        }
    }

    #[expect(clippy::expect_used, reason = "tests cannot run without the schemas")]
    fn schemas(&self) -> Schemas<'_> {
        let schemas: &Map<String, Value> =
            self.document["components"]["schemas"].as_object().expect("there are schemas");
        Schemas(schemas)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_response_is_checked_against_its_operation() {
        let contract = Contract::get();
        let list = "/api/v1/lists/7";
        let valid = json!({
            "id": "7", "title": "Birds", "replies_policy": "list", "exclusive": false,
        });
        assert_eq!(contract.faults_of_response("GET", list, 200, &valid), Vec::<String>::new());
        let invalid = json!({ "id": 7, "title": "Birds" });
        assert!(!contract.faults_of_response("GET", list, 200, &invalid).is_empty());
        assert!(!contract.faults_of_response("GET", list, 404, &json!({})).is_empty());
        assert!(contract.faults_of_response("GET", "/api/v1/unknown", 200, &invalid).is_empty());
    }

    #[test]
    fn an_empty_object_has_no_fields() {
        let faults =
            |body| Contract::get().faults_of_response("DELETE", "/api/v1/lists/7", 200, &body);
        assert_eq!(faults(json!({})), Vec::<String>::new());
        assert!(!faults(json!({ "id": "7" })).is_empty());
    }

    #[test]
    fn a_literal_segment_takes_precedence_over_a_parameter() {
        let name = |method, path| {
            let operation = Contract::get().operation(method, path);
            operation.map(|operation| operation.name().to_owned())
        };
        let search = name("GET", "/api/v1/accounts/search");
        assert_eq!(search.as_deref(), Some("GET /api/v1/accounts/search"));
        let account = name("get", "/api/v1/accounts/7/");
        assert_eq!(account.as_deref(), Some("GET /api/v1/accounts/{id}"));
        assert_eq!(name("POST", "/api/v1/accounts/search"), None);
    }

    #[test]
    fn media_types_depend_on_the_status() {
        let contract = Contract::get();
        let stream = contract.operation("GET", "/api/v1/streaming/user").unwrap();
        assert_eq!(contract.media_types(&stream, 200), Some(vec!["text/event-stream"]));
        assert_eq!(contract.media_types(&stream, 401), Some(vec!["application/json"]));
        assert_eq!(contract.media_types(&stream, 418), None);
        let socket = contract.operation("GET", "/api/v1/streaming").unwrap();
        assert_eq!(contract.media_types(&socket, 101), Some(vec![]));
    }

    #[test]
    fn every_operation_has_an_area() {
        let contract = Contract::get();
        assert!(contract.operations().count() > 200);
        for operation in contract.operations() {
            assert!(operation.area().is_some(), "{}", operation.name());
        }
    }

    /// A keyword that the check does not know would be ignored.
    #[test]
    fn the_check_knows_every_keyword_of_the_contract() {
        fn unknown(schema: &Value, found: &mut Vec<String>) {
            for (key, value) in schema.as_object().into_iter().flatten() {
                match key.as_str() {
                    "items" | "additionalProperties" => unknown(value, found),
                    "allOf" | "anyOf" => {
                        value.as_array().unwrap().iter().for_each(|part| unknown(part, found));
                    }
                    "properties" => {
                        value.as_object().unwrap().values().for_each(|part| unknown(part, found));
                    }
                    other if schemas::KEYWORDS.contains(&other) || other.starts_with("x-") => {}
                    other => found.push(other.to_owned()),
                }
            }
        }
        let contract = Contract::get();
        let mut found = Vec::new();
        contract.schemas().0.values().for_each(|schema| unknown(schema, &mut found));
        for operation in contract.operations() {
            for response in operation.description["responses"].as_object().unwrap().values() {
                unknown(&response["content"]["application/json"]["schema"], &mut found);
            }
        }
        assert_eq!(found, Vec::<String>::new());
    }
}
