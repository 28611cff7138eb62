//! Tests of error bodies.

use serde_json::json;
use siskin_wire::error::{self, Fault, FaultCode};

use crate::samples::json;

#[test]
fn a_plain_error_is_one_sentence() {
    assert_eq!(json(&error::plain("Record not found")), json!({ "error": "Record not found" }));
}

#[test]
fn an_oauth_error_has_a_code_and_a_sentence() {
    assert_eq!(
        json(&error::described("invalid_client", "Who are you?")),
        json!({ "error": "invalid_client", "error_description": "Who are you?" })
    );
}

#[test]
fn errors_are_grouped_by_field() {
    let fault = |code, description: &str| Fault { code, description: description.to_owned() };
    let faults = [
        ("username".to_owned(), fault(FaultCode::Taken, "is taken")),
        ("agreement".to_owned(), fault(FaultCode::Accepted, "must be accepted")),
        ("username".to_owned(), fault(FaultCode::TooLong, "is too long")),
    ];
    assert_eq!(
        json(&error::invalid("Validation failed", faults)),
        json!({
            "error": "Validation failed",
            "details": {
                "agreement": [{ "error": "ERR_ACCEPTED", "description": "must be accepted" }],
                "username": [
                    { "error": "ERR_TAKEN", "description": "is taken" },
                    { "error": "ERR_TOO_LONG", "description": "is too long" },
                ],
            },
        })
    );
}
