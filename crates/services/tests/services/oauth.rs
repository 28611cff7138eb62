//! The authorization server: codes, tokens, revocation.

use std::{sync::Barrier, thread, time::Duration};

use siskin_ids::AccountId;
use siskin_services::{
    Result,
    applications::{self, Registered, Registration},
    authentication,
    oauth::{
        self, Asked, Authorization, Checked, ClientSecret, Fault, Grant, Issued, Outcome,
        Revocation, TokenRequest,
    },
};
use siskin_test_support::both_engines;

use crate::world::World;

const BACK: &str = "https://app.example/back";
// RFC 7636, appendix B.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

fn register(world: &World, scopes: &str) -> Registered {
    let asked = Registration {
        name: "Tester".to_owned(),
        redirect_uris: vec![format!("{BACK}\n{}", oauth::OUT_OF_BAND)],
        scopes: Some(scopes.to_owned()),
        website: None,
    };
    let prepared = applications::prepare(&asked).unwrap();
    world.write(move |tx| applications::register(tx, &prepared)).unwrap()
}

fn asked(app: &Registered) -> Asked {
    Asked {
        response_type: Some("code".to_owned()),
        client_id: Some(app.application.client_id.clone()),
        redirect_uri: Some(BACK.to_owned()),
        scope: Some("read write".to_owned()),
        ..Asked::default()
    }
}

fn check(world: &World, asked: &Asked) -> Checked {
    world.read(|conn| oauth::check(conn, asked))
}

fn good(world: &World, asked: &Asked) -> Authorization {
    match check(world, asked) {
        Checked::Good(good) => *good,
        other => panic!("the request was not granted: {other:?}"),
    }
}

fn fault(world: &World, asked: &Asked) -> Option<Fault> {
    match check(world, asked) {
        Checked::Refused { refusal, .. } => Some(refusal.fault),
        Checked::Good(_) | Checked::Untrusted(_) => None,
    }
}

fn approve(world: &World, account: AccountId, asked: &Asked) -> String {
    let granted = good(world, asked);
    world.write(move |tx| oauth::approve(tx, account, &granted)).unwrap()
}

fn secret(app: &Registered) -> ClientSecret {
    ClientSecret {
        client_id: app.application.client_id.clone(),
        client_secret: app.client_secret.clone(),
    }
}

fn with_code(app: &Registered, code: &str) -> TokenRequest {
    let grant =
        Grant::Code { code: code.to_owned(), redirect_uri: BACK.to_owned(), verifier: None };
    TokenRequest { client: Some(secret(app)), grant }
}

fn exchange(world: &World, request: TokenRequest) -> Outcome<Issued> {
    world.write(move |tx| oauth::exchange(tx, &request)).unwrap()
}

fn refused(world: &World, request: TokenRequest) -> Fault {
    exchange(world, request).unwrap_err().fault
}

fn works(world: &World, token: &str) -> bool {
    world.read(|conn| authentication::authenticate(conn, token)).is_some()
}

fn revoke(world: &World, client: Option<ClientSecret>, token: Option<&str>) -> Outcome<()> {
    let request = Revocation { client, token: token.map(str::to_owned) };
    world.write(move |tx| oauth::revoke(tx, &request)).unwrap()
}

both_engines! {
    fn a_code_becomes_a_token_for_the_person_who_agreed(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write follow"));
        let code = approve(&world, ann.id, &asked(&app));
        let issued = exchange(&world, with_code(&app, &code)).unwrap();
        assert_eq!(issued.scopes, "read write");
        assert_eq!(issued.created_at, world.now());
        let caller =
            world.read(|conn| authentication::authenticate(conn, &issued.token)).unwrap();
        assert_eq!(caller.person.unwrap().account, ann.id);
        assert_eq!(caller.application, Some(app.application.id));
        assert_eq!(caller.scopes.to_string(), "read write");
    }

    fn a_second_use_of_a_code_ends_the_token_of_the_first(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write"));
        let code = approve(&world, ann.id, &asked(&app));
        let issued = exchange(&world, with_code(&app, &code)).unwrap();
        assert!(works(&world, &issued.token));
        assert_eq!(refused(&world, with_code(&app, &code)), Fault::InvalidGrant);
        assert!(!works(&world, &issued.token));
        assert_eq!(refused(&world, with_code(&app, &code)), Fault::InvalidGrant);
    }

    fn of_ten_who_exchange_a_code_at_once_one_gets_a_token(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write"));
        let code = approve(&world, ann.id, &asked(&app));
        let start = Barrier::new(10);
        let outcomes: Vec<Outcome<Issued>> = thread::scope(|scope| {
            let tries: Vec<_> = (0..10)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        exchange(&world, with_code(&app, &code))
                    })
                })
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let issued: Vec<Issued> = outcomes.into_iter().flatten().collect();
        assert_eq!(issued.len(), 1);
        assert!(!works(&world, &issued[0].token), "the nine others had the code too");
    }

    fn a_code_is_bound_to_client_address_and_time(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write"));
        let other = register(&world, "read write");
        let code = approve(&world, ann.id, &asked(&app));
        assert_eq!(refused(&world, with_code(&other, &code)), Fault::InvalidGrant);
        for redirect_uri in [oauth::OUT_OF_BAND, "", "https://app.example/back/"] {
            let redirect_uri = redirect_uri.to_owned();
            let grant = Grant::Code { code: code.clone(), redirect_uri, verifier: None };
            let request = TokenRequest { client: Some(secret(&app)), grant };
            assert_eq!(refused(&world, request), Fault::InvalidGrant);
        }
        world.pass(Duration::from_secs(599));
        assert!(exchange(&world, with_code(&app, &code)).is_ok());
        let code = approve(&world, ann.id, &asked(&app));
        world.pass(Duration::from_secs(600));
        assert_eq!(refused(&world, with_code(&app, &code)), Fault::InvalidGrant);
        assert_eq!(refused(&world, with_code(&app, "no code")), Fault::InvalidGrant);
    }

    fn a_challenge_must_be_met_and_a_verifier_needs_one(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write"));
        let challenged = Asked {
            code_challenge: Some(CHALLENGE.to_owned()),
            code_challenge_method: Some("S256".to_owned()),
            ..asked(&app)
        };
        let request = |code: &str, verifier: Option<&str>| TokenRequest {
            client: Some(secret(&app)),
            grant: Grant::Code {
                code: code.to_owned(),
                redirect_uri: BACK.to_owned(),
                verifier: verifier.map(str::to_owned),
            },
        };
        let code = approve(&world, ann.id, &challenged);
        let wrong = VERIFIER.replace('d', "e");
        for verifier in [None, Some(wrong.as_str()), Some(CHALLENGE)] {
            assert_eq!(refused(&world, request(&code, verifier)), Fault::InvalidGrant);
        }
        assert!(exchange(&world, request(&code, Some(VERIFIER))).is_ok());
        let code = approve(&world, ann.id, &asked(&app));
        assert_eq!(refused(&world, request(&code, Some(VERIFIER))), Fault::InvalidGrant);
        let plain = Asked { code_challenge_method: None, ..challenged };
        assert_eq!(fault(&world, &plain), Some(Fault::InvalidRequest));
    }

    fn a_request_is_told_to_the_application_only_at_a_registered_address(database: &TestDatabase) {
        let world = World::on(database);
        let app = register(&world, "read");
        let asked = Asked { scope: Some("read".to_owned()), ..asked(&app) };
        let at = |redirect_uri: &str| Asked {
            redirect_uri: Some(redirect_uri.to_owned()),
            ..asked.clone()
        };
        for redirect_uri in [
            "",
            "https://app.example/back/",
            "https://app.example/bac",
            "https://app.example:8443/back",
            "http://app.example/back",
            "https://app.example/back?x",
            "https://evil.example/back",
            &format!("{BACK}\n{}", oauth::OUT_OF_BAND),
        ] {
            let checked = check(&world, &at(redirect_uri));
            assert!(matches!(checked, Checked::Untrusted(_)), "{redirect_uri:?}");
        }
        let nobody = Asked { client_id: Some("nobody".to_owned()), ..asked.clone() };
        assert!(matches!(check(&world, &nobody), Checked::Untrusted(_)));
        assert!(good(&world, &at(oauth::OUT_OF_BAND)).redirect_uri.is_out_of_band());

        let scope = |scope: &str| Asked { scope: Some(scope.to_owned()), ..asked.clone() };
        assert_eq!(fault(&world, &scope("read write")), Some(Fault::InvalidScope));
        assert_eq!(fault(&world, &scope("fly")), Some(Fault::InvalidScope));
        assert_eq!(good(&world, &scope("")).scopes.to_string(), "read");
        let response_type = |kind: &str| Asked {
            response_type: Some(kind.to_owned()),
            ..asked.clone()
        };
        assert_eq!(fault(&world, &response_type("token")), Some(Fault::UnsupportedResponseType));
        assert_eq!(fault(&world, &response_type("")), Some(Fault::InvalidRequest));
    }

    fn an_application_gets_a_token_of_its_own(database: &TestDatabase) {
        let world = World::on(database);
        let app = register(&world, "read write");
        let request = |client_secret: &str, scope: &str| TokenRequest {
            client: Some(ClientSecret {
                client_secret: client_secret.to_owned(),
                ..secret(&app)
            }),
            grant: Grant::ClientCredentials { scope: Some(scope.to_owned()) },
        };
        let issued = exchange(&world, request(&app.client_secret, "read+write")).unwrap();
        assert_eq!(issued.scopes, "read write");
        let caller =
            world.read(|conn| authentication::authenticate(conn, &issued.token)).unwrap();
        assert_eq!(caller.person, None);
        assert_eq!(refused(&world, request("wrong", "read")), Fault::InvalidClient);
        assert_eq!(refused(&world, request(&app.client_secret, "push")), Fault::InvalidScope);
        let nobody = TokenRequest { client: None, grant: Grant::ClientCredentials { scope: None } };
        assert_eq!(refused(&world, nobody), Fault::InvalidClient);
    }

    fn an_application_revokes_its_own_tokens_alone(database: &TestDatabase) {
        let world = World::on(database);
        let (app, other) = (register(&world, "read"), register(&world, "read"));
        let grant = Grant::ClientCredentials { scope: None };
        let request = TokenRequest { client: Some(secret(&app)), grant };
        let token = exchange(&world, request).unwrap().token;
        let not_yours = |outcome: Outcome<()>| {
            assert_eq!(outcome.unwrap_err().fault, Fault::UnauthorizedClient);
        };
        not_yours(revoke(&world, Some(secret(&other)), Some(&token)));
        not_yours(revoke(&world, None, Some(&token)));
        let wrong = ClientSecret { client_secret: "wrong".to_owned(), ..secret(&app) };
        not_yours(revoke(&world, Some(wrong), Some(&token)));
        not_yours(revoke(&world, Some(secret(&app)), None));
        assert!(works(&world, &token));
        assert_eq!(revoke(&world, Some(secret(&app)), Some("unknown")), Ok(()));
        assert_eq!(revoke(&world, Some(secret(&app)), Some(&token)), Ok(()));
        assert!(!works(&world, &token));
        assert_eq!(revoke(&world, Some(secret(&app)), Some(&token)), Ok(()));
    }

    fn a_person_sees_and_withdraws_what_they_agreed_to(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann").id, world.person("bob").id);
        let app = register(&world, "read write");
        let mut tokens = Vec::new();
        for scope in ["read", "write:statuses"] {
            let asked = Asked { scope: Some(scope.to_owned()), ..asked(&app) };
            let code = approve(&world, ann, &asked);
            tokens.push(exchange(&world, with_code(&app, &code)).unwrap().token);
        }
        let code = approve(&world, bob, &asked(&app));
        let of_bob = exchange(&world, with_code(&app, &code)).unwrap().token;

        let listed = world.read(|conn| oauth::list(conn, ann));
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].application, app.application);
        assert_eq!(listed[0].scopes, "write:statuses read");

        let id = app.application.id;
        let withdraw = || -> Result<()> { world.write(move |tx| oauth::withdraw(tx, ann, id)) };
        withdraw().unwrap();
        assert!(withdraw().is_err());
        assert!(tokens.iter().all(|token| !works(&world, token)));
        assert!(works(&world, &of_bob));
        assert!(world.read(|conn| oauth::list(conn, ann)).is_empty());
    }

    fn with_an_application_go_its_tokens(database: &TestDatabase) {
        let world = World::on(database);
        let app = register(&world, "read");
        let grant = Grant::ClientCredentials { scope: None };
        let request = TokenRequest { client: Some(secret(&app)), grant };
        let token = exchange(&world, request.clone()).unwrap().token;
        let id = app.application.id;
        world.write(move |tx| applications::delete(tx, id)).unwrap();
        assert!(!works(&world, &token));
        assert_eq!(refused(&world, request), Fault::InvalidClient);
        assert!(world.write(move |tx| applications::delete(tx, id)).is_err());
    }
}
