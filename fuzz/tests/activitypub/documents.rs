//! Documents: actors, statuses, activities, collections.

use siskin_federation::{
    address::Scheme,
    linked_data, proof,
    read::{Document, MAX_BYTES, Object, ReadError, limits},
};
use siskin_text::{Classes, sanitise};

use super::{NOW, READER, feature, private_key};

/// Members of documents, one a line.
pub const FRAGMENTS: &[&[u8]] = &[
    b"{\"@context\":\"https://www.w3.org/ns/activitystreams\",\"id\":\"https://far.example/1\",\"type\":\"Note\",\"content\":\"<p>x</p>\"}",
    b"\n",
    b",",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"true",
    b"-1",
    b"1e400",
    b"9007199254740993",
    b"[[[[[[[[",
    b"\"type\":\"Note\"\n",
    b"\"type\":[\"x:y\",\"Question\"]\n",
    b"\"type\":\"Article\"\n",
    b"\"type\":\"Event\"\n",
    b"\"type\":\"Video\"\n",
    b"\"type\":\"Person\"\n",
    b"\"type\":\"Tombstone\"\n",
    b"\"type\":\"OrderedCollectionPage\"\n",
    b"\"type\":\"Create\"\n",
    b"\"type\":\"Announce\"\n",
    b"\"type\":\"Undo\"\n",
    b"\"type\":\"Flag\"\n",
    b"\"id\":\"https://far.example/2\"\n",
    b"\"id\":null\n",
    b"\"id\":\"https://far.example@evil.example/\"\n",
    b"\"@context\":{\"actor\":\"as:object\"}\n",
    b"\"@context\":\"https://w3id.org/security/v1\"\n",
    b"\"@graph\":[]\n",
    b"\"@reverse\":{}\n",
    b"\"object\":\"https://far.example/2\"\n",
    b"\"object\":{\"type\":\"Note\",\"id\":\"https://far.example/3\",\"name\":\"yes\",\"inReplyTo\":\"https://town.example/1\"}\n",
    b"\"object\":{\"type\":\"Undo\",\"actor\":\"https://far.example/u\",\"object\":{\"type\":\"Like\"}}\n",
    b"\"target\":\"https://far.example/u/featured\"\n",
    b"\"attributedTo\":[{\"type\":\"Person\",\"id\":\"https://far.example/u\"}]\n",
    b"\"to\":\"as:Public\"\n",
    b"\"cc\":[\"https://far.example/u/followers\",null]\n",
    b"\"content\":\"<p class='quote-inline'>RE: <a href='https://a.example' class='mention'>@b</a>\"\n",
    b"\"content\":\"<span class=invisible>https://</span>&lt;script>\"\n",
    b"\"contentMap\":{\"de\":\"<p>x</p>\",\"en\":5}\n",
    b"\"mediaType\":\"text/markdown\"\n",
    b"\"summary\":\"cw &amp; <b>x\"\n",
    b"\"name\":\"\xE2\x80\x8B\"\n",
    b"\"published\":\"2026-11-27 08:00:00+0200\"\n",
    b"\"updated\":\"9999-12-31T23:59:60Z\"\n",
    b"\"url\":[{\"type\":\"Link\",\"href\":\"http://far.example/p\",\"mediaType\":\"text/html\"}]\n",
    b"\"tag\":[{\"type\":\"Mention\",\"href\":\"https://town.example/u\"},{\"type\":\"Hashtag\",\"name\":\"#x\"}]\n",
    b"\"tag\":{\"type\":\"Emoji\",\"name\":\":cat:\",\"icon\":{\"url\":\"https://far.example/e.png\"}}\n",
    b"\"attachment\":[{\"type\":\"Document\",\"url\":\"https://far.example/a\",\"mediaType\":\"image/png\",\"focalPoint\":[0.1,-2],\"width\":7,\"height\":1e3}]\n",
    b"\"attachment\":{\"type\":\"PropertyValue\",\"name\":\"n\",\"value\":\"<a href='https://a.example'>\"}\n",
    b"\"oneOf\":[{\"name\":\"a\",\"replies\":{\"totalItems\":-3}},{\"name\":\"b\"}]\n",
    b"\"anyOf\":{\"name\":\"c\"}\n",
    b"\"endTime\":\"2026-12-01\"\n",
    b"\"votersCount\":1e300\n",
    b"\"replies\":{\"id\":\"https://far.example/1/replies\",\"totalItems\":3,\"first\":{\"type\":\"CollectionPage\",\"next\":\"x\"}}\n",
    b"\"items\":[\"https://far.example/1\",{\"type\":\"Note\"}]\n",
    b"\"first\":{\"type\":\"CollectionPage\",\"items\":[]}\n",
    b"\"interactionPolicy\":{\"canReply\":{\"always\":\"as:Public\"},\"canQuote\":{}}\n",
    b"\"quoteUrl\":\"https://town.example/1\"\n",
    b"\"preferredUsername\":\"b.c\"\n",
    b"\"inbox\":\"https://far.example/u/inbox\"\n",
    b"\"endpoints\":{\"sharedInbox\":\"https://evil.example/inbox\"}\n",
    b"\"publicKey\":{\"id\":\"https://far.example/u#k\",\"owner\":\"https://far.example/u\",\"publicKeyPem\":\"-\"}\n",
    b"\"assertionMethod\":[{\"id\":\"https://far.example/u#e\",\"controller\":\"https://far.example/u\",\"publicKeyMultibase\":\"z6Mk\"}]\n",
    b"\"proof\":{\"type\":\"DataIntegrityProof\",\"cryptosuite\":\"eddsa-jcs-2022\",\"proofPurpose\":\"assertionMethod\",\"verificationMethod\":\"k\",\"proofValue\":\"z1\"}\n",
    b"\"signature\":{\"type\":\"RsaSignature2017\"}\n",
    b"\"directMessage\":true\n",
    "\"title\":\"\u{202E}é日本\"\n".as_bytes(),
    b"\xFF",
];

/// Members that most documents need.
const USUAL: [&str; 4] = [
    r#""@context":"https://www.w3.org/ns/activitystreams""#,
    r#""id":"https://far.example/1""#,
    r#""actor":"https://far.example/u""#,
    r#""object":"https://far.example/2""#,
];

/// Reads the input as it is, and its lines as members of a document.
pub fn check(input: &[u8]) -> Vec<u64> {
    let mut features = check_document(input);
    features.extend(check_document(&of_lines(input)));
    features
}

/// Returns a document with the lines of the input as members, and the usual ones that are missing.
fn of_lines(input: &[u8]) -> Vec<u8> {
    let input = String::from_utf8_lossy(input);
    let lines: Vec<&str> = input.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_missing = |member: &&str| {
        let name = member.split(':').next().unwrap_or_default();
        !lines.iter().any(|line| line.starts_with(name))
    };
    let usual: Vec<&str> = USUAL.into_iter().filter(is_missing).collect();
    format!("{{{}}}", [usual, lines].concat().join(",")).into_bytes()
}

fn check_document(bytes: &[u8]) -> Vec<u64> {
    let document = READER.document(bytes);
    let kind = match &document {
        Ok(Document::Actor(actor)) => (1, actor.kind.as_str().to_owned()),
        Ok(Document::Object(object)) => {
            check_object(object);
            (2, object.kind.as_str().to_owned())
        }
        Ok(Document::Activity(activity)) => (3, activity.action.kind().as_str().to_owned()),
        Ok(Document::Collection(collection)) => (4, collection.items.len().min(3).to_string()),
        Ok(Document::Tombstone(_)) => (5, String::new()),
        Err(error) => (6, error.reason().to_owned()),
    };
    check_activity(bytes);
    check_white_space(bytes, &document);
    check_proof(bytes);
    let keys = READER.key_document(bytes).map(|it| it.keys.len().min(3)).map_err(ReadError::reason);
    let info =
        READER.node_info(bytes).map(|it| it.protocols.len().min(3)).map_err(ReadError::reason);
    let quads = linked_data::n_quads(bytes).map(|it| it.lines().count().min(20));
    vec![feature(kind), feature(keys), feature(info), feature(quads.map_err(|it| it.reason()))]
}

fn check_object(object: &Object) {
    // An id that only links may have would be fetched without TLS.
    assert_eq!(object.id.origin().scheme(), Scheme::Https);
    assert_eq!(sanitise(&object.content, Classes::Kept), object.content);
    assert!(object.attachments.len() <= limits::ATTACHMENTS);
    assert!(object.tags.hashtags.len() <= limits::TAGS);
    assert!(object.vote().is_none() || object.content.is_empty());
    assert!(object.is_sensitive || object.warning.is_none());
    assert!(object.content.len() <= 2 * limits::CONTENT_BYTES);
}

/// What decides about the key of an activity must be what it does later.
fn check_activity(bytes: &[u8]) {
    if let Ok(activity) = READER.activity(bytes) {
        let envelope = READER.envelope(bytes).expect("an activity must have an envelope");
        assert_eq!(envelope.kind, activity.action.kind());
        assert_eq!((envelope.id, envelope.actor), (activity.id, activity.actor));
    }
}

fn check_white_space(bytes: &[u8], document: &Result<Document, ReadError>) {
    if bytes.len() + 3 <= MAX_BYTES {
        let padded = [b" ", bytes, b"\r\n"].concat();
        assert_eq!(&READER.document(&padded), document);
    }
}

/// Checks that a proof counts for the document that it was made for, and no proof of an input does.
fn check_proof(bytes: &[u8]) {
    let key = private_key();
    if let Ok(unverified) = proof::read(bytes, NOW) {
        assert!(unverified.check(key.public()).is_err());
    }
    if let Ok(proven) = proof::add(bytes, &key, "https://town.example/u#k", NOW) {
        let unverified = proof::read(&proven, NOW).expect("a proof must be readable");
        assert_eq!(unverified.check(key.public()), Ok(()));
        assert_eq!(READER.document(&proven), READER.document(bytes));
    }
}
