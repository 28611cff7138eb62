//! Reads signatures of draft-cavage-http-signatures-12.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use siskin_entities::Timestamp;

use super::{
    RequiredPart, Scheme, SignatureError, Unverified, check_parts, key_id, only, require, targets,
    time::Times,
};
use crate::{digest::DigestHeader, http_date, keys::SignatureAlgorithm, request::Request};

/// Name of the header.
pub(super) const SIGNATURE: &str = "signature";
/// Maximum number of parameters, unknown ones included.
const MAX_PARAMETERS: usize = 32;

/// Parameters of the header. `created` and `expires` are what was sent, because it is signed.
#[derive(Default)]
struct Parameters<'r> {
    key_id: Option<&'r str>,
    algorithm: Option<&'r str>,
    created: Option<&'r str>,
    expires: Option<&'r str>,
    headers: Option<&'r str>,
    signature: Option<&'r str>,
}

/// Reads the signature of a request, and checks all that needs no key.
pub(super) fn read(request: &Request<'_>, now: Timestamp) -> Result<Unverified, SignatureError> {
    let parameters = Parameters::parse(only(request, SIGNATURE)?)?;
    let key_id = parameters.key_id()?;
    let signature = parameters.signature.ok_or(SignatureError::Malformed)?;
    let signature = STANDARD.decode(signature).map_err(|_| SignatureError::Malformed)?;
    let covered = parameters.covered()?;
    check_coverage(request, &covered)?;
    let signed_at = parameters.times(request, &covered)?.check(now)?;
    if covers(&covered, "digest") {
        DigestHeader::Digest.check(request)?;
    }
    let algorithm = algorithm(parameters.algorithm)?;
    let bases = targets(request).map(|(target, request)| {
        let base = base(&request, &covered, parameters.created, parameters.expires)?;
        Ok((target, base))
    });
    let bases = bases.collect::<Result<_, SignatureError>>()?;
    Ok(Unverified {
        scheme: Scheme::Cavage,
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
    Parameters::parse(only(request, SIGNATURE)?)?.key_id()
}

fn covers(covered: &[String], part: &str) -> bool {
    covered.iter().any(|known| known == part)
}

fn check_coverage(request: &Request<'_>, covered: &[String]) -> Result<(), SignatureError> {
    check_parts(covered)?;
    require(covers(covered, "(request-target)"), RequiredPart::Target)?;
    require(covers(covered, "host"), RequiredPart::Host)?;
    let has_time = covers(covered, "date") || covers(covered, "(created)");
    require(has_time, RequiredPart::Time)?;
    require(request.is_bodyless() || covers(covered, "digest"), RequiredPart::Digest)
}

/// Returns the named algorithm. `hs2019` says that the key decides.
fn algorithm(name: Option<&str>) -> Result<Option<SignatureAlgorithm>, SignatureError> {
    match name.map(str::to_ascii_lowercase).as_deref() {
        None | Some("hs2019") => Ok(None),
        Some("rsa-sha256") => Ok(Some(SignatureAlgorithm::RsaSha256)),
        Some("rsa-sha512") => Ok(Some(SignatureAlgorithm::RsaSha512)),
        Some("ed25519") => Ok(Some(SignatureAlgorithm::Ed25519)),
        Some(_) => Err(SignatureError::UnsupportedAlgorithm),
    }
}

/// Returns the bytes that are signed.
pub(super) fn base(
    request: &Request<'_>,
    covered: &[String],
    created: Option<&str>,
    expires: Option<&str>,
) -> Result<Vec<u8>, SignatureError> {
    let mut base = Vec::new();
    for part in covered {
        let value = match part.as_str() {
            "(request-target)" => {
                let method = request.method.to_ascii_lowercase();
                format!("{method} {}", request.target).into_bytes()
            }
            "(created)" => created.ok_or(SignatureError::Malformed)?.into(),
            "(expires)" => expires.ok_or(SignatureError::Malformed)?.into(),
            "host" => request.combined("host").unwrap_or_else(|| request.authority.into()),
            name if name.starts_with('(') => return Err(SignatureError::UnsupportedPart),
            name => request.combined(name).ok_or(SignatureError::AbsentHeader)?,
        };
        if !base.is_empty() {
            base.push(b'\n');
        }
        base.extend(part.as_bytes());
        base.extend(b": ");
        base.extend(value);
    }
    Ok(base)
}

impl<'r> Parameters<'r> {
    /// Parses `name="value"` or `name=123`, separated by commas. Unknown names are ignored.
    fn parse(header: &'r [u8]) -> Result<Self, SignatureError> {
        let mut rest = std::str::from_utf8(header).map_err(|_| SignatureError::Malformed)?;
        let (mut parameters, mut names) = (Self::default(), Vec::new());
        loop {
            let (name, value, after) = parameter(rest).ok_or(SignatureError::Malformed)?;
            if names.contains(&name) {
                return Err(SignatureError::Repeated);
            }
            names.push(name);
            parameters.set(name, value);
            let after = after.trim_start_matches([' ', '\t']);
            if after.is_empty() {
                return Ok(parameters);
            }
            rest = after.strip_prefix(',').ok_or(SignatureError::Malformed)?;
            if names.len() == MAX_PARAMETERS {
                return Err(SignatureError::Malformed);
            }
        }
    }

    fn set(&mut self, name: &str, value: &'r str) {
        let known = match name {
            "keyId" => &mut self.key_id,
            "algorithm" => &mut self.algorithm,
            "created" => &mut self.created,
            "expires" => &mut self.expires,
            "headers" => &mut self.headers,
            "signature" => &mut self.signature,
            _ => return,
        };
        *known = Some(value);
    }

    fn key_id(&self) -> Result<String, SignatureError> {
        key_id(self.key_id.ok_or(SignatureError::Malformed)?)
    }

    /// Returns the covered parts. Without the parameter it is only `(created)`, which never
    /// suffices.
    fn covered(&self) -> Result<Vec<String>, SignatureError> {
        let headers = self.headers.unwrap_or("(created)");
        let is_name = |name: &str| {
            name.bytes().all(|c| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~()".contains(&c))
        };
        let parts = headers.split_ascii_whitespace();
        parts
            .map(|part| is_name(part).then(|| part.to_ascii_lowercase()))
            .collect::<Option<_>>()
            .ok_or(SignatureError::Malformed)
    }

    /// Returns the times, of which `created` and `date` count only if they are covered.
    fn times(&self, request: &Request<'_>, covered: &[String]) -> Result<Times, SignatureError> {
        let seconds = |text: &str| match text.parse::<i64>() {
            Ok(seconds) if text.bytes().all(|c| c.is_ascii_digit()) => Ok(seconds),
            _ => Err(SignatureError::Time),
        };
        let created = self.created.map(seconds).transpose()?;
        let date = if covers(covered, "date") {
            let value = request.combined("date").ok_or(SignatureError::AbsentHeader)?;
            Some(http_date::read(&value).ok_or(SignatureError::Time)?)
        } else {
            None
        };
        Ok(Times {
            created: created.filter(|_| covers(covered, "(created)")),
            expires: self.expires.map(seconds).transpose()?,
            is_end_signed: covers(covered, "(expires)"),
            date,
        })
    }
}

/// Returns the name and the value of the first parameter, and the text behind it.
fn parameter(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.trim_start_matches([' ', '\t']).split_once('=')?;
    if name.is_empty() || !name.bytes().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    if let Some(quoted) = rest.strip_prefix('"') {
        let (value, after) = quoted.split_once('"')?;
        // No value needs an escape, and two programs could read it differently.
        let is_plain = value.bytes().all(|c| (b' '..=b'~').contains(&c) && c != b'\\');
        return is_plain.then_some((name, value, after));
    }
    let is_digit = |c: char| c.is_ascii_digit();
    let after = rest.trim_start_matches(is_digit);
    let value = rest.strip_suffix(after)?;
    (!value.is_empty()).then_some((name, value, after))
}
