//! Layer plan: which crates may use which others, and where foreign crates may be used. A new crate
//! gets a row here; no other part of the checker knows crates by name.

/// Crate of the workspace (its name without `siskin-`) and the crates that it may depend on.
#[derive(Debug, Clone, Copy)]
pub struct Floor {
    pub name: &'static str,
    pub may_depend_on: &'static [&'static str],
    /// Whether its tests may use `test-support`, which itself depends on `persistence`.
    pub tested_with_database: bool,
}

const fn floor(name: &'static str, may_depend_on: &'static [&'static str]) -> Floor {
    Floor { name, may_depend_on, tested_with_database: false }
}

const fn floor_with_database(name: &'static str, may_depend_on: &'static [&'static str]) -> Floor {
    Floor { name, may_depend_on, tested_with_database: true }
}

/// Layers from the bottom up. Every name on the right has a row above.
pub const FLOORS: &[Floor] = &[
    floor("ids", &[]),
    floor("text", &["ids"]),
    floor("entities", &["ids", "text"]),
    // Documents and rules of the network: bytes to values and back, without I/O.
    floor("federation", &["ids", "text", "entities"]),
    floor("policy", &["ids", "text", "entities"]),
    floor_with_database("persistence", &["ids", "text", "entities", "policy"]),
    floor_with_database("media", &["ids", "entities", "policy"]),
    floor_with_database("outbound", &["ids", "text", "entities", "policy"]),
    // The JSON entities are rendered from domain views only.
    floor("wire", &["ids", "entities"]),
    // Use cases know no JSON: `wire` is missing on purpose.
    floor_with_database(
        "services",
        &["ids", "text", "entities", "policy", "persistence", "media", "outbound"],
    ),
    floor_with_database(
        "streaming",
        &["ids", "text", "entities", "policy", "persistence", "wire", "services"],
    ),
    floor_with_database(
        "app",
        &[
            "ids",
            "text",
            "entities",
            "policy",
            "persistence",
            "media",
            "outbound",
            "wire",
            "services",
            "streaming",
        ],
    ),
    floor_with_database(
        "http",
        &[
            "ids",
            "text",
            "entities",
            "policy",
            "persistence",
            "media",
            "outbound",
            "wire",
            "services",
            "streaming",
            "app",
        ],
    ),
    floor_with_database(
        "server",
        &[
            "ids",
            "text",
            "entities",
            "policy",
            "persistence",
            "media",
            "outbound",
            "wire",
            "services",
            "streaming",
            "app",
            "http",
        ],
    ),
    floor("test-support", &["ids", "text", "entities", "policy", "persistence"]),
    floor_with_database(
        "api-tests",
        &[
            "ids",
            "text",
            "entities",
            "policy",
            "persistence",
            "media",
            "outbound",
            "wire",
            "services",
            "streaming",
            "app",
            "http",
            "server",
        ],
    ),
    // Used by tests only; knows no crate of the workspace.
    floor("contract", &[]),
    floor("layers", &[]),
    // Measures the program from outside and inside; its baseline server uses the same libraries. It
    // starts a private PostgreSQL server with `test-support`.
    floor("bench", &["persistence", "outbound", "server", "test-support"]),
    // Fuzzes the code that reads untrusted input, through its public API.
    floor("fuzz", &["text", "entities", "federation", "http"]),
];

/// Dependencies of a crate that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Code that is compiled into the crate.
    Built,
    /// Code that is compiled into the crate or its tests.
    BuiltOrTested,
}

/// Restriction of the users of a foreign crate. A use is a dependency, direct or through other
/// foreign crates. A dependency through a crate of the workspace counts as a use by that crate.
#[derive(Debug, Clone, Copy)]
pub struct Confined {
    /// Name of the crate; the rule also covers related crates `name-…` and `name_…`.
    pub family: &'static str,
    pub users: Users,
    pub scope: Scope,
}

/// Crates that may or may not use a [`Confined`] family.
#[derive(Debug, Clone, Copy)]
pub enum Users {
    /// Only these crates; those in the second list only as an optional dependency that is off by
    /// default.
    Only { always: &'static [&'static str], behind_feature: &'static [&'static str] },
    /// All crates except these.
    AllBut(&'static [&'static str]),
}

/// Restricted foreign crates.
pub const CONFINED: &[Confined] = &[
    Confined {
        family: "diesel",
        users: Users::Only {
            always: &["persistence", "test-support", "bench"],
            behind_feature: &["ids"],
        },
        scope: Scope::BuiltOrTested,
    },
    Confined {
        family: "actix",
        users: Users::Only {
            always: &["http", "server", "api-tests", "bench", "fuzz"],
            behind_feature: &[],
        },
        scope: Scope::BuiltOrTested,
    },
    Confined {
        family: "serde_json",
        users: Users::AllBut(&["ids", "text", "entities", "policy"]),
        scope: Scope::Built,
    },
    // A new machine has a C compiler, but no headers of OpenSSL.
    Confined {
        family: "openssl-sys",
        users: Users::Only { always: &[], behind_feature: &[] },
        scope: Scope::BuiltOrTested,
    },
];

/// Returns the row of the crate `name`.
pub fn floor_of(name: &str) -> Option<&'static Floor> {
    FLOORS.iter().find(|floor| floor.name == name)
}

impl Confined {
    /// Returns `true` if a package or module path with this name belongs to the family.
    pub fn covers(&self, name: &str) -> bool {
        name.strip_prefix(self.family)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
    }
}

impl Users {
    /// Returns `true` if `name` may have the family compiled in with any features.
    pub fn allow_always(&self, name: &str) -> bool {
        match self {
            Self::Only { always, .. } => always.contains(&name),
            Self::AllBut(closed) => !closed.contains(&name),
        }
    }

    /// Returns `true` if `name` may have the family as an optional dependency.
    pub fn allow_behind_feature(&self, name: &str) -> bool {
        match self {
            Self::Only { behind_feature, .. } => behind_feature.contains(&name),
            Self::AllBut(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_allowed_dependency_is_in_a_row_above() {
        for (index, floor) in FLOORS.iter().enumerate() {
            for known in floor.may_depend_on {
                let below = FLOORS[..index].iter().any(|lower| lower.name == *known);
                assert!(below, "{} -> {known}", floor.name);
            }
        }
    }

    #[test]
    fn a_family_includes_its_prefixed_crates_only() {
        let rule = &CONFINED[0];
        assert!(["diesel", "diesel_migrations", "diesel-async"].iter().all(|n| rule.covers(n)));
        assert!(!["dieselgate", "r2d2-diesel", "dies"].iter().any(|n| rule.covers(n)));
    }
}
