//! Members of staff.

use siskin_services::accounts;

use super::{TestApp, User};

/// Scopes of a token of staff.
pub const STAFF_SCOPES: &str = "read write follow push admin:read admin:write";

impl TestApp {
    /// Creates an account with this role and a token with all scopes of staff.
    pub async fn staff(&self, name: &str, role: &'static str) -> User {
        let user = self.user(name).await;
        self.give_role(&user, Some(role)).await;
        let client = self.user_with_scopes(&user, STAFF_SCOPES).await;
        User { client, ..user }
    }

    /// Gives a user the role with this name, or none, as the operator does.
    pub async fn give_role(&self, user: &User, role: Option<&'static str>) {
        let account = user.id.parse().unwrap();
        self.app().write(move |tx| accounts::set_role(tx, account, role)).await.unwrap();
    }
}
