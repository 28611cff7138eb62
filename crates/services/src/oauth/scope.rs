//! Determines the scopes of a token from the request and the registration of its application.

use siskin_policy::scopes::{Scope, Scopes};

use super::{Fault, Outcome, Refusal};
use crate::{Error, Result};

const UNKNOWN: Refusal =
    Refusal::new(Fault::InvalidScope, "The requested scope is unknown or malformed");
const NOT_REGISTERED: Refusal =
    Refusal::new(Fault::InvalidScope, "The application did not register the requested scope");

/// Returns the scopes of a token for a request of `requested` by an application that registered
/// `registered`. A request without scopes gets `read`, or the parts of it that the application
/// registered.
///
/// # Errors
/// [`Error::Internal`] if the stored text is damaged.
pub(super) fn granted(requested: Option<&str>, registered: &str) -> Result<Outcome<Scopes>> {
    let registered = Scopes::parse(registered).map_err(Error::internal)?;
    let Ok(requested) = Scopes::parse(requested.unwrap_or_default()) else {
        return Ok(Err(UNKNOWN));
    };
    let granted = if requested.is_empty() { default_of(&registered) } else { requested };
    let within = !granted.is_empty() && granted.is_subset_of(&registered);
    Ok(if within { Ok(granted) } else { Err(NOT_REGISTERED) })
}

fn default_of(registered: &Scopes) -> Scopes {
    if registered.covers(Scope::DEFAULT) {
        return Scopes::from(Scope::DEFAULT);
    }
    let default = Scopes::from(Scope::DEFAULT);
    registered.iter().filter(|scope| default.covers(*scope)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(requested: &str, registered: &str) -> Outcome<String> {
        granted(Some(requested), registered).unwrap().map(|scopes| scopes.to_string())
    }

    #[test]
    fn requested_scopes_are_granted_within_the_registered_ones() {
        assert_eq!(of("read write", "read write follow").unwrap(), "read write");
        assert_eq!(of("read+write", "write read").unwrap(), "read write");
        assert_eq!(of("read:statuses", "read").unwrap(), "read:statuses");
        assert_eq!(of("write", "read"), Err(NOT_REGISTERED));
        assert_eq!(of("read push", "read write"), Err(NOT_REGISTERED));
        assert_eq!(of("everything", "read"), Err(UNKNOWN));
    }

    #[test]
    fn an_empty_request_gets_read_as_far_as_registered() {
        assert_eq!(of("", "read write").unwrap(), "read");
        assert_eq!(granted(None, "read").unwrap().unwrap().to_string(), "read");
        assert_eq!(of(" ", "write read:lists read:search").unwrap(), "read:lists read:search");
        assert_eq!(of("", "write"), Err(NOT_REGISTERED));
    }
}
