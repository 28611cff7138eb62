//! Set of scopes of a token, application or request.

use std::{fmt, str::FromStr};

use super::{RequiredScope, Scope, UnknownScope};

/// List of scopes in the order of the client, without duplicates. May be empty.
///
/// Two values are equal if they list the same scopes in the same order. To compare what they allow,
/// call [`Scopes::is_subset_of`] in both directions.
///
/// ```
/// use siskin_policy::scopes::{Scope, Scopes};
///
/// let scopes = Scopes::parse("read write")?;
/// assert!(scopes.covers(Scope::Follow) && !scopes.covers(Scope::Push));
/// assert!(Scopes::parse("read:everything").is_err());
/// # Ok::<(), siskin_policy::scopes::UnknownScope>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Scopes {
    listed: Vec<Scope>,
}

impl Scopes {
    /// Returns the empty set, which covers nothing.
    #[must_use]
    pub const fn none() -> Self {
        Self { listed: Vec::new() }
    }

    /// Parses names separated by white space (including line breaks) or `+`, the two separators
    /// that clients use. A text without names is the empty set.
    ///
    /// # Errors
    /// Returns the first name that is not a scope.
    pub fn parse(text: &str) -> Result<Self, UnknownScope> {
        text.split(|c: char| c == '+' || c.is_whitespace())
            .filter(|name| !name.is_empty())
            .map(str::parse)
            .collect()
    }

    /// Returns the scopes in the order of the client.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Scope> + '_ {
        self.listed.iter().copied()
    }

    /// Returns `true` if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Returns `true` if the scopes together allow all that `scope` does: `read write` covers
    /// `follow`.
    #[must_use]
    pub fn covers(&self, scope: Scope) -> bool {
        scope.powers() & !self.powers() == 0
    }

    /// Returns `true` if `other` allows everything that these scopes allow. The requested scopes
    /// must be a subset of the scopes that the application registered.
    #[must_use]
    pub fn is_subset_of(&self, other: &Self) -> bool {
        self.powers() & !other.powers() == 0
    }

    /// Returns `true` if a token with these scopes may make a request that requires `R`. The token
    /// must cover one of its scopes, unless `R` has none.
    #[must_use]
    pub fn satisfy<R: RequiredScope>(&self) -> bool {
        R::ANY.is_empty() || R::ANY.iter().any(|scope| self.covers(*scope))
    }

    fn powers(&self) -> u64 {
        self.iter().fold(0, |powers, scope| powers | scope.powers())
    }
}

impl FromIterator<Scope> for Scopes {
    /// Drops duplicates.
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let mut listed = Vec::new();
        for scope in scopes {
            if !listed.contains(&scope) {
                listed.push(scope);
            }
        }
        Self { listed }
    }
}

impl From<Scope> for Scopes {
    fn from(scope: Scope) -> Self {
        Self { listed: vec![scope] }
    }
}

impl FromStr for Scopes {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::parse(text)
    }
}

impl fmt::Display for Scopes {
    /// Writes the stored and sent form: names separated by one space.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, scope) in self.iter().enumerate() {
            if position > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope.as_str())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::{super::ProfileOrReadAccounts, super::ReadStatuses, super::Unscoped, *};

    fn scopes(text: &str) -> Scopes {
        Scopes::parse(text).unwrap()
    }

    #[test]
    fn space_plus_and_line_break_separate() {
        for text in
            ["read write", "read+write", "  read\twrite\n", "read\r\nwrite read", "+read++write+"]
        {
            assert_eq!(scopes(text).to_string(), "read write");
        }
        assert_eq!(scopes("write read").to_string(), "write read");
        assert!(scopes(" + ").is_empty());
    }

    #[test]
    fn an_unknown_name_is_refused() {
        let unknown = |name: &str| Err(UnknownScope { name: name.to_owned() });
        assert_eq!(Scopes::parse("read fly"), unknown("fly"));
        assert_eq!(Scopes::parse("read,write"), unknown("read,write"));
        assert_eq!(Scopes::parse("READ"), unknown("READ"));
    }

    #[test]
    fn a_request_stays_within_what_the_application_registered() {
        assert!(scopes("read:statuses").is_subset_of(&scopes("read write")));
        assert!(scopes("follow").is_subset_of(&scopes("read write")));
        assert!(scopes("write:follows").is_subset_of(&scopes("follow")));
        assert!(scopes("").is_subset_of(&scopes("")));
        assert!(!scopes("write").is_subset_of(&scopes("read")));
        assert!(!scopes("push").is_subset_of(&scopes("read write follow")));
        assert!(!scopes("admin:read").is_subset_of(&scopes("read")));
    }

    #[test]
    fn all_children_are_less_than_the_parent() {
        let children: Scopes =
            Scope::ALL.iter().copied().filter(|s| s.parent() == Some(Scope::Read)).collect();
        assert!(!children.covers(Scope::Read));
    }

    #[test]
    fn a_requirement_is_met_by_any_of_its_scopes() {
        assert!(scopes("read").satisfy::<ReadStatuses>());
        assert!(!scopes("read:accounts write").satisfy::<ReadStatuses>());
        assert!(scopes("profile").satisfy::<ProfileOrReadAccounts>());
        assert!(scopes("read").satisfy::<ProfileOrReadAccounts>());
        assert!(!scopes("write").satisfy::<ProfileOrReadAccounts>());
        assert!(scopes("").satisfy::<Unscoped>());
    }

    fn any_scope() -> impl Strategy<Value = Scope> {
        select(Scope::ALL)
    }

    fn any_scopes() -> impl Strategy<Value = Scopes> {
        vec(any_scope(), 0..6).prop_map(Scopes::from_iter)
    }

    proptest! {
        #[test]
        fn covering_is_reflexive_and_transitive(a in any_scope(), b in any_scope(), c in any_scope()) {
            prop_assert!(a.covers(a));
            prop_assert!(!(a.covers(b) && b.covers(c)) || a.covers(c));
            prop_assert!(!(a.covers(b) && b.covers(a)) || a == b);
        }

        #[test]
        fn more_scopes_never_allow_less(set in any_scopes(), more in any_scopes(), scope in any_scope()) {
            let both: Scopes = set.iter().chain(more.iter()).collect();
            prop_assert!(!set.covers(scope) || both.covers(scope));
            prop_assert!(set.is_subset_of(&both) && more.is_subset_of(&both));
        }

        #[test]
        fn subset_is_covering_of_every_covered_scope(a in any_scopes(), b in any_scopes()) {
            let covered = Scope::ALL.iter().all(|scope| !a.covers(*scope) || b.covers(*scope));
            prop_assert_eq!(a.is_subset_of(&b), covered);
            prop_assert_eq!(a.is_subset_of(&b), a.iter().all(|scope| b.covers(scope)));
        }

        #[test]
        fn a_set_covers_what_it_lists(set in any_scopes()) {
            prop_assert!(set.iter().all(|scope| set.covers(scope)));
        }

        #[test]
        fn scopes_round_trip_through_text(set in any_scopes()) {
            prop_assert_eq!(Scopes::parse(&set.to_string()), Ok(set.clone()));
            prop_assert_eq!(Scopes::parse(&set.to_string().replace(' ', "+")), Ok(set));
        }

        #[test]
        fn parsing_never_panics(text in "\\PC*") {
            let _ = Scopes::parse(&text);
        }
    }
}
