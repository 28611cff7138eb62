use super::*;
use crate::{Asked, Heard, News};

use siskin_policy::scopes::{Scope, Scopes};

fn who(account: i64, token: i64) -> Who {
    let (account, token) = (AccountId::new(account), TokenId::new(token));
    Who { account, token, application: Some(ApplicationId::new(1)) }
}

fn stream(name: &str) -> Subscription {
    let asked = Asked { stream: name.to_owned(), ..Asked::default() };
    asked.parse(&Scopes::from(Scope::Read)).unwrap()
}

fn news(session: &Session, id: i64) -> Delivery {
    Delivery {
        session: session.id(),
        names: stream("user").names,
        news: Arc::new(News::new(id, "delete", Some(id.to_string()))),
    }
}

async fn heard(session: &mut Session) -> i64 {
    match session.next().await {
        Heard::News(delivery) => delivery.news.id,
        Heard::End(why) => panic!("ended: {why:?}"),
    }
}

async fn end(session: &mut Session) -> End {
    match session.next().await {
        Heard::End(why) => why,
        Heard::News(delivery) => panic!("{delivery:?}"),
    }
}

#[tokio::test]
async fn a_session_hears_what_is_delivered_to_it_in_order() {
    let hub = Arc::new(Hub::new(0));
    let (mut one, mut other) = (hub.join(who(1, 1), 9).unwrap(), hub.join(who(1, 2), 9).unwrap());
    hub.deliver(vec![news(&one, 1), news(&other, 1), news(&one, 2)], 2);
    assert_eq!((heard(&mut one).await, heard(&mut one).await), (1, 2));
    assert_eq!(heard(&mut other).await, 1);
    assert_eq!(hub.position(), 2);
}

#[tokio::test]
async fn who_does_not_keep_up_is_dropped_and_nobody_else_is() {
    let hub = Arc::new(Hub::new(0));
    let (mut slow, mut quick) = (hub.join(who(1, 1), 9).unwrap(), hub.join(who(2, 2), 9).unwrap());
    for id in 0..=i64::try_from(QUEUE).unwrap() {
        hub.deliver(vec![news(&slow, id), news(&quick, id)], id);
        assert_eq!(heard(&mut quick).await, id);
    }
    assert_eq!(end(&mut slow).await, End::TooSlow);
    assert_eq!(hub.sessions(), 1);
}

#[test]
fn an_account_has_so_many_streams_and_no_more() {
    let hub = Arc::new(Hub::new(0));
    let first = hub.join(who(1, 1), 2).unwrap();
    let _second = hub.join(who(1, 1), 2).unwrap();
    assert_eq!(hub.join(who(1, 1), 2).unwrap_err(), JoinError::TooMany);
    assert!(hub.join(who(2, 2), 2).is_ok());
    drop(first);
    assert!(hub.join(who(1, 1), 2).is_ok());
}

#[test]
fn a_stream_is_subscribed_to_once() {
    let hub = Arc::new(Hub::new(0));
    let session = hub.join(who(1, 1), 9).unwrap();
    assert!(hub.audience().is_empty());
    assert!(hub.subscribe(session.id(), &stream("user"), true).unwrap().is_some());
    assert_eq!(hub.subscribe(session.id(), &stream("user"), true), Ok(None));
    assert_eq!(hub.audience().listeners().len(), 1);
    hub.unsubscribe(session.id(), &stream("user").stream);
    assert!(hub.audience().is_empty());
}

#[test]
fn what_is_still_told_what_it_missed_is_no_audience() {
    let hub = Arc::new(Hub::new(0));
    let session = hub.join(who(1, 1), 9).unwrap();
    let user = stream("user");
    let first = hub.subscribe(session.id(), &user, false).unwrap().unwrap();
    assert!(hub.audience().is_empty() && hub.is_waiting(session.id(), first));
    assert!(hub.go_live(session.id(), first));
    assert_eq!(hub.audience().people(), [AccountId::new(1)]);
    hub.unsubscribe(session.id(), &user.stream);
    assert!(!hub.go_live(session.id(), first));
    let second = hub.subscribe(session.id(), &user, false).unwrap().unwrap();
    assert!(!hub.is_waiting(session.id(), first) && !hub.go_live(session.id(), first));
    assert!(hub.audience().is_empty() && hub.is_waiting(session.id(), second));
}

#[tokio::test]
async fn those_whose_access_is_in_question_are_found() {
    let hub = Arc::new(Hub::new(0));
    let mut one = hub.join(who(1, 10), 9).unwrap();
    let _other = hub.join(who(2, 20), 9).unwrap();
    let mine = vec![(one.id(), TokenId::new(10))];
    assert_eq!(hub.bearers(Access::Token(TokenId::new(10))), mine);
    assert_eq!(hub.bearers(Access::Account(AccountId::new(1))), mine);
    assert_eq!(hub.bearers(Access::Application(ApplicationId::new(1))).len(), 2);
    assert_eq!(hub.bearers(Access::Account(AccountId::new(3))), []);
    hub.end(one.id(), End::AccessEnded);
    assert_eq!(end(&mut one).await, End::AccessEnded);
}

#[tokio::test]
async fn a_hub_that_stops_ends_all_and_takes_nobody() {
    let hub = Arc::new(Hub::new(0));
    let mut session = hub.join(who(1, 1), 9).unwrap();
    hub.stop();
    assert_eq!(end(&mut session).await, End::Stopping);
    assert_eq!(hub.join(who(2, 2), 9).unwrap_err(), JoinError::Ended);
}
