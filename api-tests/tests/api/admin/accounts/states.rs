//! Filters of the lists by a state and by the inviter: what staff decided selects the account, until
//! it ends.

use serde_json::json;

use crate::support::{id, visitors::newcomer};

const V1: &str = "/api/v1/admin/accounts";
const INVITES: &str = "/api/v1/invites";

api_tests! {
    async fn each_restriction_selects_its_account(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let (bob, zoe) = (app.user("bob").await, app.user_of("zoe", "far.example").await);
        for (kind, flag, undo) in [
            ("sensitive", "sensitized", "unsensitive"),
            ("disable", "disabled", "enable"),
            ("silence", "silenced", "unsilence"),
            ("suspend", "suspended", "unsuspend"),
        ] {
            let of_v1 = async |more: &str| staff.get(&format!("{V1}?{flag}=true{more}")).await.ids();
            let of_v2 = async || staff.listed_accounts(&format!("status={flag}")).await;
            assert_eq!((of_v1("").await, of_v2().await), (vec![], vec![]), "{flag}");
            staff.impose(kind, &bob).await;
            let only_bob = vec![bob.id.clone()];
            assert_eq!((of_v1("").await, of_v2().await), (only_bob.clone(), only_bob.clone()));
            assert_eq!(of_v1("&local=true&username=bob").await, only_bob);
            assert_eq!(of_v1("&remote=true").await, Vec::<String>::new());
            assert_eq!(staff.admin_account(&bob).await[flag], true);
            staff.lift(undo, &bob).await.ok();
            assert_eq!((of_v1("").await, of_v2().await), (vec![], vec![]), "{flag}");
            assert_eq!(staff.admin_account(&bob).await[flag], false);
            if kind != "disable" {
                staff.impose(kind, &zoe).await;
                assert_eq!(of_v1("&remote=true").await, [zoe.id.as_str()], "{flag}");
                staff.lift(undo, &zoe).await.ok();
            }
        }
    }

    async fn invited_accounts_name_their_inviter(app: &TestApp) {
        let (owner, client) = (app.staff("boss", "Owner").await, app.open_registrations().await);
        let invite = owner.post(INVITES).await.ok();
        let mut form = newcomer("guest", "guest@example.com");
        form["invite_code"] = invite["code"].clone();
        client.json("/api/v1/accounts", form).await.ok();
        client.sign_up("other", "other@example.com").await.ok();
        let listed = owner.get(&format!("/api/v2/admin/accounts?invited_by={}", owner.id)).await;
        assert_eq!(listed.ids(), [app.id_of("guest").await]);
        assert_eq!(listed.ok()[0]["invited_by_account_id"], json!(owner.id));
        let other = owner.get(&format!("{V1}/{}", app.id_of("other").await)).await.ok();
        assert_eq!(other.get("invited_by_account_id"), None);
        assert_eq!(id(&other), app.id_of("other").await);
    }
}
