//! Chains without end, and handles that do not close.

use super::*;

#[test]
fn a_walk_ends_at_other_servers_at_itself_and_after_its_pages() {
    let page = |n: usize| uri(&format!("https://evil.example/c?page={n}"));
    let mut walk = PageWalk::new(uri("https://evil.example/c"));
    assert_eq!(walk.enter(&uri("https://evil.example/c")), Err(Refusal::RepeatedPage));
    assert_eq!(walk.enter(&uri("https://town.example/c")), Err(Refusal::ForeignPage));
    assert_eq!(walk.enter(&uri("https://evil.example:8443/c")), Err(Refusal::ForeignPage));
    assert_eq!(walk.enter(&page(1)), Ok(()));
    assert_eq!(walk.enter(&page(1)), Err(Refusal::RepeatedPage));
    assert_eq!(walk.enter(&uri("https://evil.example/c?page=1#x")), Err(Refusal::RepeatedPage));
    let entered = (2..1_000_000).take_while(|n| walk.enter(&page(*n)).is_ok()).count();
    assert_eq!(entered, MAX_COLLECTION_PAGES - 1);
    assert_eq!(walk.enter(&page(50)), Err(Refusal::TooManyPages));
}

#[test]
fn one_cause_has_a_number_of_requests() {
    for (mut budget, requests) in [
        (FetchBudget::of_activity(), MAX_ACTIVITY_FETCHES),
        (FetchBudget::of_thread(), MAX_THREAD_FETCHES),
    ] {
        assert_eq!(budget.left(), requests);
        assert_eq!((0..1000).take_while(|_| budget.spend().is_ok()).count(), requests);
        assert_eq!(budget.spend(), Err(Refusal::TooManyFetches));
    }
}

fn jrd(subject: &Value, account: &str) -> Jrd {
    let link = json!({"rel": "self", "type": "application/activity+json", "href": account});
    READER.jrd(json!({"subject": subject, "links": [link]}).to_string().as_bytes()).unwrap()
}

#[test]
fn a_handle_leads_back_to_its_account() {
    let handle = |text: &str| Handle::parse(text).unwrap();
    let asked = handle("alice@town.example");
    let closed = || Closing::Closed(asked.clone());
    let open = Closing::Open(Refusal::HandleNotClosed);
    for (subject, account, renamed, expected) in [
        (json!("acct:alice@town.example"), ALICE, Renamed::No, closed()),
        (json!("acct:Alice@TOWN.example"), ALICE, Renamed::No, closed()),
        (json!(null), ALICE, Renamed::No, closed()),
        // Handles on another domain than the server: once, never twice.
        (
            json!("acct:alice@other.example"),
            ALICE,
            Renamed::No,
            Closing::Ask(handle("alice@other.example")),
        ),
        (json!("acct:alice@other.example"), ALICE, Renamed::Once, open.clone()),
        (json!("acct:alice@town.example"), ALICE, Renamed::Once, closed()),
        // The answer leads to another account.
        (json!("acct:alice@town.example"), MALLORY, Renamed::No, open.clone()),
        (
            json!("acct:alice@town.example"),
            "https://town.example/users/Alice",
            Renamed::No,
            open.clone(),
        ),
        (json!(ALICE), ALICE, Renamed::No, open.clone()),
        (json!("acct:alice@town.example/x"), ALICE, Renamed::No, open),
    ] {
        let answer = jrd(&subject, account);
        assert_eq!(closes(&uri(ALICE), &asked, &answer, renamed), expected, "{subject} {account}");
    }
    let empty = READER.jrd(b"{}").unwrap();
    assert_eq!(
        closes(&uri(ALICE), &asked, &empty, Renamed::No),
        Closing::Open(Refusal::HandleNotClosed)
    );
}
