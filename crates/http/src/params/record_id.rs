//! Ids in paths.

use std::str::FromStr;

use siskin_services::Error as Domain;

/// Parses the id of a record in a path.
///
/// # Errors
/// [`Domain::NotFound`] if it is none: an invalid id gives the same error as an unknown one.
pub(crate) fn record_id<T: FromStr>(text: &str) -> Result<T, Domain> {
    text.parse().map_err(|_| Domain::NotFound)
}

#[cfg(test)]
mod tests {
    use siskin_ids::RuleId;

    use super::*;

    #[test]
    fn strange_ids_are_unknown() {
        assert_eq!(record_id::<RuleId>("7").unwrap(), RuleId::new(7));
        for strange in ["", "x", "-1x", "99999999999999999999"] {
            assert!(matches!(record_id::<RuleId>(strange), Err(Domain::NotFound)), "{strange}");
        }
    }
}
