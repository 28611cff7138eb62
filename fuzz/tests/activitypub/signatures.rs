//! Headers with signatures and digests.

use siskin_federation::{
    digest::{DigestError, DigestHeader},
    request::Request,
    signature::{self, Demand, Scheme, SignatureError},
};

use super::{NOW, feature, private_key};

/// Headers, one a line.
pub const FRAGMENTS: &[&[u8]] = &[
    b"\n",
    b"\n\n",
    b": ",
    b"Signature: ",
    b"Signature-Input: ",
    b"Signature: keyId=\"https://far.example/u#k\",algorithm=\"rsa-sha256\",headers=\"(request-target) host date digest\",signature=\"AAAA\"\n",
    b"Signature: keyId=\"k\",algorithm=\"hs2019\",created=1795766400,expires=1795766500,headers=\"(request-target) (created) (expires) host\",signature=\"AA==\"\n",
    b"Signature-Input: sig1=(\"@method\" \"@target-uri\" \"content-digest\");created=1795766400;keyid=\"https://far.example/u#k\";alg=\"rsa-v1_5-sha256\"\n",
    b"Signature-Input: a=(\"@method\" \"@authority\" \"@path\" \"@query\" \"host\";sf);created=1795766400;expires=1795766401;nonce=\"x\";tag=\"y\"\n",
    b"Signature: sig1=:AAAA:\n",
    b"Signature: a=:AA==:, b=:AAAA:\n",
    b"Host: town.example\n",
    b"Host: evil.example\n",
    b"Date: Fri, 27 Nov 2026 08:00:00 GMT\n",
    b"Digest: SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    b"Digest: sha-512=x,SHA-256=\n",
    b"Content-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:\n",
    b"Content-Type: application/activity+json\n",
    b"Accept-Signature: sig1=(\"@method\" \"@target-uri\");created;keyid=\"x\"\n",
    b"headers=\"",
    b"(request-target)",
    b" host",
    b" date",
    b"keyId=",
    b"signature=\"",
    b"created=",
    b"expires=",
    b"\"",
    b"\\\"",
    b"=",
    b",",
    b";",
    b"(",
    b")",
    b"()",
    b"?1",
    b":",
    b"::",
    b"-1",
    b"999999999999999",
    b"1.5",
    b"\"@method\"",
    b"\"@signature-params\"",
    b"\"@query-param\";name=\"a\"",
    b";req",
    b";bs",
    b"\r",
    b"\t",
    b"\0",
    "é".as_bytes(),
    b"\xFF",
];

/// Reads the lines of an input as headers, and what follows an empty line as the body.
pub fn check(input: &[u8]) -> Vec<u64> {
    let end = input.windows(2).position(|pair| pair == b"\n\n");
    let (head, body) = match end {
        Some(end) => (&input[..end], &input[end + 2..]),
        None => (input, &[][..]),
    };
    let lines: Vec<(String, &[u8])> =
        head.split(|byte| *byte == b'\n').filter_map(header).collect();
    let headers: Vec<(&str, &[u8])> = lines.iter().map(|(name, value)| (&**name, *value)).collect();
    let methods = ["POST", "GET"];
    let mut features: Vec<u64> = methods
        .into_iter()
        .flat_map(|method| {
            let request = Request {
                method,
                scheme: "https",
                authority: "town.example",
                target: "/inbox?page=1",
                headers: &headers,
                body,
            };
            check_arrived(&request)
        })
        .collect();
    features.extend(check_signed(body));
    features.extend(headers.iter().map(|(_, value)| feature(Demand::read(value).is_some())));
    features
}

fn header(line: &[u8]) -> Option<(String, &[u8])> {
    let at = line.iter().position(|byte| *byte == b':')?;
    let name = String::from_utf8_lossy(&line[..at]).into_owned();
    Some((name, line[at + 1..].trim_ascii()))
}

/// No input can have a signature by a key that it does not know.
fn check_arrived(request: &Request<'_>) -> Vec<u64> {
    let read = signature::read(request, &["town.example"], NOW);
    if let Ok(unverified) = &read {
        let key = private_key();
        assert!(unverified.check(key.public()).is_err(), "{unverified:?}");
        // The host was judged by this id before.
        let claimed = signature::claimed_key_id(request);
        assert_eq!(claimed.as_deref(), Ok(unverified.key_id()));
        assert!(!unverified.key_id().is_empty());
    }
    let outcome = read.map(|it| (it.scheme(), it.covered().count().min(8)));
    let digests = [DigestHeader::Digest, DigestHeader::ContentDigest]
        .map(|header| header.check(request).map_err(DigestError::reason));
    vec![feature(outcome.map_err(SignatureError::reason)), feature(digests)]
}

/// What we sign must count with the same body, and not with another one.
fn check_signed(body: &[u8]) -> Vec<u64> {
    let key = private_key();
    let headers: [(&str, &[u8]); 1] = [("content-type", b"application/activity+json")];
    let plain = Request {
        method: "POST",
        scheme: "https",
        authority: "town.example",
        target: "/inbox",
        headers: &headers,
        body,
    };
    for scheme in [Scheme::Cavage, Scheme::Rfc9421] {
        let signed = signature::sign(&key, "https://far.example/u#k", &plain, NOW, scheme);
        let signed = signed.expect("any body must be signed");
        let mut headers = headers.to_vec();
        headers.extend(signed.iter().map(|(name, value)| (*name, value.as_bytes())));
        let sent = Request { headers: &headers, ..plain };
        let verify = |request: &Request<'_>| {
            signature::verify(request, &["town.example"], NOW, key.public())
        };
        assert!(verify(&sent).is_ok());
        let longer = [body, b" "].concat();
        assert!(verify(&Request { body: &longer, ..sent }).is_err());
    }
    vec![feature(body.len().min(4))]
}
