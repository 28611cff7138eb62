//! Makes signatures of requests.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use siskin_entities::Timestamp;

use super::{
    Demand, MAX_KEY_ID_LENGTH, Scheme, SigningError, cavage, demand::algorithm_name, is_signable,
    message,
};
use crate::{
    digest::DigestHeader,
    http_date,
    keys::{KeyKind, PrivateKey},
    request::Request,
    structured::{BareItem, InnerList, Item, Parameters},
};

/// Time after which a signature ends, if the other server demands that it ends.
const LIFETIME: Duration = Duration::from_mins(5);
/// Label of a signature that no server named.
const LABEL: &str = "sig1";

/// A header to add to a request: its name in lower case, and its value.
pub type Header = (&'static str, String);

/// Returns the headers that sign a request. The caller adds them, and sends no others of these
/// names.
///
/// - draft: `date`, with a body `digest`, and `signature` over
///   `(request-target) host date digest content-type`
/// - RFC 9421: with a body `content-digest`, and `signature-input` and `signature` over
///   `@method @target-uri @authority content-digest content-type`
///
/// The digest is left out of a `GET` or `HEAD` without a body, and `content-type` if the request
/// has none. RSA keys sign with SHA-256.
///
/// # Errors
/// Returns the reason if the request or the id of the key has no form in the headers.
pub fn sign(
    key: &PrivateKey,
    key_id: &str,
    request: &Request<'_>,
    now: Timestamp,
    scheme: Scheme,
) -> Result<Vec<Header>, SigningError> {
    check(key_id, request)?;
    match scheme {
        Scheme::Cavage => sign_cavage(key, key_id, request, now),
        Scheme::Rfc9421 => sign_message(key, key_id, request, now, None),
    }
}

/// Returns the headers that sign a request by RFC 9421, as `Accept-Signature` of the other server
/// demanded. What [`sign`] covers is covered in any case.
///
/// # Errors
/// Returns [`SigningError::Demand`] if the key does not suit, or a demanded header is absent.
/// Returns other reasons like [`sign`].
pub fn sign_as_demanded(
    key: &PrivateKey,
    key_id: &str,
    request: &Request<'_>,
    now: Timestamp,
    demand: &Demand,
) -> Result<Vec<Header>, SigningError> {
    check(key_id, request)?;
    if !demand.suits(key.kind()) {
        return Err(SigningError::Demand);
    }
    sign_message(key, key_id, request, now, Some(demand))
}

fn check(key_id: &str, request: &Request<'_>) -> Result<(), SigningError> {
    let is_plain = |c: u8| c.is_ascii_graphic() && !matches!(c, b'"' | b'\\');
    if key_id.is_empty() || key_id.len() > MAX_KEY_ID_LENGTH || !key_id.bytes().all(is_plain) {
        return Err(SigningError::KeyId);
    }
    let is_authority = |c: u8| c.is_ascii_graphic();
    let is_request = is_signable(request) && request.authority.bytes().all(is_authority);
    if is_request { Ok(()) } else { Err(SigningError::Request) }
}

/// Returns `true` if the request has a content type, which is then covered.
fn has_content_type(request: &Request<'_>) -> bool {
    request.values("content-type").next().is_some()
}

/// Signs bytes, and returns the signature in base64.
fn sign_bytes(key: &PrivateKey, base: &[u8]) -> Result<String, SigningError> {
    key.sign(base).map(|signature| STANDARD.encode(signature)).ok_or(SigningError::Key)
}

/// Returns the headers of a request, followed by those that are added. Old ones of the same names
/// are left out.
fn with_added<'r>(request: &Request<'r>, added: &'r [Header]) -> Vec<(&'r str, &'r [u8])> {
    let is_replaced = |name: &str| added.iter().any(|(new, _)| new.eq_ignore_ascii_case(name));
    let old = request.headers.iter().copied().filter(|(name, _)| !is_replaced(name));
    old.chain(added.iter().map(|(name, value)| (*name, value.as_bytes()))).collect()
}

fn sign_cavage(
    key: &PrivateKey,
    key_id: &str,
    request: &Request<'_>,
    now: Timestamp,
) -> Result<Vec<Header>, SigningError> {
    let mut covered = vec!["(request-target)", "host", "date"];
    let mut added = vec![("date", http_date::write(now).ok_or(SigningError::Time)?)];
    if !request.is_bodyless() {
        covered.push("digest");
        added.push(("digest", DigestHeader::Digest.value(request.body)));
        if has_content_type(request) {
            covered.push("content-type");
        }
    }
    let algorithm = match key.kind() {
        KeyKind::Rsa => "rsa-sha256",
        KeyKind::Ed25519 => "hs2019",
    };
    let parts: Vec<String> = covered.iter().map(|part| (*part).to_owned()).collect();
    let headers = with_added(request, &added);
    let complete = Request { headers: &headers, ..*request };
    let base = cavage::base(&complete, &parts, None, None).map_err(|_| SigningError::Request)?;
    let signature = sign_bytes(key, &base)?;
    let value = format!(
        "keyId=\"{key_id}\",algorithm=\"{algorithm}\",headers=\"{}\",signature=\"{signature}\"",
        covered.join(" "),
    );
    added.push((cavage::SIGNATURE, value));
    Ok(added)
}

fn sign_message(
    key: &PrivateKey,
    key_id: &str,
    request: &Request<'_>,
    now: Timestamp,
    demand: Option<&Demand>,
) -> Result<Vec<Header>, SigningError> {
    let mut covered = vec!["@method", "@target-uri", "@authority"];
    let mut added = Vec::new();
    if !request.is_bodyless() {
        covered.push("content-digest");
        added.push(("content-digest", DigestHeader::ContentDigest.value(request.body)));
        if has_content_type(request) {
            covered.push("content-type");
        }
    }
    for part in demand.iter().flat_map(|demand| &demand.parts) {
        if !covered.contains(&part.as_str()) {
            covered.push(part);
        }
    }
    let items = covered.iter().map(|part| Item {
        value: BareItem::String((*part).to_owned()),
        parameters: Parameters::default(),
    });
    let parameters = parameters(key, key_id, now, demand);
    let input = InnerList { items: items.collect(), parameters };
    let headers = with_added(request, &added);
    let complete = Request { headers: &headers, ..*request };
    let unsigned = if demand.is_some() { SigningError::Demand } else { SigningError::Request };
    let base = message::base(&complete, &input).map_err(|_| unsigned)?;
    let signature = sign_bytes(key, &base)?;
    let label = demand.map_or(LABEL, |demand| &demand.label);
    added.push((message::INPUT, format!("{label}={}", input.text())));
    added.push((message::SIGNATURE, format!("{label}=:{signature}:")));
    Ok(added)
}

fn parameters(
    key: &PrivateKey,
    key_id: &str,
    now: Timestamp,
    demand: Option<&Demand>,
) -> Parameters {
    let text = |text: &str| BareItem::String(text.to_owned());
    let mut parameters = vec![("created", BareItem::Integer(now.unix_seconds()))];
    if demand.is_some_and(|demand| demand.expires) {
        parameters.push(("expires", BareItem::Integer(now.after(LIFETIME).unix_seconds())));
    }
    parameters.push(("keyid", text(key_id)));
    parameters.push(("alg", text(algorithm_name(key.kind()))));
    if let Some(nonce) = demand.and_then(|demand| demand.nonce.as_deref()) {
        parameters.push(("nonce", text(nonce)));
    }
    if let Some(tag) = demand.and_then(|demand| demand.tag.as_deref()) {
        parameters.push(("tag", text(tag)));
    }
    Parameters(parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
