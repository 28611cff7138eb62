//! `/api/v1/admin`.

mod accounts;
mod audit_log;
mod browser_session;
mod canonical_email_blocks;
mod dimensions;
mod domain_allows;
mod domain_block_effects;
mod domain_block_lists;
mod domain_blocks;
mod email_domain_blocks;
mod instance_texts;
mod ip_blocks;
pub mod jobs;
mod mail_servers;
mod measures;
mod reports;
mod retention;
mod roles;
mod storage;
mod trend_races;
mod trends;

use reqwest::Method;

use crate::support::{Client, TestApp};

/// Checks that routes need the scopes for a kind of block, and the permission to manage blocks.
async fn require_access(app: &TestApp, kind: &str, routes: &[(Method, String)]) {
    let (guard, alice) = (app.staff("guard", "Admin").await, app.user("alice").await);
    let moderator = app.moderator("moderator").await;
    let both = format!("admin:read:{kind} admin:write:{kind}");
    let powerless = app.user_with_scopes(&alice, &both).await;
    let reads = app.user_with_scopes(&guard, &format!("read write admin:read:{kind}")).await;
    let writes = app.user_with_scopes(&guard, &format!("read write admin:write:{kind}")).await;
    let others = "admin:read:reports admin:write:reports read write";
    let others = app.user_with_scopes(&guard, others).await;
    for (method, path) in routes {
        let status =
            async |client: &Client| client.send(client.request(method.clone(), path)).await.status;
        let (right, wrong) =
            if method == Method::GET { (&reads, &writes) } else { (&writes, &reads) };
        assert_eq!(status(&app.anonymous()).await, 401, "{method} {path}");
        for refused in [&alice.client, &powerless, &moderator, wrong, &others] {
            assert_eq!(status(refused).await, 403, "{method} {path}");
        }
        for allowed in [right, &guard.client] {
            let status = status(allowed).await;
            assert!(matches!(status, 200 | 404 | 422), "{method} {path}: {status}");
        }
    }
}
