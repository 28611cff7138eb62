//! The authorization server: codes, tokens, revocation.

use std::{sync::Barrier, thread, time::Duration};

use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{Tx, tokens as token_rows};
use siskin_policy::limits::MAX_ACCESS_TOKENS;
use siskin_services::{
    Result,
    accounts::{self, Decision, NewPassword, removal},
    applications::{self, Registered, Registration},
    authentication,
    oauth::{
        self, Authorization, AuthorizationParams, Checked, ClientSecret, Fault, Grant, Issued,
        Outcome, Revocation, TokenRequest,
    },
    sessions,
};
use siskin_test_support::both_engines;

use crate::world::World;

const BACK: &str = "https://app.example/back";
// RFC 7636, appendix B.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

fn register(world: &World, scopes: &str) -> Registered {
    let params = Registration {
        name: "Tester".to_owned(),
        redirect_uris: vec![format!("{BACK}\n{}", oauth::OUT_OF_BAND)],
        scopes: Some(scopes.to_owned()),
        website: None,
    };
    let prepared = applications::prepare(&params).unwrap();
    world.write(move |tx| applications::register(tx, &prepared)).unwrap()
}

fn params(app: &Registered) -> AuthorizationParams {
    AuthorizationParams {
        response_type: Some("code".to_owned()),
        client_id: Some(app.application.client_id.clone()),
        redirect_uri: Some(BACK.to_owned()),
        scope: Some("read write".to_owned()),
        ..AuthorizationParams::default()
    }
}

fn check(world: &World, params: &AuthorizationParams) -> Checked {
    world.read(|conn| oauth::check(conn, params))
}

fn valid(world: &World, params: &AuthorizationParams) -> Authorization {
    match check(world, params) {
        Checked::Valid(valid) => *valid,
        other => panic!("the request was not granted: {other:?}"),
    }
}

fn fault(world: &World, params: &AuthorizationParams) -> Option<Fault> {
    match check(world, params) {
        Checked::Refused { refusal, .. } => Some(refusal.fault),
        Checked::Valid(_) | Checked::Untrusted(_) => None,
    }
}

fn signed_in(world: &World, account: AccountId) -> SessionId {
    let browser = sessions::Browser::default();
    let token = world.write(move |tx| sessions::begin(tx, account, &browser)).unwrap();
    world.read(|conn| sessions::find(conn, &token, world.now())).unwrap().session
}

fn approve(world: &World, account: AccountId, params: &AuthorizationParams) -> String {
    let granted = valid(world, params);
    let session = signed_in(world, account);
    world.write(move |tx| oauth::approve(tx, account, session, &granted)).unwrap()
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

fn is_valid(world: &World, token: &str) -> bool {
    world.read(|conn| authentication::authenticate(conn, token)).is_some()
}

fn revoke(world: &World, client: Option<ClientSecret>, token: Option<&str>) -> Outcome<()> {
    let request = Revocation { client, token: token.map(str::to_owned) };
    world.write(move |tx| oauth::revoke(tx, &request)).unwrap()
}

both_engines! {
    fn a_code_is_exchanged_for_a_token_of_the_user_who_approved(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write follow"));
        let code = approve(&world, ann.id, &params(&app));
        let issued = exchange(&world, with_code(&app, &code)).unwrap();
        assert_eq!(issued.scopes, "read write");
        assert_eq!(issued.created_at, world.now());
        let caller =
            world.read(|conn| authentication::authenticate(conn, &issued.token)).unwrap();
        assert_eq!(caller.user.unwrap().account, ann.id);
        assert_eq!(caller.application, Some(app.application.id));
        assert_eq!(caller.scopes.to_string(), "read write");
    }

    fn a_second_use_of_a_code_ends_the_token_of_the_first(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write"));
        let code = approve(&world, ann.id, &params(&app));
        let issued = exchange(&world, with_code(&app, &code)).unwrap();
        assert!(is_valid(&world, &issued.token));
        assert_eq!(refused(&world, with_code(&app, &code)), Fault::InvalidGrant);
        assert!(!is_valid(&world, &issued.token));
        assert_eq!(refused(&world, with_code(&app, &code)), Fault::InvalidGrant);
    }

    fn ten_simultaneous_exchanges_of_a_code_issue_one_token(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write"));
        let code = approve(&world, ann.id, &params(&app));
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
        assert!(!is_valid(&world, &issued[0].token), "the other nine requests used the same code");
    }

    fn a_code_is_bound_to_client_address_and_time(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write"));
        let other = register(&world, "read write");
        let code = approve(&world, ann.id, &params(&app));
        assert_eq!(refused(&world, with_code(&other, &code)), Fault::InvalidGrant);
        for redirect_uri in [oauth::OUT_OF_BAND, "", "https://app.example/back/"] {
            let redirect_uri = redirect_uri.to_owned();
            let grant = Grant::Code { code: code.clone(), redirect_uri, verifier: None };
            let request = TokenRequest { client: Some(secret(&app)), grant };
            assert_eq!(refused(&world, request), Fault::InvalidGrant);
        }
        world.pass(Duration::from_secs(599));
        assert!(exchange(&world, with_code(&app, &code)).is_ok());
        let code = approve(&world, ann.id, &params(&app));
        world.pass(Duration::from_secs(600));
        assert_eq!(refused(&world, with_code(&app, &code)), Fault::InvalidGrant);
        assert_eq!(refused(&world, with_code(&app, "no code")), Fault::InvalidGrant);
    }

    fn a_challenge_needs_its_verifier_and_a_verifier_its_challenge(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann"), register(&world, "read write"));
        let challenged = AuthorizationParams {
            code_challenge: Some(CHALLENGE.to_owned()),
            code_challenge_method: Some("S256".to_owned()),
            ..params(&app)
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
        let code = approve(&world, ann.id, &params(&app));
        assert_eq!(refused(&world, request(&code, Some(VERIFIER))), Fault::InvalidGrant);
        for challenge in [None, Some(String::new())] {
            let unprotected = AuthorizationParams { code_challenge: challenge, ..challenged.clone() };
            assert_eq!(fault(&world, &unprotected), Some(Fault::InvalidRequest));
        }
        let plain = AuthorizationParams { code_challenge_method: None, ..challenged };
        assert_eq!(fault(&world, &plain), Some(Fault::InvalidRequest));
    }

    fn only_registered_redirect_uris_get_a_response(database: &TestDatabase) {
        let world = World::on(database);
        let app = register(&world, "read");
        let params = AuthorizationParams { scope: Some("read".to_owned()), ..params(&app) };
        let at = |redirect_uri: &str| AuthorizationParams {
            redirect_uri: Some(redirect_uri.to_owned()),
            ..params.clone()
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
        let unknown_client = AuthorizationParams { client_id: Some("nobody".to_owned()), ..params.clone() };
        assert!(matches!(check(&world, &unknown_client), Checked::Untrusted(_)));
        assert!(valid(&world, &at(oauth::OUT_OF_BAND)).redirect_uri.is_out_of_band());

        let scope = |scope: &str| AuthorizationParams { scope: Some(scope.to_owned()), ..params.clone() };
        assert_eq!(fault(&world, &scope("read write")), Some(Fault::InvalidScope));
        assert_eq!(fault(&world, &scope("fly")), Some(Fault::InvalidScope));
        assert_eq!(valid(&world, &scope("")).scopes.to_string(), "read");
        let response_type = |kind: &str| AuthorizationParams {
            response_type: Some(kind.to_owned()),
            ..params.clone()
        };
        assert_eq!(fault(&world, &response_type("token")), Some(Fault::UnsupportedResponseType));
        assert_eq!(fault(&world, &response_type("")), Some(Fault::InvalidRequest));
    }

    fn an_application_gets_a_token_for_itself(database: &TestDatabase) {
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
        assert_eq!(caller.user, None);
        assert_eq!(refused(&world, request("wrong", "read")), Fault::InvalidClient);
        assert_eq!(refused(&world, request(&app.client_secret, "push")), Fault::InvalidScope);
        let unknown_client = TokenRequest { client: None, grant: Grant::ClientCredentials { scope: None } };
        assert_eq!(refused(&world, unknown_client), Fault::InvalidClient);
    }

    fn an_application_revokes_only_its_own_tokens(database: &TestDatabase) {
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
        assert!(is_valid(&world, &token));
        assert_eq!(revoke(&world, Some(secret(&app)), Some("unknown")), Ok(()));
        assert_eq!(revoke(&world, Some(secret(&app)), Some(&token)), Ok(()));
        assert!(!is_valid(&world, &token));
        assert_eq!(revoke(&world, Some(secret(&app)), Some(&token)), Ok(()));
    }

    fn a_user_lists_and_withdraws_authorized_applications(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann").id, world.person("bob").id);
        let app = register(&world, "read write");
        let mut tokens = Vec::new();
        for scope in ["read", "write:statuses"] {
            let params = AuthorizationParams { scope: Some(scope.to_owned()), ..params(&app) };
            let code = approve(&world, ann, &params);
            tokens.push(exchange(&world, with_code(&app, &code)).unwrap().token);
        }
        let code = approve(&world, bob, &params(&app));
        let of_bob = exchange(&world, with_code(&app, &code)).unwrap().token;

        let listed = world.read(|conn| oauth::list(conn, ann));
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].application, app.application);
        assert_eq!(listed[0].scopes, "write:statuses read");

        let id = app.application.id;
        let withdraw = || -> Result<()> { world.write(move |tx| oauth::withdraw(tx, ann, id)) };
        withdraw().unwrap();
        assert!(withdraw().is_err());
        assert!(tokens.iter().all(|token| !is_valid(&world, token)));
        assert!(is_valid(&world, &of_bob));
        assert!(world.read(|conn| oauth::list(conn, ann)).is_empty());
    }

    fn every_end_of_access_ends_authorization_codes(database: &TestDatabase) {
        type End = Box<dyn Fn(&World, AccountId, &Registered, &str)>;
        let write = |end: fn(&mut Tx<'_>, AccountId) -> Result<()>| -> End {
            Box::new(move |world: &World, account, _: &Registered, _: &str| {
                world.write(move |tx| end(tx, account)).unwrap();
            })
        };
        let again = |decision: fn(bool) -> Decision| -> End {
            Box::new(move |world: &World, account, _: &Registered, _: &str| {
                for yes in [true, false] {
                    world.write(move |tx| accounts::decide(tx, account, decision(yes))).unwrap();
                }
            })
        };
        let ways: [(&str, End); 12] = [
            ("a token is revoked by its application", Box::new(|world, _, app, token| {
                revoke(world, Some(secret(app)), Some(token)).unwrap();
            })),
            ("a token is revoked by the operator", Box::new(|world, _, _, token| {
                let hash = siskin_services::secrets::hash(token);
                world.write(move |tx| {
                    let (id, _) = token_rows::find_application(tx, &hash)?.unwrap();
                    assert!(token_rows::delete(tx, id)?);
                    Ok(())
                }).unwrap();
            })),
            ("a code is used twice", Box::new(|world, account, app, _| {
                let first = approve(world, account, &params(app));
                exchange(world, with_code(app, &first)).unwrap();
                refused(world, with_code(app, &first));
            })),
            ("the application is withdrawn", Box::new(|world, account, app, _| {
                let id = app.application.id;
                world.write(move |tx| oauth::withdraw(tx, account, id)).unwrap();
            })),
            ("the application is deleted", Box::new(|world, _, app, _| {
                let id = app.application.id;
                world.write(move |tx| applications::delete_some(tx, id)).unwrap();
            })),
            ("suspended and back", again(Decision::Suspended)),
            ("disabled and back", again(Decision::Disabled)),
            ("the password is changed by the user", Box::new(|world, account, _, _| {
                let current = signed_in(world, account);
                let new = NewPassword::new("battery staple").unwrap();
                world.write(move |tx| accounts::change_password(tx, account, current, &new)).unwrap();
            })),
            ("the password is changed by the operator", write(|tx, account| {
                accounts::set_password(tx, account, &NewPassword::new("battery staple")?)
            })),
            ("the user deletes the account", write(removal::begin)),
            ("other sessions are ended", write(|tx, account| {
                sessions::end_others(tx, account, None).map(drop)
            })),
            ("a session is revoked", Box::new(|world, account, _, _| {
                let session = signed_in(world, account);
                world.write(move |tx| sessions::revoke(tx, account, session)).unwrap();
            })),
        ];
        let world = World::on(database);
        world.person("owner");
        let bob = world.person("bob").id;
        for (number, (way, end)) in ways.iter().enumerate() {
            let ann = world.person(&format!("ann{number}")).id;
            let (app, other) = (register(&world, "read write"), register(&world, "read write"));
            let first = approve(&world, ann, &params(&app));
            let token = exchange(&world, with_code(&app, &first)).unwrap().token;
            let code = approve(&world, ann, &params(&app));
            let of_bob = approve(&world, bob, &params(&other));
            end(&world, ann, &app, &token);
            assert!(exchange(&world, with_code(&app, &code)).is_err(), "{way}");
            assert!(exchange(&world, with_code(&other, &of_bob)).is_ok(), "{way}");
        }
    }

    fn an_ended_session_cannot_approve_a_request(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann").id, register(&world, "read write"));
        let granted = valid(&world, &params(&app));
        let session = signed_in(&world, ann);
        world.write(move |tx| sessions::end(tx, ann, session)).unwrap();
        let late = world.write(move |tx| oauth::approve(tx, ann, session, &granted));
        assert!(matches!(late, Err(siskin_services::Error::Unauthenticated(_))), "{late:?}");
    }

    fn no_token_survives_a_simultaneous_end_of_access(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann").id, register(&world, "read write"));
        for _ in 0..8 {
            let code = approve(&world, ann, &params(&app));
            let start = Barrier::new(2);
            let outcome = thread::scope(|scope| {
                let exchanged = scope.spawn(|| {
                    start.wait();
                    exchange(&world, with_code(&app, &code))
                });
                let new = NewPassword::new("battery staple").unwrap();
                start.wait();
                world.write(move |tx| accounts::set_password(tx, ann, &new)).unwrap();
                exchanged.join().unwrap()
            });
            if let Ok(issued) = outcome {
                assert!(!is_valid(&world, &issued.token));
            }
        }
    }

    fn the_least_recently_used_token_ends_beyond_the_limit(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann").id, register(&world, "read"));
        let request = move |app: &Registered| TokenRequest {
            client: Some(secret(app)),
            grant: Grant::Password { account: ann, scope: None },
        };
        let first = exchange(&world, request(&app)).unwrap().token;
        world.pass(Duration::from_secs(10));
        let params = request(&app);
        let more = world
            .write(move |tx| {
                let issue = |_| Ok(oauth::exchange(tx, &params)?.unwrap().token);
                (1..MAX_ACCESS_TOKENS).map(issue).collect::<Result<Vec<_>>>()
            })
            .unwrap();
        assert!(is_valid(&world, &first));
        world.pass(Duration::from_secs(10));
        let last = exchange(&world, request(&app)).unwrap().token;
        assert!(!is_valid(&world, &first));
        assert!(is_valid(&world, &more[0]) && is_valid(&world, &last));
    }

    fn deleting_an_application_deletes_its_tokens(database: &TestDatabase) {
        let world = World::on(database);
        let app = register(&world, "read");
        let grant = Grant::ClientCredentials { scope: None };
        let request = TokenRequest { client: Some(secret(&app)), grant };
        let token = exchange(&world, request.clone()).unwrap().token;
        let id = app.application.id;
        world.write(move |tx| applications::delete_some(tx, id)).unwrap();
        assert!(!is_valid(&world, &token));
        assert_eq!(refused(&world, request), Fault::InvalidClient);
        assert!(world.write(move |tx| applications::delete_some(tx, id)).is_err());
    }
}
