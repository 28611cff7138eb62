//! Reads signatures of RFC 9421, HTTP Message Signatures.

use siskin_entities::Timestamp;

use super::{
    RequiredPart, Scheme, SignatureError, Unverified, check_parts, key_id, only, require, targets,
    time::Times,
};
use crate::{
    digest::DigestHeader,
    keys::SignatureAlgorithm,
    request::Request,
    structured::{self, BareItem, FieldError, InnerList, Item, Member, Parameters},
};

/// Name of the header with what is covered.
pub(super) const INPUT: &str = "signature-input";
/// Name of the header with the signature.
pub(super) const SIGNATURE: &str = "signature";

/// Reads the signature of a request, and checks all that needs no key.
pub(super) fn read(request: &Request<'_>, now: Timestamp) -> Result<Unverified, SignatureError> {
    let (label, input) = input(only(request, INPUT)?)?;
    let signature = signature(only(request, SIGNATURE)?, &label)?;
    let covered = covered(&input)?;
    check_coverage(request, &covered)?;
    let parameters = &input.parameters;
    let key_id = key_id_in(parameters)?;
    // They are signed, but say nothing to us. Their types are checked all the same.
    string(parameters, "nonce")?;
    string(parameters, "tag")?;
    let signed_at = times(parameters)?.check(now)?;
    if covers(&covered, "content-digest") {
        DigestHeader::ContentDigest.check(request)?;
    }
    let algorithm = algorithm(string(parameters, "alg")?)?;
    let bases = targets(request).map(|(target, request)| Ok((target, base(&request, &input)?)));
    let bases = bases.collect::<Result<_, SignatureError>>()?;
    Ok(Unverified {
        scheme: Scheme::Rfc9421,
        key_id,
        covered,
        signed_at,
        algorithm,
        bases,
        signature,
    })
}

/// Returns the id of the key that a request names.
pub(super) fn key_id_of(request: &Request<'_>) -> Result<String, SignatureError> {
    let (_, input) = input(only(request, INPUT)?)?;
    key_id_in(&input.parameters)
}

fn key_id_in(parameters: &Parameters) -> Result<String, SignatureError> {
    key_id(string(parameters, "keyid")?.ok_or(SignatureError::Malformed)?)
}

impl From<FieldError> for SignatureError {
    fn from(error: FieldError) -> Self {
        match error {
            FieldError::Malformed => Self::Malformed,
            FieldError::Repeated => Self::Repeated,
        }
    }
}

/// Returns the only member of a dictionary.
fn only_member(field: &[u8]) -> Result<(String, Member), SignatureError> {
    let mut members = structured::dictionary(field)?.into_iter();
    let member = members.next().ok_or(SignatureError::Malformed)?;
    if members.next().is_some() { Err(SignatureError::Repeated) } else { Ok(member) }
}

fn input(field: &[u8]) -> Result<(String, InnerList), SignatureError> {
    match only_member(field)? {
        (label, Member::List(list)) => Ok((label, list)),
        (_, Member::Item(_)) => Err(SignatureError::Malformed),
    }
}

fn signature(field: &[u8], label: &str) -> Result<Vec<u8>, SignatureError> {
    let (known, member) = only_member(field)?;
    match member {
        Member::Item(Item { value: BareItem::Bytes(bytes), .. }) if known == label => Ok(bytes),
        _ => Err(SignatureError::Malformed),
    }
}

/// Returns the names of the covered parts.
fn covered(input: &InnerList) -> Result<Vec<String>, SignatureError> {
    let names = input.items.iter().map(|item| match &item.value {
        // Parameters change what a part means, and no peer needs them.
        BareItem::String(_) if !item.parameters.0.is_empty() => {
            Err(SignatureError::UnsupportedPart)
        }
        BareItem::String(name) if name.bytes().any(|c| c.is_ascii_uppercase()) => {
            Err(SignatureError::Malformed)
        }
        BareItem::String(name) => Ok(name.clone()),
        _ => Err(SignatureError::Malformed),
    });
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    check_parts(&names).map(|()| names)
}

fn covers(covered: &[String], part: &str) -> bool {
    covered.iter().any(|known| known == part)
}

fn check_coverage(request: &Request<'_>, covered: &[String]) -> Result<(), SignatureError> {
    let covers = |part| covers(covered, part);
    require(covers("@method"), RequiredPart::Method)?;
    if !covers("@target-uri") {
        require(covers("@authority"), RequiredPart::Host)?;
        let has_target = covers("@request-target") || covers("@path") && covers("@query");
        require(has_target, RequiredPart::Target)?;
    }
    require(request.is_bodyless() || covers("content-digest"), RequiredPart::Digest)
}

/// Returns a parameter that must be a string if it is there.
fn string<'p>(parameters: &'p Parameters, name: &str) -> Result<Option<&'p str>, SignatureError> {
    match parameters.get(name) {
        None => Ok(None),
        Some(BareItem::String(text)) => Ok(Some(text)),
        Some(_) => Err(SignatureError::Malformed),
    }
}

fn times(parameters: &Parameters) -> Result<Times, SignatureError> {
    let seconds = |name| match parameters.get(name) {
        None => Ok(None),
        Some(BareItem::Integer(seconds)) => Ok(Some(*seconds)),
        Some(_) => Err(SignatureError::Time),
    };
    let created = seconds("created")?;
    require(created.is_some(), RequiredPart::Time)?;
    Ok(Times { created, expires: seconds("expires")?, is_end_signed: true, date: None })
}

/// Returns the named algorithm (RFC 9421, 6.2). Without a name the key decides.
fn algorithm(name: Option<&str>) -> Result<Option<SignatureAlgorithm>, SignatureError> {
    match name {
        None => Ok(None),
        Some("rsa-v1_5-sha256") => Ok(Some(SignatureAlgorithm::RsaSha256)),
        Some("ed25519") => Ok(Some(SignatureAlgorithm::Ed25519)),
        Some(_) => Err(SignatureError::UnsupportedAlgorithm),
    }
}

/// Returns the bytes that are signed (RFC 9421, 2.5). The parameters of the parts are not looked
/// at.
pub(super) fn base(request: &Request<'_>, input: &InnerList) -> Result<Vec<u8>, SignatureError> {
    let mut base = Vec::new();
    for item in &input.items {
        let BareItem::String(name) = &item.value else { return Err(SignatureError::Malformed) };
        base.push(b'"');
        base.extend(name.as_bytes());
        base.extend(b"\": ");
        base.extend(part(request, name)?);
        base.push(b'\n');
    }
    base.extend(b"\"@signature-params\": ");
    base.extend(input.text().into_bytes());
    Ok(base)
}

/// Returns the value of a part: a derived one (RFC 9421, 2.2) or a header.
fn part(request: &Request<'_>, name: &str) -> Result<Vec<u8>, SignatureError> {
    let scheme = request.scheme.to_ascii_lowercase();
    let authority = request.normal_authority();
    let value = match name {
        "@method" => request.method.to_owned(),
        "@target-uri" => format!("{scheme}://{authority}{}", request.target),
        "@authority" => authority,
        "@scheme" => scheme,
        "@request-target" => request.target.to_owned(),
        "@path" => request.path().to_owned(),
        "@query" => {
            let query = request.target.split_once('?').map_or("", |(_, query)| query);
            format!("?{query}")
        }
        name if name.starts_with('@') => return Err(SignatureError::UnsupportedPart),
        "host" => return Ok(request.combined("host").unwrap_or_else(|| authority.into_bytes())),
        name => return request.combined(name).ok_or(SignatureError::AbsentHeader),
    };
    Ok(value.into_bytes())
}
