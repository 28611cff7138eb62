//! Addressees of activities and objects, and the visibility that follows from them.

use std::collections::HashSet;

use crate::{
    address::Uri,
    json::{Members, Value},
    read::{Reader, limits},
};

/// Address of everyone (`ActivityPub`, section 5.6).
pub const PUBLIC: &str = "https://www.w3.org/ns/activitystreams#Public";

/// Where everyone is addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PublicIn {
    /// In `to`.
    To,
    /// In `cc` only.
    Cc,
}

/// Addressees. `bto` and `bcc` are not read: they are for the server of the author only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Audience {
    /// Where everyone is addressed; `None` if nowhere.
    pub public: Option<PublicIn>,
    /// Ids in `to` except for everyone. Together with `cc`, at most [`limits::ADDRESSEES`].
    pub to: Vec<Uri>,
    /// Ids in `cc` except for everyone.
    pub cc: Vec<Uri>,
    /// Groups in `audience` (FEP-1b12).
    pub groups: Vec<Uri>,
    /// What `LitePub` says about a direct message; `None` if nothing.
    pub is_direct_message: Option<bool>,
}

/// Visibility of an object by its addressees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Visible to all, and listed in public timelines.
    Public,
    /// Visible to all, but not listed in public timelines.
    Unlisted,
    /// Visible to followers and mentioned accounts.
    Private,
    /// Shown as private, but visible to those only that are addressed. They need not be mentioned.
    Limited,
    /// Visible to mentioned accounts.
    Direct,
}

impl Visibility {
    /// Returns the stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
            Self::Private => "private",
            Self::Limited => "limited",
            Self::Direct => "direct",
        }
    }
}

impl Audience {
    /// Returns all ids in `to` and `cc`, without everyone.
    pub fn addressed(&self) -> impl Iterator<Item = &Uri> {
        self.to.iter().chain(&self.cc)
    }

    /// Returns `true` if an account or a collection is in `to` or `cc`.
    #[must_use]
    pub fn addresses(&self, id: &Uri) -> bool {
        self.addressed().any(|it| it == id)
    }

    /// Returns the visibility of an object of `author` with these addressees.
    ///
    /// `followers` is the collection of the author's followers, which counts only if the actor
    /// document of the author names it. `mentioned` are the ids of its mention tags.
    ///
    /// - A direct message of `LitePub` is direct, whatever else is addressed.
    /// - Everyone in `to` makes it public, and in `cc` unlisted.
    /// - The followers make it private.
    /// - It is direct if all others that are addressed are mentioned, and else limited.
    ///
    /// An unknown collection counts as an addressee without a mention. It never makes an object
    /// visible to more accounts.
    #[must_use]
    pub fn visibility<'m>(
        &self,
        author: &Uri,
        followers: Option<&Uri>,
        mentioned: impl IntoIterator<Item = &'m Uri>,
    ) -> Visibility {
        if self.is_direct_message == Some(true) {
            return Visibility::Direct;
        }
        match self.public {
            Some(PublicIn::To) => return Visibility::Public,
            Some(PublicIn::Cc) => return Visibility::Unlisted,
            None => {}
        }
        if followers.is_some_and(|followers| self.addresses(followers)) {
            return Visibility::Private;
        }
        let mentioned: HashSet<&Uri> = mentioned.into_iter().collect();
        let are_mentioned = self.addressed().all(|it| it == author || mentioned.contains(it));
        if are_mentioned { Visibility::Direct } else { Visibility::Limited }
    }
}

impl Reader {
    /// Returns the addressees of an activity or an object.
    pub(crate) fn audience(self, members: Members<'_>) -> Audience {
        let in_to = members.items("to").any(is_public);
        let in_cc = members.items("cc").any(is_public);
        let public = match (in_to, in_cc) {
            (true, _) => Some(PublicIn::To),
            (false, true) => Some(PublicIn::Cc),
            (false, false) => None,
        };
        let to = self.accounts(members, "to", limits::ADDRESSEES);
        let cc = self.accounts(members, "cc", limits::ADDRESSEES - to.len());
        let groups = self.accounts(members, "audience", limits::AUTHORS);
        let is_direct_message = members.flag("directMessage");
        Audience { public, to, cc, groups, is_direct_message }
    }

    fn accounts(self, members: Members<'_>, name: &str, limit: usize) -> Vec<Uri> {
        let values = members.items(name).filter(|value| !is_public(value));
        let mut seen = HashSet::new();
        let uris = values.filter_map(|value| self.uri(value));
        uris.filter(|uri| seen.insert(uri.clone())).take(limit).collect()
    }
}

/// Returns `true` for everyone, in each form that a JSON-LD processor makes of it.
pub(crate) fn is_public(value: &Value) -> bool {
    let text = match Members::of(value) {
        Some(members) => members.text("id"),
        None => value.as_str(),
    };
    matches!(text, Some(PUBLIC | "as:Public" | "Public"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::address::Schemes;

    const AUTHOR: &str = "https://far.example/users/a";
    const FOLLOWERS: &str = "https://far.example/users/a/followers";
    const BOB: &str = "https://town.example/users/b";
    const EVE: &str = "https://town.example/users/e";

    fn uri(text: &str) -> Uri {
        Uri::parse(text, Schemes::Https).unwrap()
    }

    fn audience(value: &Value) -> Audience {
        Reader::default().audience(Members::of(value).unwrap())
    }

    fn visibility(value: &Value, mentioned: &[&str]) -> &'static str {
        let mentioned: Vec<Uri> = mentioned.iter().map(|it| uri(it)).collect();
        let followers = uri(FOLLOWERS);
        audience(value).visibility(&uri(AUTHOR), Some(&followers), &mentioned).as_str()
    }

    #[test]
    fn addressees_decide_the_visibility() {
        for (value, mentioned, expected) in [
            (json!({"to": [PUBLIC], "cc": [FOLLOWERS]}), &[][..], "public"),
            (json!({"to": "as:Public"}), &[], "public"),
            (json!({"to": "Public"}), &[], "public"),
            (json!({"to": {"id": PUBLIC}}), &[], "public"),
            (json!({"to": FOLLOWERS, "cc": PUBLIC}), &[], "unlisted"),
            (json!({"to": [PUBLIC], "cc": [PUBLIC]}), &[], "public"),
            (json!({"to": [FOLLOWERS]}), &[], "private"),
            (json!({"cc": [FOLLOWERS, BOB]}), &[BOB], "private"),
            (json!({"to": [BOB]}), &[BOB], "direct"),
            (json!({"to": [BOB, AUTHOR]}), &[BOB], "direct"),
            (json!({"to": []}), &[], "direct"),
            (json!({}), &[], "direct"),
            (json!({"to": [BOB, EVE]}), &[BOB], "limited"),
            (json!({"to": [BOB]}), &[], "limited"),
            (json!({"to": [BOB], "directMessage": false}), &[], "limited"),
            (json!({"to": [BOB], "directMessage": true}), &[], "direct"),
            (json!({"to": [BOB, PUBLIC], "directMessage": true}), &[], "direct"),
            (json!({"to": ["https://far.example/users/c/followers"]}), &[], "limited"),
            // Neither of them is everyone.
            (json!({"to": "https://www.w3.org/ns/activitystreams#public"}), &[], "limited"),
            (json!({"to": "public"}), &[], "direct"),
            (json!({"bto": [PUBLIC], "bcc": [PUBLIC], "audience": [PUBLIC]}), &[], "direct"),
        ] {
            assert_eq!(visibility(&value, mentioned), expected, "{value}");
        }
    }

    #[test]
    fn followers_count_only_if_the_author_names_them() {
        let audience = audience(&json!({"to": [FOLLOWERS]}));
        assert_eq!(audience.visibility(&uri(AUTHOR), None, &[]), Visibility::Limited);
    }

    #[test]
    fn everyone_counts_behind_a_thousand_others() {
        let mut to: Vec<String> = (0..3000).map(|n| format!("https://far.example/{n}")).collect();
        to.push(PUBLIC.to_owned());
        let audience = audience(&json!({"to": to, "cc": [BOB]}));
        assert_eq!(audience.public, Some(PublicIn::To));
        assert_eq!((audience.to.len(), audience.cc.len()), (limits::ADDRESSEES, 0));
    }

    #[test]
    fn groups_are_named_apart() {
        let audience = audience(&json!({"to": [BOB], "audience": "https://far.example/c/cats"}));
        assert_eq!(audience.groups, [uri("https://far.example/c/cats")]);
        assert!(!audience.addresses(&audience.groups[0]));
    }

    proptest! {
        #[test]
        fn more_addressees_without_everyone_and_followers_never_widen(
            to in prop::collection::vec("https://[ab]\\.example/[a-c]", 0..5),
            mentioned in prop::collection::vec("https://[ab]\\.example/[a-c]", 0..5),
        ) {
            let mentioned: Vec<&str> = mentioned.iter().map(String::as_str).collect();
            let seen = visibility(&json!({"to": to}), &mentioned);
            prop_assert!(matches!(seen, "direct" | "limited"));
        }
    }
}
