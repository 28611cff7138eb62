//! Links that end emails about notifications, without a sign-in. They are signed, so the server does
//! not store them. They work for as long as the server keeps its key.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::hmac;
use siskin_entities::{EmailTopic, Urls};
use siskin_ids::AccountId;
use siskin_outbound::push::VapidKey;
use siskin_persistence::{Conn, Tx, emails as rows};

use crate::{Error, Result, vapid};

/// Distinguishes the key from others that are derived from the same private key.
const PURPOSE: &[u8] = b"siskin unsubscribe link";
/// Path of the page.
const PATH: &str = "/unsubscribe";

/// Parameters of a link, as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    pub account: String,
    /// Names of topics, separated by commas.
    pub topics: String,
    pub signature: String,
}

/// Returns the link that ends emails about these topics.
pub(super) fn link(
    urls: &Urls,
    key: &VapidKey,
    account: AccountId,
    topics: &[EmailTopic],
) -> String {
    let topics: Vec<&str> = topics.iter().map(|topic| topic.as_str()).collect();
    let (account, topics) = (account.to_string(), topics.join(","));
    let signature = hmac::sign(&signing_key(key), &signed(&account, &topics));
    let signature = URL_SAFE_NO_PAD.encode(signature.as_ref());
    let query = format!("?account={account}&topics={topics}&signature={signature}");
    urls.page(&format!("{PATH}{query}"))
}

/// Returns the topics of the emails that a link ends, whether the account still gets them or not.
///
/// # Errors
/// [`Error::NotFound`] if this server did not write the link.
pub fn topics_of_link(conn: &mut Conn, request: &Request) -> Result<Vec<EmailTopic>> {
    Ok(require_valid(conn, request)?.1)
}

/// Ends the emails about the topics of a link. Repeated calls do nothing.
///
/// # Errors
/// [`Error::NotFound`] if this server did not write the link.
pub fn unsubscribe(tx: &mut Tx<'_>, request: &Request) -> Result<()> {
    let (account, topics) = require_valid(tx, request)?;
    Ok(rows::remove_topics(tx, account, &topics)?)
}

fn require_valid(conn: &mut Conn, request: &Request) -> Result<(AccountId, Vec<EmailTopic>)> {
    let key = vapid::key(conn)?.ok_or(Error::NotFound)?;
    check(&key, request).ok_or(Error::NotFound)
}

/// Returns account and topics of a link that this server wrote.
fn check(key: &VapidKey, request: &Request) -> Option<(AccountId, Vec<EmailTopic>)> {
    let Request { account, topics, signature } = request;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    hmac::verify(&signing_key(key), &signed(account, topics), &signature).ok()?;
    let topics = topics.split(',').filter_map(EmailTopic::from_name).collect();
    Some((account.parse().ok()?, topics))
}

fn signing_key(key: &VapidKey) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, &key.derive_key(PURPOSE))
}

fn signed(account: &str, topics: &str) -> Vec<u8> {
    format!("{account}\n{topics}").into_bytes()
}

#[cfg(test)]
mod tests {
    use siskin_entities::NotificationKind;

    use super::*;

    fn request(link: &str) -> Request {
        let value = |name: &str| {
            let (_, rest) = link.split_once(&format!("{name}=")).unwrap();
            rest.split('&').next().unwrap().to_owned()
        };
        Request {
            account: value("account"),
            topics: value("topics"),
            signature: value("signature"),
        }
    }

    #[test]
    fn only_links_of_this_server_are_accepted() {
        let key = VapidKey::new(&[7; 32]).unwrap();
        let urls = Urls::new("https://a.example", "a.example", "https://a.example/media");
        let topics =
            vec![EmailTopic::Digest, EmailTopic::Notifications(NotificationKind::FollowRequest)];
        let account = AccountId::new(5);
        let good = request(&link(&urls, &key, account, &topics));
        assert_eq!(check(&key, &good), Some((account, topics)));
        for wrong in [
            Request { account: "6".to_owned(), ..good.clone() },
            Request { topics: "mention".to_owned(), ..good.clone() },
            Request { signature: "AAAA".to_owned(), ..good.clone() },
            Request { signature: "?".to_owned(), ..good.clone() },
            Request::default(),
        ] {
            assert_eq!(check(&key, &wrong), None, "{wrong:?}");
        }
        assert_eq!(check(&VapidKey::new(&[8; 32]).unwrap(), &good), None);
    }
}
