//! Addressees by visibility.

use crate::audience::{PUBLIC, Visibility};

/// Addressees of a status and of the activity that publishes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Addressees<'a> {
    /// Ids in `to`.
    pub to: Vec<&'a str>,
    /// Ids in `cc`.
    pub cc: Vec<&'a str>,
}

/// Returns the addressees of a status.
///
/// `followers` is the collection of the author's followers. `people` are the ids of the accounts
/// that are addressed: the mentioned ones, and for a limited status also others.
///
/// A reader finds the same visibility if each mentioned account has a mention tag, and if a limited
/// status addresses an account without one.
#[must_use]
pub fn addressees<'a>(
    visibility: Visibility,
    followers: &'a str,
    people: &[&'a str],
) -> Addressees<'a> {
    let with_people = |first: &'a str| [&[first], people].concat();
    match visibility {
        Visibility::Public => Addressees { to: vec![PUBLIC], cc: with_people(followers) },
        Visibility::Unlisted => Addressees { to: vec![followers], cc: with_people(PUBLIC) },
        Visibility::Private => Addressees { to: vec![followers], cc: people.to_vec() },
        Visibility::Limited | Visibility::Direct => {
            Addressees { to: people.to_vec(), cc: Vec::new() }
        }
    }
}
