//! People who sign up, and what staff do with them.

use serde_json::{Value, json};

use super::{Client, TestApp, User, id};

/// Password of all people who sign up.
pub const PASSWORD: &str = "correct horse";
pub const BULK: &str = "/api/v1/admin/accounts/bulk";

impl TestApp {
    /// Lets people sign up with the approval of the staff.
    pub async fn ask_for_approval(&self) {
        self.app().change_setting("registrations".into(), "approval".into()).await.unwrap();
    }

    /// Signs up through an application, with a reason. The address is `NAME@example.com`.
    pub async fn signs_up(&self, name: &str) -> User {
        let application = self.application("read write").await;
        let form = json!({
            "username": name, "email": format!("{name}@example.com"), "password": PASSWORD,
            "agreement": true, "locale": "en", "reason": format!("{name} likes birds"),
        });
        let token = application.json("/api/v1/accounts", form).await.ok();
        let client = self.with_token(token["access_token"].as_str().unwrap());
        let found = self.anonymous().get(&lookup(name)).await.ok();
        User { id: id(&found), username: name.to_owned(), client }
    }
}

impl Client {
    /// Decides about some sign-ups, and returns the results in the order of the accounts.
    pub async fn decide_in_bulk(&self, action: &str, accounts: &[&str]) -> Vec<String> {
        let form = json!({ "action": action, "account_ids": accounts });
        let results = self.json(BULK, form).await.ok();
        let results = results.as_array().unwrap();
        let sent: Vec<&str> = results.iter().map(|one| one["id"].as_str().unwrap()).collect();
        assert_eq!(sent, accounts);
        results.iter().map(|one| one["status"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the ids of the accounts that a list for staff shows.
    pub async fn listed_accounts(&self, query: &str) -> Vec<String> {
        self.get(&format!("/api/v2/admin/accounts?{query}")).await.ids()
    }

    /// Returns an account as staff see it.
    pub async fn admin_account(&self, account: &User) -> Value {
        self.get(&format!("/api/v1/admin/accounts/{}", account.id)).await.ok()
    }
}

/// Returns the path that looks up a name.
pub fn lookup(name: &str) -> String {
    format!("/api/v1/accounts/lookup?acct={name}")
}
