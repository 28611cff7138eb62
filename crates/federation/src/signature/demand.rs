//! Reads `Accept-Signature` (RFC 9421, 5.1), by which a server says what a signature must cover.

use crate::{
    keys::KeyKind,
    structured::{self, BareItem, InnerList, Member, Parameters},
};

use super::MAX_PARTS;

/// A signature that a server demands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    pub(super) label: String,
    /// Names of the parts to cover, in lower case.
    pub(super) parts: Vec<String>,
    pub(super) nonce: Option<String>,
    pub(super) tag: Option<String>,
    pub(super) expires: bool,
    algorithm: Option<String>,
}

impl Demand {
    /// Reads the value of the header. Returns the first demanded signature that this crate can
    /// make, and `None` if there is none.
    ///
    /// ```
    /// use siskin_federation::signature::Demand;
    ///
    /// let value = br#"sig1=("@method" "@target-uri");created;nonce="abc""#;
    /// assert!(Demand::read(value).is_some());
    /// assert_eq!(Demand::read(br#"sig1=("@query-param";name="a")"#), None);
    /// ```
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        let members = structured::dictionary(value).ok()?;
        members.into_iter().find_map(|(label, member)| match member {
            Member::List(list) => Self::of(label, &list),
            Member::Item(_) => None,
        })
    }

    fn of(label: String, list: &InnerList) -> Option<Self> {
        let parts = list.items.iter().map(|item| match &item.value {
            BareItem::String(name) if item.parameters.0.is_empty() => {
                is_part(name).then(|| name.clone())
            }
            _ => None,
        });
        let parts: Vec<String> = parts.collect::<Option<_>>()?;
        let is_known =
            |name: &str| matches!(name, "created" | "expires" | "keyid" | "alg" | "nonce" | "tag");
        if parts.len() > MAX_PARTS || !list.parameters.0.iter().all(|(name, _)| is_known(name)) {
            return None;
        }
        Some(Self {
            label,
            parts,
            nonce: string(&list.parameters, "nonce"),
            tag: string(&list.parameters, "tag"),
            expires: list.parameters.get("expires").is_some(),
            algorithm: string(&list.parameters, "alg"),
        })
    }

    /// Returns `true` if a key of this kind can make the signature.
    #[must_use]
    pub fn suits(&self, kind: KeyKind) -> bool {
        self.algorithm.as_deref().is_none_or(|name| name == algorithm_name(kind))
    }
}

/// Returns the name of the algorithm of a kind of keys (RFC 9421, 6.2).
pub(super) const fn algorithm_name(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Rsa => "rsa-v1_5-sha256",
        KeyKind::Ed25519 => "ed25519",
    }
}

fn is_part(name: &str) -> bool {
    let is_derived = matches!(
        name,
        "@method"
            | "@target-uri"
            | "@authority"
            | "@scheme"
            | "@request-target"
            | "@path"
            | "@query"
    );
    let is_header = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    is_derived || !name.is_empty() && name.bytes().all(is_header)
}

fn string(parameters: &Parameters, name: &str) -> Option<String> {
    match parameters.get(name) {
        Some(BareItem::String(text)) => Some(text.clone()),
        _ => None,
    }
}
