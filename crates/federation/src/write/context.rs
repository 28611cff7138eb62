//! Contexts of documents: what their terms mean to programs that read JSON-LD.

use std::collections::BTreeSet;

use super::node::{Members, Node};

const ACTIVITY_STREAMS: &str = "https://www.w3.org/ns/activitystreams";
/// `publicKey` of actors, and the members of Linked-Data signatures.
const SECURITY: &str = "https://w3id.org/security/v1";
/// `assertionMethod` of actors.
const CONTROLLED_IDENTIFIERS: &str = "https://www.w3.org/ns/cid/v1";
/// `proof`.
const DATA_INTEGRITY: &str = "https://w3id.org/security/data-integrity/v2";

/// Whether a proof and a signature are appended to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signing {
    Planned,
    Never,
}

/// How the values of a term are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As texts, numbers or truth values; or the term is a type.
    Plain,
    /// As addresses or objects.
    Id,
    /// As an ordered list.
    List,
}

/// Vocabularies with the prefixes that stand for them. That of `ActivityStreams` defines `as`.
const PREFIXES: [(&str, &str); 6] = [
    ("toot", "http://joinmastodon.org/ns#"),
    ("schema", "http://schema.org#"),
    ("ostatus", "http://ostatus.org#"),
    ("gts", "https://gotosocial.org/ns#"),
    ("misskey", "https://misskey-hub.net/ns#"),
    ("fedibird", "http://fedibird.com/ns#"),
];

/// Terms that none of the published contexts defines. A published context forbids to define
/// `alsoKnownAs` in another way.
const TERMS: [(&str, &str, Reading); 32] = [
    ("sensitive", "as:sensitive", Reading::Plain),
    ("Hashtag", "as:Hashtag", Reading::Plain),
    ("manuallyApprovesFollowers", "as:manuallyApprovesFollowers", Reading::Plain),
    ("movedTo", "as:movedTo", Reading::Id),
    ("quoteUrl", "as:quoteUrl", Reading::Plain),
    ("Emoji", "toot:Emoji", Reading::Plain),
    ("blurhash", "toot:blurhash", Reading::Plain),
    ("focalPoint", "toot:focalPoint", Reading::List),
    ("featured", "toot:featured", Reading::Id),
    ("featuredTags", "toot:featuredTags", Reading::Id),
    ("votersCount", "toot:votersCount", Reading::Plain),
    ("discoverable", "toot:discoverable", Reading::Plain),
    ("indexable", "toot:indexable", Reading::Plain),
    ("memorial", "toot:memorial", Reading::Plain),
    ("suspended", "toot:suspended", Reading::Plain),
    ("attributionDomains", "toot:attributionDomains", Reading::Plain),
    ("PropertyValue", "schema:PropertyValue", Reading::Plain),
    ("value", "schema:value", Reading::Plain),
    ("conversation", "ostatus:conversation", Reading::Plain),
    ("interactionPolicy", "gts:interactionPolicy", Reading::Id),
    ("canQuote", "gts:canQuote", Reading::Id),
    ("canReply", "gts:canReply", Reading::Id),
    ("canLike", "gts:canLike", Reading::Id),
    ("canAnnounce", "gts:canAnnounce", Reading::Id),
    ("automaticApproval", "gts:automaticApproval", Reading::Id),
    ("manualApproval", "gts:manualApproval", Reading::Id),
    ("_misskey_quote", "misskey:_misskey_quote", Reading::Plain),
    ("quoteUri", "fedibird:quoteUri", Reading::Plain),
    ("quote", "https://w3id.org/fep/044f#quote", Reading::Id),
    ("quoteAuthorization", "https://w3id.org/fep/044f#quoteAuthorization", Reading::Id),
    ("webfinger", "https://purl.archive.org/socialweb/webfinger#webfinger", Reading::Plain),
    ("implements", "https://w3id.org/fep/844e/implements", Reading::Id),
];

/// Returns a document of these members, with the contexts that they need.
pub(super) fn document(members: Members<'_>, signing: Signing) -> Vec<u8> {
    let mut names = BTreeSet::new();
    collect(&members, &mut names);
    let context = context(&names, signing);
    Members::default().with("@context", context).followed_by(members).into_bytes()
}

/// Collects the names of all members and types.
fn collect<'a>(members: &Members<'a>, names: &mut BTreeSet<&'a str>) {
    for (name, value) in members.iter() {
        names.insert(name);
        match value {
            Node::Object(inner) => collect(inner, names),
            Node::List(values) => values.iter().for_each(|value| {
                if let Node::Object(inner) = value {
                    collect(inner, names);
                }
            }),
            Node::Text(std::borrow::Cow::Borrowed(kind)) if name == "type" => {
                names.insert(kind);
            }
            _ => {}
        }
    }
}

fn context(names: &BTreeSet<&str>, signing: Signing) -> Node<'static> {
    let is_signed = signing == Signing::Planned;
    let has = |name| names.contains(name);
    let published = [
        (ACTIVITY_STREAMS, true),
        (SECURITY, is_signed || has("publicKey")),
        (CONTROLLED_IDENTIFIERS, has("assertionMethod")),
        (DATA_INTEGRITY, is_signed),
    ];
    let named = published.into_iter().filter(|(_, is_needed)| *is_needed);
    let mut contexts: Vec<Node<'_>> = named.map(|(name, _)| Node::Text(name.into())).collect();
    let own = own_terms(names);
    if !own.is_empty() {
        contexts.push(Node::Object(own));
    }
    if contexts.len() == 1 { Node::Text(ACTIVITY_STREAMS.into()) } else { Node::List(contexts) }
}

/// Returns the definitions of the terms among these names, after those of their prefixes.
fn own_terms(names: &BTreeSet<&str>) -> Members<'static> {
    let used: Vec<_> = TERMS.into_iter().filter(|(name, ..)| names.contains(name)).collect();
    let has_prefix =
        |prefix: &str| used.iter().any(|(_, meaning, _)| meaning.split(':').next() == Some(prefix));
    let prefixes = PREFIXES.into_iter().filter(|(prefix, _)| has_prefix(prefix));
    let defined = prefixes.fold(Members::default(), |it, (name, meaning)| it.text(name, meaning));
    used.iter().fold(defined, |it, (name, meaning, reading)| {
        let id = Members::default().text("@id", *meaning);
        match reading {
            Reading::Plain => it.text(name, *meaning),
            Reading::Id => it.object(name, Some(id.text("@type", "@id"))),
            Reading::List => it.object(name, Some(id.text("@container", "@list"))),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context_of(members: Members<'_>, signing: Signing) -> String {
        let document: serde_json::Value =
            serde_json::from_slice(&document(members, signing)).unwrap();
        document["@context"].to_string()
    }

    #[test]
    fn only_terms_that_are_used_are_defined() {
        let plain = Members::with_id("https://a.example/1", "Note").text("content", "Emoji");
        assert_eq!(context_of(plain.clone(), Signing::Never), format!("{ACTIVITY_STREAMS:?}"));
        assert_eq!(
            context_of(plain.clone(), Signing::Planned),
            format!("[{ACTIVITY_STREAMS:?},{SECURITY:?},{DATA_INTEGRITY:?}]")
        );
        let tagged =
            plain.objects("tag", [Members::of("Emoji").flag("sensitive", true)].into_iter());
        assert_eq!(
            context_of(tagged, Signing::Never),
            format!(
                "[{ACTIVITY_STREAMS:?},{}]",
                r#"{"Emoji":"toot:Emoji","sensitive":"as:sensitive","toot":"http://joinmastodon.org/ns#"}"#
            )
        );
    }

    #[test]
    fn every_prefix_of_a_term_is_known() {
        for (name, meaning, _) in TERMS {
            let prefix = meaning.split(':').next().unwrap();
            let is_known = PREFIXES.iter().any(|(known, _)| *known == prefix);
            assert!(is_known || matches!(prefix, "as" | "https"), "{name}");
        }
    }
}
