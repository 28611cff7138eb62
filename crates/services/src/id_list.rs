//! Lists of ids as clients send them.

use std::{collections::HashSet, hash::Hash, str::FromStr};

use crate::{Error, Result};

/// Default maximum number of ids in a request with a short answer for each.
pub const MAX_IDS: usize = 1000;
/// Maximum number of ids in a request that returns a whole status or account for each: one page.
pub const MAX_ENTITIES: usize = 40;

/// Parses the ids that a client sent, in their order and without duplicates. Ignores entries that
/// are no ids.
///
/// # Errors
/// [`Error::Invalid`] for more than `most`.
pub fn parse<T: FromStr + Eq + Hash + Copy>(ids: &[String], most: usize) -> Result<Vec<T>> {
    if ids.len() > most {
        return Err(Error::invalid(format!("At most {most} ids can be requested at once")));
    }
    let mut seen = HashSet::new();
    Ok(ids.iter().filter_map(|id| id.parse().ok()).filter(|id| seen.insert(*id)).collect())
}

#[cfg(test)]
mod tests {
    use siskin_ids::StatusId;

    use super::*;

    #[test]
    fn invalid_and_duplicate_ids_are_ignored() {
        let sent = ["7", "x", "", "3", "7"].map(str::to_owned);
        assert_eq!(
            parse::<StatusId>(&sent, MAX_IDS).unwrap(),
            [StatusId::new(7), StatusId::new(3)]
        );
    }

    #[test]
    fn more_ids_than_the_maximum_are_refused() {
        let sent = vec!["7".to_owned(); 3];
        assert!(parse::<StatusId>(&sent, 2).is_err());
        assert!(parse::<StatusId>(&sent, 3).is_ok());
    }
}
