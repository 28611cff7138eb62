//! Which operations were called, and which responses were wrong.

use std::collections::BTreeMap;

use siskin_contract::{Contract, Operation};

use crate::exchange::Exchange;

/// Areas in which the server has each operation.
const FINISHED_AREAS: &[&str] = &[
    "accounts",
    "statuses",
    "polls",
    "media",
    "translation",
    "filters",
    "lists",
    "tags",
    "timelines",
    "streaming",
    "notifications",
    "push",
    "reports",
    "search",
    "trends",
    "instance",
    "admin",
];

/// Longest text of a fault, in characters.
const MAX_FAULT_LENGTH: usize = 300;

/// Result that is printed as one line.
#[derive(Debug)]
pub struct Check {
    pub passed: bool,
    pub text: String,
}

/// Results of all exchanges.
#[derive(Debug)]
pub struct Coverage<'c> {
    contract: &'c Contract,
    /// Number of responses by status, by operation.
    statuses: BTreeMap<String, BTreeMap<u16, usize>>,
    /// First fault and number of faults, by place.
    faults: BTreeMap<String, (String, usize)>,
}

impl<'c> Coverage<'c> {
    pub fn new(contract: &'c Contract) -> Self {
        Self { contract, statuses: BTreeMap::new(), faults: BTreeMap::new() }
    }

    /// Counts a response, and stores what is wrong with it.
    pub fn add(&mut self, exchange: &Exchange) {
        let Some(operation) = self.contract.operation(&exchange.method, &exchange.path) else {
            let name = format!("{} {}", exchange.method, exchange.path);
            return self.add_fault(format!("{name}: not in the contract"));
        };
        let statuses = self.statuses.entry(operation.name().to_owned()).or_default();
        *statuses.entry(exchange.status).or_default() += 1;
        for fault in exchange.faults(self.contract, &operation) {
            self.add_fault(fault);
        }
    }

    fn add_fault(&mut self, fault: String) {
        let place = fault.split_once(": ").map_or(fault.as_str(), |(place, _)| place).to_owned();
        self.faults.entry(place).or_insert((fault, 0)).1 += 1;
    }

    /// Returns a check for each operation that must succeed, by area, and one for each place with
    /// faults.
    pub fn checks(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        for area in FINISHED_AREAS {
            let mut operations: Vec<_> =
                self.contract.operations().filter(|one| one.area() == Some(area)).collect();
            operations.sort_by(|a, b| path_and_method(a).cmp(&path_and_method(b)));
            checks.extend(operations.iter().map(|operation| self.check(area, operation.name())));
        }
        checks.extend(self.faults.values().map(|(fault, responses)| Check {
            passed: false,
            text: format!("{}; responses: {responses}", shortened(fault)),
        }));
        checks
    }

    fn check(&self, area: &str, name: &str) -> Check {
        let statuses = self.statuses.get(name);
        let passed = statuses.is_some_and(|statuses| {
            statuses.keys().any(|status| *status == 101 || (200..300).contains(status))
        });
        let text = match statuses {
            _ if passed => format!("{area}: {name}"),
            Some(statuses) => {
                let statuses: Vec<_> = statuses.keys().map(u16::to_string).collect();
                format!("{area}: {name}: only {}", statuses.join(", "))
            }
            None => format!("{area}: {name}: never called"),
        };
        Check { passed, text }
    }
}

fn path_and_method<'o>(operation: &'o Operation<'_>) -> (&'o str, &'o str) {
    let (method, path) = operation.name().split_once(' ').unwrap_or_default();
    (path, method)
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_FAULT_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const LIST: &str = "/api/v1/lists/7";

    fn list() -> Value {
        json!({ "id": "7", "title": "Birds", "replies_policy": "list", "exclusive": false })
    }

    fn exchange(method: &str, path: &str, status: u16, body: &Value) -> Exchange {
        of_type("application/json; charset=utf-8", method, path, status, &body.to_string())
    }

    fn of_type(content_type: &str, method: &str, path: &str, status: u16, body: &str) -> Exchange {
        let line = json!({
            "method": method, "path": path, "status": status,
            "content_type": content_type, "body": body,
        });
        Exchange::parse(&line.to_string()).unwrap()
    }

    fn coverage(exchanges: &[Exchange]) -> Coverage<'static> {
        let mut coverage = Coverage::new(Contract::get());
        exchanges.iter().for_each(|exchange| coverage.add(exchange));
        coverage
    }

    /// Returns the faults of one exchange.
    fn faults(exchange: Exchange) -> Vec<String> {
        coverage(&[exchange]).faults.into_values().map(|(fault, _)| fault).collect()
    }

    fn is_fault(exchange: Exchange, expected: &str) {
        let found = faults(exchange);
        assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}");
    }

    fn check_of(coverage: &Coverage<'_>, name: &str) -> Check {
        let mut checks = coverage.checks().into_iter().filter(|check| check.text.contains(name));
        checks.next().unwrap()
    }

    #[test]
    fn a_valid_response_has_no_faults() {
        let stream = "/api/v1/streaming/user";
        for valid in [
            exchange("GET", LIST, 200, &list()),
            exchange("GET", "/api/v1/lists", 200, &json!([list()])),
            exchange("GET", "/api/v1/accounts/7/identity_proofs", 200, &json!([])),
            exchange("DELETE", LIST, 200, &json!({})),
            of_type("text/event-stream", "GET", stream, 200, ":thump"),
            of_type("", "GET", "/api/v1/streaming", 101, ""),
        ] {
            assert_eq!(faults(valid), Vec::<String>::new());
        }
    }

    #[test]
    fn a_wrong_response_is_a_fault() {
        let mut without_title = list();
        without_title.as_object_mut().unwrap().remove("title");
        is_fault(exchange("GET", LIST, 200, &without_title), "title: missing");
        let mut with_more = list();
        with_more["more"] = json!(1);
        is_fault(exchange("GET", LIST, 200, &with_more), "more: not in the schema");
        is_fault(exchange("GET", "/api/v1/lists", 200, &json!([])), "/lists is empty");
        is_fault(exchange("GET", LIST, 404, &json!({ "error": "x" })), "404: the request failed");
        is_fault(exchange("GET", LIST, 204, &json!({})), "does not describe this status");
        is_fault(of_type("text/html", "GET", LIST, 200, "<p>"), "is of type \"text/html\"");
        is_fault(of_type("application/json", "GET", LIST, 200, "{"), "is not JSON");
        let stream = "/api/v1/streaming/user";
        is_fault(of_type("text/event-stream", "GET", stream, 200, "event: x"), "begins with");
    }

    #[test]
    fn an_unknown_operation_is_a_fault() {
        is_fault(exchange("GET", "/api/v1/birds", 200, &json!({})), "not in the contract");
        is_fault(exchange("PATCH", LIST, 200, &json!({})), "not in the contract");
    }

    #[test]
    fn equal_faults_are_counted_in_one_line() {
        let wrong = || exchange("GET", LIST, 200, &json!("Birds"));
        let coverage = coverage(&[wrong(), wrong()]);
        let checks = coverage.checks().into_iter();
        let faults: Vec<_> = checks.filter(|check| check.text.ends_with("responses: 2")).collect();
        assert!(faults.len() == 1 && !faults[0].passed, "{faults:?}");
    }

    #[test]
    fn each_operation_of_a_finished_area_must_succeed() {
        let failed = exchange("PUT", LIST, 404, &json!({ "error": "Record not found" }));
        let coverage = coverage(&[exchange("GET", LIST, 200, &list()), failed]);
        assert!(check_of(&coverage, "lists: GET /api/v1/lists/{id}").passed);
        let failed = check_of(&coverage, "lists: PUT /api/v1/lists/{id}");
        assert!(!failed.passed && failed.text.ends_with("only 404"), "{failed:?}");
        let missing = check_of(&coverage, "lists: DELETE /api/v1/lists/{id}");
        assert!(!missing.passed && missing.text.ends_with("never called"), "{missing:?}");
    }

    #[test]
    fn each_finished_area_has_operations() {
        let checks = coverage(&[]).checks();
        assert!(checks.len() > 200 && checks.iter().all(|check| !check.passed));
        for area in FINISHED_AREAS {
            assert!(checks.iter().any(|check| check.text.starts_with(&format!("{area}: "))));
        }
    }

    #[test]
    fn an_incomplete_line_is_refused() {
        for line in ["", "{}", "[]", r#"{"method": "GET", "path": "/", "status": 70000}"#] {
            assert!(Exchange::parse(line).is_err(), "{line}");
        }
    }
}
