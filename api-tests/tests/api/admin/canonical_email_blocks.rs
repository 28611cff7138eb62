//! `/api/v1/admin/canonical_email_blocks`.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    admin::require_access,
    support::{Client, Response, id, visitors::refused_fields},
};

const BLOCKS: &str = "/api/v1/admin/canonical_email_blocks";
const TEST: &str = "/api/v1/admin/canonical_email_blocks/test";
/// `printf foo@gmail.com | sha256sum`
const HASH: &str = "f14c1da8a078d3dd8d3d979fd7f2490a93e0eebd418459d9967dabf9e32aa581";

async fn block(staff: &Client, email: &str) -> Response {
    staff.form(BLOCKS, &[("email", email)]).await
}

async fn matching(staff: &Client, email: &str) -> Value {
    staff.form(TEST, &[("email", email)]).await.ok()
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        require_access(app, "canonical_email_blocks", &[
            (Method::GET, BLOCKS.to_owned()),
            (Method::POST, BLOCKS.to_owned()),
            (Method::GET, format!("{BLOCKS}/1")),
            (Method::DELETE, format!("{BLOCKS}/1")),
        ]).await;
        // A test reads, although it is a POST.
        let ada = app.staff("reader", "Admin").await;
        for (scopes, status) in [
            ("admin:read:canonical_email_blocks", 422),
            ("admin:write:canonical_email_blocks", 403),
        ] {
            let client = app.user_with_scopes(&ada, scopes).await;
            assert_eq!(client.post(TEST).await.status, status, "{scopes}");
        }
        app.anonymous().post(TEST).await.expect(401);
        app.staff("mo", "Moderator").await.post(TEST).await.expect(403);
    }

    // Case 124.
    async fn all_spellings_of_an_address_are_blocked(app: &TestApp) {
        let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
        let created = block(&staff, "F.o.o+x@gmail.com").await.ok();
        assert_eq!(created["canonical_email_hash"], HASH);
        assert_eq!(matching(&staff, "foo@gmail.com").await, json!([created]));
        assert_eq!(matching(&staff, " FOO+yes@GMAIL.com ").await, json!([created]));
        assert_eq!(matching(&staff, "foo@mail.example").await, json!([]));
        for email in ["foo@gmail.com", "f.oo@gmail.com", "FOO+a+b@Gmail.com", "foo@gmail.com:25"] {
            let refused = client.sign_up("foo", email).await.expect(422);
            let expected = [("email".to_owned(), "ERR_BLOCKED".to_owned())];
            assert_eq!(refused_fields(&refused), expected, "{email}");
        }
        client.sign_up("fop", "fop@gmail.com").await.ok();
        client.sign_up("foo", "foo@mail.example").await.ok();
        // A port does not make another address for accounts either.
        for email in ["foo@mail.example:25", "FOO@mail.example:2525"] {
            let refused = client.sign_up("foz", email).await.expect(422);
            let expected = [("email".to_owned(), "ERR_TAKEN".to_owned())];
            assert_eq!(refused_fields(&refused), expected, "{email}");
        }
        staff.delete(&format!("{BLOCKS}/{}", id(&created))).await.ok();
        client.sign_up("foo2", "foo@gmail.com").await.ok();
    }

    async fn a_block_is_created_by_address_or_hash(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let upper = HASH.to_uppercase();
        let by_hash = staff.form(BLOCKS, &[("canonical_email_hash", &upper)]).await.ok();
        assert_eq!(by_hash["canonical_email_hash"], HASH);
        assert_eq!(matching(&staff, "foo@gmail.com").await, json!([by_hash]));
        // The address wins.
        let other = "ab".repeat(32);
        let both = [("canonical_email_hash", other.as_str()), ("email", "f.oo@gmail.com")];
        let again = staff.form(BLOCKS, &both).await.expect(422);
        let reason = "Validation failed: Canonical email hash is already blocked";
        assert_eq!(again["error"], reason);
        let blank = [("canonical_email_hash", other.as_str()), ("email", "")];
        assert_eq!(staff.form(BLOCKS, &blank).await.ok()["canonical_email_hash"], other);
        for (name, wrong) in [
            ("email", "nowhere"),
            ("email", ""),
            ("canonical_email_hash", ""),
            ("canonical_email_hash", "abc"),
            ("canonical_email_hash", &"g".repeat(64)),
            ("canonical_email_hash", &"a".repeat(65)),
        ] {
            staff.form(BLOCKS, &[(name, wrong)]).await.expect(422);
        }
        staff.post(BLOCKS).await.expect(422);
        staff.post(TEST).await.expect(422);
        staff.form(TEST, &[("email", "")]).await.expect(422);
        staff.form(TEST, &[("email", "nowhere")]).await.expect(422);
    }

    async fn blocks_are_listed_shown_and_deleted(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let mut blocks = Vec::new();
        for number in 0..5 {
            blocks.insert(0, id(&block(&staff, &format!("a{number}@b.example")).await.ok()));
        }
        assert_eq!(staff.walk(&format!("{BLOCKS}?limit=2")).await, blocks);
        let first = staff.get(&format!("{BLOCKS}?limit=2")).await;
        assert!(first.link("prev").unwrap().contains("since_id="));
        let path = format!("{BLOCKS}/{}", blocks[0]);
        assert_eq!(id(&staff.get(&path).await.ok()), blocks[0]);
        assert_eq!(staff.delete(&path).await.ok(), json!({}));
        staff.get(&path).await.expect(404);
        staff.delete(&path).await.expect(404);
        assert_eq!(staff.get(BLOCKS).await.ids(), blocks[1..]);
        let audited = staff.audited("canonical_email_block", &blocks[0]).await;
        assert_eq!(audited, ["delete", "create"]);
    }

    async fn parallel_requests_block_an_address_once(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let responses = join_all((0..20).map(|_| block(&staff, "foo@gmail.com"))).await;
        assert!(responses.iter().all(|response| matches!(response.status, 200 | 422)));
        assert_eq!(responses.iter().filter(|response| response.status == 200).count(), 1);
        let blocks = staff.get(BLOCKS).await.ids();
        assert_eq!(staff.audited("canonical_email_block", &blocks[0]).await, ["create"]);
    }
}
