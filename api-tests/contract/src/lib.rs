//! For tests only: the machine-readable description of the REST interface (`contract.json`), and
//! the check that a response matches it. The description is an OpenAPI document; keys that begin
//! with `x-` hold further facts.

mod schemas;

use std::{fs, path::Path, sync::LazyLock};

use serde_json::{Map, Value};

use schemas::Schemas;

/// Relative to the folder of this crate.
const FILE: &str = "contract.json";

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::read);

/// The operations and entities of the REST interface.
#[derive(Debug)]
pub struct Contract {
    document: Value,
    /// Path templates, split into segments. Templates with fewer parameters come first.
    paths: Vec<(Vec<String>, Value)>,
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
        let mut paths: Vec<_> = paths
            .iter()
            .map(|(template, item)| {
                (template.split('/').map(str::to_owned).collect::<Vec<_>>(), item.clone())
            })
            .collect();
        paths.sort_by_key(|(segments, _)| segments.iter().filter(|one| is_parameter(one)).count());
        Self { document, paths }
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
    #[must_use]
    pub fn faults_of_response(
        &self,
        method: &str,
        path: &str,
        status: u16,
        body: &Value,
    ) -> Vec<String> {
        let Some(schema) = self.schema_of_response(method, path, status) else {
            return Vec::new();
        };
        let at = format!("{method} {path}");
        if status < 400 {
            self.schemas().faults(&at, schema, body)
        } else {
            self.schemas().faults_of_known(&at, schema, body)
        }
    }

    fn schema_of_response(&self, method: &str, path: &str, status: u16) -> Option<&Value> {
        let operation = self.operation(method, path)?;
        let response = operation["responses"].get(status.to_string())?;
        let response = match response["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#'))?,
            None => response,
        };
        response["content"]["application/json"].get("schema")
    }

    fn operation(&self, method: &str, path: &str) -> Option<&Value> {
        let segments: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let matches = |template: &[String]| {
            template.len() == segments.len()
                && template
                    .iter()
                    .zip(&segments)
                    .all(|(one, segment)| is_parameter(one) || one == segment)
        };
        let (_, item) = self.paths.iter().find(|(template, _)| matches(template))?;
        item.get(method.to_ascii_lowercase())
    }

    #[expect(clippy::expect_used, reason = "tests cannot run without the schemas")]
    fn schemas(&self) -> Schemas<'_> {
        let schemas: &Map<String, Value> =
            self.document["components"]["schemas"].as_object().expect("there are schemas");
        Schemas(schemas)
    }
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{')
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
    fn a_literal_segment_takes_precedence_over_a_parameter() {
        let operation =
            |path| Contract::get().operation("GET", path).unwrap()["operationId"].clone();
        assert_ne!(operation("/api/v1/accounts/search"), operation("/api/v1/accounts/7"));
    }
}
