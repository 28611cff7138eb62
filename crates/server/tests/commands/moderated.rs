//! Tests of `siskin demo --moderated`.

use serde_json::Value;
use siskin_persistence::{Conn, archive};
use siskin_test_support::both_engines;

use crate::program::{Program, Server};

/// A user who sends requests.
struct Reader<'s> {
    server: &'s Server,
    token: String,
}

impl Reader<'_> {
    fn get(&self, path: &str) -> Value {
        let response = self.server.get(path, &format!("Authorization: Bearer {}\r\n", self.token));
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        serde_json::from_str(body).unwrap()
    }

    fn list(&self, path: &str) -> Vec<Value> {
        self.get(path).as_array().unwrap().clone()
    }
}

fn sorted<'v>(values: &'v [Value], field: &str) -> Vec<&'v str> {
    let mut sorted: Vec<&str> = values.iter().map(|value| value[field].as_str().unwrap()).collect();
    sorted.sort_unstable();
    sorted
}

both_engines! {
    fn a_moderated_demo_has_accounts_in_every_state_and_all_relations(database: &TestDatabase) {
        let program = Program::on(database);
        let made = program.json(&[
            "demo", "--plain", "--moderated", "--accounts", "20", "--statuses", "60", "--follows",
            "8", "--json",
        ]);
        assert_eq!(made["accounts"], 20);
        assert_eq!(made["moderated"], serde_json::json!({
            "remote": 4, "suspended": 1, "silenced": 1, "unapproved": 2, "unconfirmed": 1,
            "blocked_domains": 5,
        }));
        let accounts = program.json(&["accounts", "list", "--json"]);
        let accounts = accounts.as_array().unwrap();
        assert_eq!(accounts.len(), 23);
        for (state, number) in
            [("suspended", 1), ("silenced", 1), ("unapproved", 2), ("unconfirmed", 1)]
        {
            let found = accounts.iter().filter(|account| account[state] == true).count();
            assert_eq!(found, number, "{state}");
        }
        let owner = accounts.iter().find(|account| account["username"] == "demo").unwrap();
        assert!(owner["suspended"] == false && owner["silenced"] == false);

        let server = program.serve();
        let (mut blocked_by, mut members) = (0, 0);
        let (mut ending, mut endless, mut hiding, mut showing) = (0, 0, 0, 0);
        let found = server.get("/api/v1/directory?order=new&local=true&limit=80", "");
        let found: Value = serde_json::from_str(found.split_once("\r\n\r\n").unwrap().1).unwrap();
        let found = found.as_array().unwrap();
        assert_eq!(found.len(), 18);
        let names: Vec<&str> =
            found.iter().take(4).map(|one| one["username"].as_str().unwrap()).collect();
        let mut create = vec!["tokens", "create", "--scopes", "read follow"];
        create.extend(names.iter().flat_map(|name| ["--account", name]));
        let created = program.run(&create);
        assert_eq!(created.lines().count(), names.len());
        let more = ["tokens", "create", "--account", "demo", "--account", "nobody_else"];
        assert!(program.refused(&more).contains("nobody_else"));
        assert_eq!(program.run(&["tokens", "list"]).lines().count(), names.len());
        for (account, line) in found.iter().zip(created.lines()) {
            let token: Value = serde_json::from_str(line).unwrap();
            assert_eq!(token["account"], account["username"]);
            let token = token["access_token"].as_str().unwrap().to_owned();
            let reader = Reader { server: &server, token };

            let blocks = reader.list("/api/v1/blocks");
            assert!((1..=4).contains(&blocks.len()), "{blocks:?}");
            let mutes = reader.list("/api/v1/mutes");
            // A mute of a suspended account is not listed.
            ending += mutes.iter().filter(|mute| mute["mute_expires_at"].is_string()).count();
            endless += mutes.iter().filter(|mute| mute["mute_expires_at"].is_null()).count();
            let query: String = found
                .iter()
                .chain(&mutes)
                .map(|other| format!("id[]={}&", other["id"].as_str().unwrap()))
                .collect();
            let relations = reader.list(&format!("/api/v1/accounts/relationships?{query}"));
            let count =
                |is: &dyn Fn(&Value) -> bool| relations.iter().filter(|one| is(one)).count();
            hiding += count(&|one| one["muting_notifications"] == true);
            showing += count(&|one| one["muting"] == true && one["muting_notifications"] == false);
            blocked_by += count(&|one| one["blocked_by"] == true);

            assert!(!reader.list("/api/v1/domain_blocks").is_empty());
            assert!(!reader.list("/api/v1/followed_tags").is_empty());
            assert!(!reader.list("/api/v1/favourites").is_empty());
            let filters = reader.list("/api/v2/filters");
            let keywords = filters.iter().map(|one| one["keywords"].as_array().unwrap().len());
            assert_eq!(keywords.sum::<usize>(), 50);
            assert_eq!(filters.iter().filter(|one| one["expires_at"].is_string()).count(), 1);
            let lists = reader.list("/api/v1/lists");
            assert_eq!(sorted(&lists, "replies_policy"), ["followed", "list", "none"]);
            assert_eq!(lists.iter().filter(|list| list["exclusive"] == true).count(), 1);
            for list in &lists {
                let path = format!("/api/v1/lists/{}/accounts", list["id"].as_str().unwrap());
                members += reader.list(&path).len();
            }
            let id = account["id"].as_str().unwrap();
            let following = reader.list(&format!("/api/v1/accounts/{id}/following"));
            assert!(following.iter().any(|one| one["acct"].as_str().unwrap().contains('@')));
        }
        assert!(blocked_by >= 4 && members > 4, "{blocked_by} {members}");
        assert!((2..=5).contains(&ending) && (2..=8).contains(&endless), "{ending} {endless}");
        assert!(hiding >= 2 && showing >= 2, "{hiding} {showing}");

        let remote = server.get("/api/v1/timelines/public?remote=true", "");
        assert!(remote.contains(".example/statuses/"), "{remote}");
        drop(server);
        let mut conn = Conn::open(database.url()).unwrap();
        assert_eq!(archive::count(&mut conn, "filter_keywords").unwrap(), 20 * 50);
        assert_eq!(archive::count(&mut conn, "instance_domain_blocks").unwrap(), 5);
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
    }
}
