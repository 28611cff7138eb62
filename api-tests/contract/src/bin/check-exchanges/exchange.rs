//! One recorded request with its response.

use std::io;

use serde_json::Value;
use siskin_contract::{Contract, Operation};

/// First line of each event stream.
const STREAM_START: &str = ":thump";

/// List that is always empty. Any other empty list would prove nothing about its elements.
const ALWAYS_EMPTY: &str = "GET /api/v1/accounts/{id}/identity_proofs";

/// Recorded request and its response.
#[derive(Debug)]
pub struct Exchange {
    pub method: String,
    /// Without the query.
    pub path: String,
    pub status: u16,
    /// Value of the header `Content-Type`; empty if it is absent.
    content_type: String,
    /// Body of the response. The first line of an event stream.
    body: String,
}

impl Exchange {
    /// Reads a line of a recording.
    ///
    /// # Errors
    /// If the line is not a JSON object with all fields.
    pub fn parse(line: &str) -> io::Result<Self> {
        let value: Value = serde_json::from_str(line)?;
        let wrong = |name| io::Error::other(format!("no valid {name} in {line}"));
        let text = |name| value[name].as_str().map(str::to_owned).ok_or_else(|| wrong(name));
        let status = value["status"].as_u64().and_then(|status| u16::try_from(status).ok());
        Ok(Self {
            method: text("method")?,
            path: text("path")?,
            status: status.ok_or_else(|| wrong("status"))?,
            content_type: text("content_type")?,
            body: text("body")?,
        })
    }

    /// Returns `true` if the request succeeded. An opened socket counts, too.
    pub fn has_succeeded(&self) -> bool {
        self.status == 101 || (200..300).contains(&self.status)
    }

    /// Returns what is wrong with the response to this operation. Each fault begins with the name
    /// of the operation, and has a colon after the place.
    pub fn faults(&self, contract: &Contract, operation: &Operation<'_>) -> Vec<String> {
        let fault = |what: String| vec![format!("{} {}: {what}", operation.name(), self.status)];
        if !self.has_succeeded() {
            return fault(format!("the request failed: {}", self.body));
        }
        let Some(types) = contract.media_types(operation, self.status) else {
            return fault("the contract does not describe this status".to_owned());
        };
        let media_type = self.media_type();
        if !types.is_empty() && !types.contains(&media_type) {
            return fault(format!("is of type {media_type:?}, not {types:?}"));
        }
        match media_type {
            "application/json" => match serde_json::from_str(&self.body) {
                Ok(body) => self.faults_of_json(contract, operation, &body),
                Err(why) => fault(format!("is not JSON: {why}")),
            },
            "text/event-stream" if self.body != STREAM_START => {
                fault(format!("begins with {:?}, not with {STREAM_START:?}", self.body))
            }
            _ => Vec::new(),
        }
    }

    fn faults_of_json(
        &self,
        contract: &Contract,
        operation: &Operation<'_>,
        body: &Value,
    ) -> Vec<String> {
        let is_empty = body.as_array().is_some_and(Vec::is_empty);
        let mut faults = contract.faults_of_response(&self.method, &self.path, self.status, body);
        if is_empty && operation.name() != ALWAYS_EMPTY {
            faults.push(format!("{} is empty: says nothing about elements", operation.name()));
        }
        faults
    }

    /// Returns the media type without parameters.
    fn media_type(&self) -> &str {
        self.content_type.split(';').next().unwrap_or_default().trim()
    }
}
