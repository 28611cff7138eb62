//! Lists of ids as clients send them.

use std::{collections::HashSet, hash::Hash, str::FromStr};

use crate::{Error, Result};

/// Default maximum number of ids in a request with a short answer for each.
pub const MOST: usize = 1000;
/// Maximum number of ids in a request that returns a whole status or account for each: one page.
pub const MOST_WHOLE: usize = 40;

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
    fn what_is_no_id_and_what_was_there_already_is_passed_over() {
        let sent = ["7", "x", "", "3", "7"].map(str::to_owned);
        assert_eq!(parse::<StatusId>(&sent, MOST).unwrap(), [StatusId::new(7), StatusId::new(3)]);
    }

    #[test]
    fn so_many_can_be_asked_for_and_no_more() {
        let sent = vec!["7".to_owned(); 3];
        assert!(parse::<StatusId>(&sent, 2).is_err());
        assert!(parse::<StatusId>(&sent, 3).is_ok());
    }
}
