//! Roles as those who manage them see them. An extension of the REST interface.

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::account::{self, Role};

/// Role with its rank. Its permissions are those of the role alone, without those that everyone
/// has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ManagedRole {
    /// The role. In JSON, the fields are those of the entity itself.
    #[serde(flatten)]
    pub role: Role,
    /// Rank: holders act only on users and roles with a lower one. 0 is the base role of all users.
    pub priority: i32,
}

/// Renders a role.
#[must_use]
pub fn render(role: &view::Role) -> ManagedRole {
    ManagedRole { role: account::render_role(Some(role)), priority: role.position }
}
