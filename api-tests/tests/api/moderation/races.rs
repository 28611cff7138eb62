//! Many decisions about one account at once: they leave one consistent state, and one entry of the
//! audit log for each change.

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_entities::{PageRequest, StrikeAction};
use siskin_persistence::{Conn, strikes};
use siskin_test_support::{MailSink, both_engines};

use crate::support::{Client, Response, TestApp, User, moderation::action_on, with_mail};

const AT_ONCE: usize = 50;

/// What staff see of an account that signed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct State {
    silenced: bool,
    suspended: bool,
    approved: bool,
    rejected: bool,
}

impl State {
    /// Returns the state after an entry of the audit log. `None` if the entry is no change.
    fn after(self, action: &str) -> Option<Self> {
        let Self { silenced, suspended, approved, rejected } = self;
        if rejected {
            return None;
        }
        match action {
            "silence" if !silenced => Some(Self { silenced: true, ..self }),
            "unsilence" if silenced => Some(Self { silenced: false, ..self }),
            "suspend" if !suspended => Some(Self { suspended: true, ..self }),
            "unsuspend" if suspended => Some(Self { suspended: false, ..self }),
            "approve" if !approved => Some(Self { approved: true, ..self }),
            "reject" if !approved => Some(Self { rejected: true, ..self }),
            _ => None,
        }
    }

    /// Returns the state of an account in a list for staff.
    async fn of(staff: &Client, account: &User) -> Self {
        let path = format!("/api/v1/admin/accounts/{}", account.id);
        let shown = staff.get(&path).await;
        if shown.status == 404 {
            let rejected = staff.listed_accounts("status=rejected").await;
            assert!(rejected.contains(&account.id), "the account is gone");
            return Self { rejected: true, ..Self::default() };
        }
        let shown = shown.ok();
        let is = |name: &str| shown[name] == true;
        let (silenced, suspended) = (is("silenced"), is("suspended"));
        Self { silenced, suspended, approved: is("approved"), rejected: false }
    }
}

async fn decide(staff: &Client, account: &User, decision: &str) -> Response {
    match decision {
        "none" | "sensitive" | "disable" | "silence" | "suspend" => {
            staff.json(&action_on(account, "action"), json!({ "type": decision })).await
        }
        other => staff.post(&action_on(account, other)).await,
    }
}

/// Sends fifty decisions at once, in this order again and again. Returns the responses with their
/// decisions.
async fn decide_at_once<'d>(
    staff: &Client,
    account: &User,
    decisions: &[&'d str],
) -> Vec<(&'d str, Response)> {
    let each = decisions.iter().copied().cycle().take(AT_ONCE);
    let sent = each.map(async |decision| (decision, decide(staff, account, decision).await));
    join_all(sent).await
}

/// Returns the actions of all strikes against an account, the first one first.
async fn strikes_of(app: &TestApp, account: &User) -> Vec<StrikeAction> {
    let account = account.id.parse().unwrap();
    let load = move |conn: &mut Conn| {
        let newest = PageRequest::newest(200);
        Ok(strikes::of_account(conn, account, newest)?.items)
    };
    let mut strikes = app.app().read(load).await.unwrap();
    strikes.reverse();
    strikes.iter().map(|strike| strike.action).collect()
}

/// Follows the audit log of an account from this state on. Each entry must be a change.
fn follow(log: &[&str], mut state: State) -> State {
    for (number, action) in log.iter().enumerate() {
        let next = state.after(action);
        state = next.unwrap_or_else(|| panic!("entry {number} of {log:?} changes nothing"));
    }
    state
}

/// Checks that the responses, the audit log, the strikes and the state tell the same story. Returns
/// the state.
async fn check(
    app: &TestApp,
    staff: &Client,
    account: &User,
    responses: &[(&str, Response)],
    before: State,
) -> State {
    for (decision, response) in responses {
        let is_known = matches!(response.status, 200 | 403 | 404);
        assert!(is_known, "{decision}: {response:?}");
    }
    let log = app.audited(account).await;
    let state = follow(&log, before);
    let shown = State::of(staff, account).await;
    if state.rejected {
        assert!(shown.rejected);
    } else {
        assert_eq!(shown, state, "{log:?}");
    }
    // Restrictions succeed although they exist already. The other decisions succeed only if they
    // change something.
    let succeeded = |name: &str| {
        let is_success =
            |(decision, response): &&(&str, Response)| *decision == name && response.status == 200;
        responses.iter().filter(is_success).count()
    };
    for name in ["unsilence", "unsuspend", "approve", "reject"] {
        let entries = log.iter().filter(|action| **action == name).count();
        assert_eq!(succeeded(name), entries, "{name}: {log:?}");
    }
    let restrictions: Vec<&str> =
        log.iter().copied().filter(|action| matches!(*action, "silence" | "suspend")).collect();
    let strikes: Vec<&str> =
        strikes_of(app, account).await.into_iter().map(StrikeAction::as_str).collect();
    assert_eq!(strikes, restrictions);
    state
}

/// Lifts all restrictions, approves the account, and returns its warnings, the first one first.
async fn warnings(staff: &Client, account: &User, state: State) -> Vec<Value> {
    for (undo, is_needed) in [("unsuspend", state.suspended), ("approve", !state.approved)] {
        if is_needed {
            decide(staff, account, undo).await.ok();
        }
    }
    let mut warnings = account.warnings().await;
    warnings.reverse();
    warnings
}

api_tests! {
    async fn mixed_decisions_about_a_sign_up_leave_one_result(app: &TestApp) {
        app.ask_for_approval().await;
        let mo = app.staff("mo", "Moderator").await;
        for (name, decisions) in [
            ("ann", ["silence", "unsilence", "suspend", "unsuspend", "approve", "reject"]),
            ("bob", ["reject", "suspend", "approve", "silence", "unsuspend", "unsilence"]),
            ("cem", ["suspend", "silence", "unsilence", "approve", "unsuspend", "reject"]),
        ] {
            let account = app.signs_up(name).await;
            let responses = decide_at_once(&mo, &account, &decisions).await;
            let state = check(app, &mo, &account, &responses, State::default()).await;
            assert!(state.approved != state.rejected, "{name}: {state:?}");
            // Both were sent more than once, so one of them was carried out.
            if state.rejected {
                for decision in decisions {
                    decide(&mo, &account, decision).await.expect(404);
                }
                continue;
            }
            let strikes = strikes_of(app, &account).await;
            let warnings = warnings(&mo, &account, state).await;
            let warned: Vec<&str> = warnings
                .iter()
                .map(|one| one["moderation_warning"]["action"].as_str().unwrap())
                .collect();
            let strikes: Vec<&str> = strikes.into_iter().map(StrikeAction::as_str).collect();
            assert_eq!(warned, strikes, "{name}");
        }
    }

    async fn mixed_restrictions_of_an_account_leave_one_result(app: &TestApp) {
        let (mo, ada) = (app.staff("mo", "Moderator").await, app.staff("ada", "Admin").await);
        let bob = app.user("bob").await;
        let before = State { approved: true, ..State::default() };
        let decisions = ["silence", "suspend", "unsilence", "approve", "unsuspend", "reject"];
        let (by_mo, by_ada) = tokio::join!(
            decide_at_once(&mo, &bob, &decisions),
            decide_at_once(&ada, &bob, &decisions),
        );
        let responses: Vec<_> = by_mo.into_iter().chain(by_ada).collect();
        let state = check(app, &mo, &bob, &responses, before).await;
        assert!(state.approved && !state.rejected);
        let strikes = strikes_of(app, &bob).await.len();
        assert_eq!(warnings(&mo, &bob, state).await.len(), strikes);
    }
}

both_engines! {
    fn the_same_decision_many_times_is_one_strike_with_one_email(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let (mo, ada) = (app.staff("mo", "Moderator").await, app.staff("ada", "Admin").await);
            for (kind, entry) in [
                ("sensitive", "mark_sensitive"),
                ("silence", "silence"),
                ("disable", "disable"),
                ("suspend", "suspend"),
            ] {
                let bob = app.user(&format!("bob_{kind}")).await;
                let kinds = [kind];
                let (by_mo, by_ada) = tokio::join!(
                    decide_at_once(&mo, &bob, &kinds),
                    decide_at_once(&ada, &bob, &kinds),
                );
                for (_, response) in by_mo.iter().chain(&by_ada) {
                    assert_eq!(response.ok(), json!({}), "{kind}");
                }
                assert_eq!(app.audited(&bob).await, [entry]);
                assert_eq!(strikes_of(app, &bob).await.len(), 1, "{kind}");
                let mails = app.mails(sink, &format!("bob_{kind}@example.com")).await;
                assert_eq!(mails.len(), 1, "{kind}");
                for undo in ["enable", "unsuspend"] {
                    decide(&ada, &bob, undo).await;
                }
                assert_eq!(bob.warnings().await.len(), 1, "{kind}");
            }
        });
    }
}
