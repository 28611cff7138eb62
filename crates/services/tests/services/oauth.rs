//! The authorization server: codes, tokens, revocation.

use std::{sync::Barrier, thread, time::Duration};

use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{Tx, tokens as token_rows};
use siskin_policy::limits::MAX_ACCESS_TOKENS;
use siskin_services::{
    Result,
    accounts::{self, Decision, NewPassword, leave},
    applications::{self, Registered, Registration},
    authentication,
    oauth::{
        self, Asked, Authorization, Checked, ClientSecret, Fault, Grant, Issued, Outcome,
        Revocation, TokenRequest,
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

fn signed_in(world: &World, account: AccountId) -> SessionId {
    let browser = sessions::Browser::default();
    let token = world.write(move |tx| sessions::begin(tx, account, &browser)).unwrap();
    world.read(|conn| sessions::find(conn, &token, world.now())).unwrap().session
}

fn approve(world: &World, account: AccountId, asked: &Asked) -> String {
    let granted = good(world, asked);
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
        assert!(!works(&world, &issued[0].token), "the other nine requests used the same code");
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
        for challenge in [None, Some(String::new())] {
            let unprotected = Asked { code_challenge: challenge, ..challenged.clone() };
            assert_eq!(fault(&world, &unprotected), Some(Fault::InvalidRequest));
        }
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

    fn whatever_ends_access_ends_codes_too(database: &TestDatabase) {
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
                let first = approve(world, account, &asked(app));
                exchange(world, with_code(app, &first)).unwrap();
                refused(world, with_code(app, &first));
            })),
            ("the application is withdrawn", Box::new(|world, account, app, _| {
                let id = app.application.id;
                world.write(move |tx| oauth::withdraw(tx, account, id)).unwrap();
            })),
            ("the application is deleted", Box::new(|world, _, app, _| {
                let id = app.application.id;
                world.write(move |tx| applications::delete(tx, id)).unwrap();
            })),
            ("suspended and back", again(Decision::Suspended)),
            ("disabled and back", again(Decision::Disabled)),
            ("the password is changed by the user", Box::new(|world, account, _, _| {
                let kept = signed_in(world, account);
                let new = NewPassword::new("battery staple").unwrap();
                world.write(move |tx| accounts::change_password(tx, account, kept, &new)).unwrap();
            })),
            ("the password is changed by the operator", write(|tx, account| {
                accounts::set_password(tx, account, &NewPassword::new("battery staple")?)
            })),
            ("the user deletes the account", write(leave::begin)),
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
            let first = approve(&world, ann, &asked(&app));
            let token = exchange(&world, with_code(&app, &first)).unwrap().token;
            let code = approve(&world, ann, &asked(&app));
            let of_bob = approve(&world, bob, &asked(&other));
            end(&world, ann, &app, &token);
            assert!(exchange(&world, with_code(&app, &code)).is_err(), "{way}");
            assert!(exchange(&world, with_code(&other, &of_bob)).is_ok(), "{way}");
        }
    }

    fn nobody_agrees_by_a_session_that_has_ended(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann").id, register(&world, "read write"));
        let granted = good(&world, &asked(&app));
        let session = signed_in(&world, ann);
        world.write(move |tx| sessions::end(tx, ann, session)).unwrap();
        let late = world.write(move |tx| oauth::approve(tx, ann, session, &granted));
        assert!(matches!(late, Err(siskin_services::Error::Unauthenticated(_))), "{late:?}");
    }

    fn of_an_exchange_and_the_end_of_access_at_once_no_token_is_left(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann").id, register(&world, "read write"));
        for _ in 0..8 {
            let code = approve(&world, ann, &asked(&app));
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
                assert!(!works(&world, &issued.token));
            }
        }
    }

    fn of_too_many_tokens_the_one_used_least_recently_ends(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, app) = (world.person("ann").id, register(&world, "read"));
        let request = move |app: &Registered| TokenRequest {
            client: Some(secret(app)),
            grant: Grant::Password { account: ann, scope: None },
        };
        let first = exchange(&world, request(&app)).unwrap().token;
        world.pass(Duration::from_secs(10));
        let asked = request(&app);
        let more = world
            .write(move |tx| {
                let issue = |_| Ok(oauth::exchange(tx, &asked)?.unwrap().token);
                (1..MAX_ACCESS_TOKENS).map(issue).collect::<Result<Vec<_>>>()
            })
            .unwrap();
        assert!(works(&world, &first));
        world.pass(Duration::from_secs(10));
        let last = exchange(&world, request(&app)).unwrap().token;
        assert!(!works(&world, &first));
        assert!(works(&world, &more[0]) && works(&world, &last));
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
