//! The plan of the house: which crate may know which, and where foreign crates may be named.
//! A new crate gets its row here; nothing else of the checker knows a crate by name.

/// A crate of the workspace (its name without `siskin-`) and those it may depend on.
#[derive(Debug, Clone, Copy)]
pub struct Floor {
    pub name: &'static str,
    pub may_know: &'static [&'static str],
    /// Whether its tests may use `test-support`, which itself knows `persistence`.
    pub tested_with_database: bool,
}

const fn floor(name: &'static str, may_know: &'static [&'static str]) -> Floor {
    Floor { name, may_know, tested_with_database: false }
}

const fn stored(name: &'static str, may_know: &'static [&'static str]) -> Floor {
    Floor { name, may_know, tested_with_database: true }
}

/// From the ground up. Every name on the right stands in a row above.
pub const FLOORS: &[Floor] = &[
    floor("ids", &[]),
    floor("text", &["ids"]),
    floor("entities", &["ids", "text"]),
    floor("policy", &["ids", "text", "entities"]),
    stored("persistence", &["ids", "text", "entities", "policy"]),
    stored("media", &["ids", "entities", "policy"]),
    stored("outbound", &["ids", "text", "entities", "policy"]),
    // The JSON of clients is rendered from domain views alone.
    floor("wire", &["ids", "entities"]),
    // Use cases know no JSON: `wire` is missing on purpose.
    stored("services", &["ids", "text", "entities", "policy", "persistence", "media", "outbound"]),
    stored("streaming", &["ids", "text", "entities", "policy", "persistence", "wire", "services"]),
    stored(
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
    stored(
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
    stored(
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
    stored(
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
    floor("layers", &[]),
    // Measures the program from outside and from inside; its floor is of the same libraries.
    floor("bench", &["persistence", "outbound", "server"]),
    // Mistreats what reads untrusted input, by what it shows to everybody.
    floor("fuzz", &["text", "entities", "http"]),
];

/// Which dependencies of a crate a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// What is compiled into the crate.
    Built,
    /// What is compiled into the crate or its tests.
    BuiltOrTested,
}

/// Who may use a foreign crate. A use is a dependency, direct or through other foreign crates;
/// what comes through a crate of the workspace is that crate's use.
#[derive(Debug, Clone, Copy)]
pub struct Confined {
    /// Stands for the crate of this name and for its relatives `name-…` and `name_…`.
    pub family: &'static str,
    pub users: Users,
    pub reach: Reach,
}

/// The crates a [`Confined`] family is open or closed to.
#[derive(Debug, Clone, Copy)]
pub enum Users {
    /// Nobody else; the second list may have it as an optional dependency, off by default.
    Only { always: &'static [&'static str], behind_feature: &'static [&'static str] },
    /// Everybody else.
    AllBut(&'static [&'static str]),
}

/// The foreign crates that must stay where they are.
pub const CONFINED: &[Confined] = &[
    Confined {
        family: "diesel",
        users: Users::Only {
            always: &["persistence", "test-support", "bench"],
            behind_feature: &["ids"],
        },
        reach: Reach::BuiltOrTested,
    },
    Confined {
        family: "actix",
        users: Users::Only {
            always: &["http", "server", "api-tests", "bench", "fuzz"],
            behind_feature: &[],
        },
        reach: Reach::BuiltOrTested,
    },
    Confined {
        family: "serde_json",
        users: Users::AllBut(&["ids", "text", "entities", "policy"]),
        reach: Reach::Built,
    },
    // A new machine has a C compiler, but no headers of OpenSSL.
    Confined {
        family: "openssl-sys",
        users: Users::Only { always: &[], behind_feature: &[] },
        reach: Reach::BuiltOrTested,
    },
];

/// The row of the crate `name`.
pub fn floor_of(name: &str) -> Option<&'static Floor> {
    FLOORS.iter().find(|floor| floor.name == name)
}

impl Confined {
    /// Whether a package or module path of this name belongs to the family.
    pub fn covers(&self, name: &str) -> bool {
        name.strip_prefix(self.family)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
    }
}

impl Users {
    /// Whether `name` may have the family compiled in whatever its features are.
    pub fn allow_always(&self, name: &str) -> bool {
        match self {
            Self::Only { always, .. } => always.contains(&name),
            Self::AllBut(closed) => !closed.contains(&name),
        }
    }

    /// Whether `name` may have the family as an optional dependency.
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
    fn every_arrow_of_the_plan_points_at_a_row_above() {
        for (index, floor) in FLOORS.iter().enumerate() {
            for known in floor.may_know {
                let below = FLOORS[..index].iter().any(|lower| lower.name == *known);
                assert!(below, "{} -> {known}", floor.name);
            }
        }
    }

    #[test]
    fn a_family_has_relatives_but_no_namesakes() {
        let rule = &CONFINED[0];
        assert!(["diesel", "diesel_migrations", "diesel-async"].iter().all(|n| rule.covers(n)));
        assert!(!["dieselgate", "r2d2-diesel", "dies"].iter().any(|n| rule.covers(n)));
    }
}
