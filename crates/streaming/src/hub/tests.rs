use super::*;
use crate::{Message, SessionEvent, StreamParams};

use siskin_policy::scopes::{Scope, Scopes};

fn owner(account: i64, token: i64) -> SessionOwner {
    let (account, token) = (AccountId::new(account), TokenId::new(token));
    SessionOwner { account, token, application: Some(ApplicationId::new(1)), address: None }
}

fn stream(name: &str) -> Subscription {
    let params = StreamParams { stream: name.to_owned(), ..StreamParams::default() };
    params.parse(&Scopes::from(Scope::Read)).unwrap()
}

fn message(session: &Session, id: i64) -> Delivery {
    Delivery {
        session: session.id(),
        names: stream("user").names,
        message: Arc::new(Message::new(id, "delete", Some(id.to_string()))),
    }
}

async fn next_id(session: &mut Session) -> i64 {
    match session.next().await {
        SessionEvent::Message(delivery) => delivery.message.id,
        SessionEvent::End(why) => panic!("ended: {why:?}"),
    }
}

async fn end(session: &mut Session) -> End {
    match session.next().await {
        SessionEvent::End(why) => why,
        SessionEvent::Message(delivery) => panic!("{delivery:?}"),
    }
}

#[tokio::test]
async fn a_session_receives_its_deliveries_in_order() {
    let hub = Arc::new(Hub::new(0));
    let (mut one, mut other) =
        (hub.join(owner(1, 1), 9).unwrap(), hub.join(owner(1, 2), 9).unwrap());
    hub.deliver(vec![message(&one, 1), message(&other, 1), message(&one, 2)], 2);
    assert_eq!((next_id(&mut one).await, next_id(&mut one).await), (1, 2));
    assert_eq!(next_id(&mut other).await, 1);
    assert_eq!(hub.position(), 2);
}

#[tokio::test]
async fn only_a_slow_session_is_closed() {
    let hub = Arc::new(Hub::new(0));
    let (mut slow, mut quick) =
        (hub.join(owner(1, 1), 9).unwrap(), hub.join(owner(2, 2), 9).unwrap());
    for id in 0..=i64::try_from(QUEUE_CAPACITY).unwrap() {
        hub.deliver(vec![message(&slow, id), message(&quick, id)], id);
        assert_eq!(next_id(&mut quick).await, id);
    }
    assert_eq!(end(&mut slow).await, End::TooSlow);
    assert_eq!(hub.sessions(), 1);
}

#[test]
fn an_account_has_a_maximum_number_of_streams() {
    let hub = Arc::new(Hub::new(0));
    let first = hub.join(owner(1, 1), 2).unwrap();
    let _second = hub.join(owner(1, 1), 2).unwrap();
    assert_eq!(hub.join(owner(1, 1), 2).unwrap_err(), JoinError::TooMany);
    assert!(hub.join(owner(2, 2), 2).is_ok());
    drop(first);
    assert!(hub.join(owner(1, 1), 2).is_ok());
}

#[test]
fn a_stream_is_subscribed_to_once() {
    let hub = Arc::new(Hub::new(0));
    let session = hub.join(owner(1, 1), 9).unwrap();
    assert!(hub.audience().is_empty());
    assert!(hub.subscribe(session.id(), &stream("user"), true).unwrap().is_some());
    assert_eq!(hub.subscribe(session.id(), &stream("user"), true), Ok(None));
    assert_eq!(hub.audience().listeners().len(), 1);
    hub.unsubscribe(session.id(), &stream("user").stream);
    assert!(hub.audience().is_empty());
}

#[test]
fn a_stream_that_catches_up_is_not_in_the_audience() {
    let hub = Arc::new(Hub::new(0));
    let session = hub.join(owner(1, 1), 9).unwrap();
    let user = stream("user");
    let first = hub.subscribe(session.id(), &user, false).unwrap().unwrap();
    assert!(hub.audience().is_empty() && hub.is_waiting(session.id(), first));
    assert!(hub.go_live(session.id(), first));
    assert_eq!(hub.audience().account_ids(), [AccountId::new(1)]);
    hub.unsubscribe(session.id(), &user.stream);
    assert!(!hub.go_live(session.id(), first));
    let second = hub.subscribe(session.id(), &user, false).unwrap().unwrap();
    assert!(!hub.is_waiting(session.id(), first) && !hub.go_live(session.id(), first));
    assert!(hub.audience().is_empty() && hub.is_waiting(session.id(), second));
}

#[tokio::test]
async fn sessions_affected_by_ended_access_are_found() {
    let hub = Arc::new(Hub::new(0));
    let mut one = hub.join(owner(1, 10), 9).unwrap();
    let _other = hub.join(owner(2, 20), 9).unwrap();
    let mine = vec![(one.id(), TokenId::new(10))];
    assert_eq!(hub.affected_sessions(Access::Token(TokenId::new(10))), mine);
    assert_eq!(hub.affected_sessions(Access::Account(AccountId::new(1))), mine);
    assert_eq!(hub.affected_sessions(Access::Application(ApplicationId::new(1))).len(), 2);
    assert_eq!(hub.affected_sessions(Access::Account(AccountId::new(3))), []);
    hub.end(one.id(), End::AccessEnded);
    assert_eq!(end(&mut one).await, End::AccessEnded);
}

#[tokio::test]
async fn sessions_of_blocked_addresses_end() {
    let hub = Arc::new(Hub::new(0));
    let at = |account, address: Option<&str>| {
        let address = address.map(|address| address.parse().unwrap());
        hub.join(SessionOwner { address, ..owner(account, account) }, 9).unwrap()
    };
    let mut blocked = at(1, Some("192.0.2.1"));
    let _others = [at(2, Some("192.0.2.2")), at(3, None)];
    hub.end_blocked(|address| address == IpAddr::from([192, 0, 2, 1]));
    assert_eq!(end(&mut blocked).await, End::NetworkBlocked);
    assert_eq!(hub.sessions(), 2);
}

#[tokio::test]
async fn a_stopped_hub_ends_all_sessions_and_accepts_none() {
    let hub = Arc::new(Hub::new(0));
    let mut session = hub.join(owner(1, 1), 9).unwrap();
    hub.stop();
    assert_eq!(end(&mut session).await, End::Stopping);
    assert_eq!(hub.join(owner(2, 2), 9).unwrap_err(), JoinError::Ended);
}
