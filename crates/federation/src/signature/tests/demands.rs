//! Signatures that another server demands by `Accept-Signature`.

use super::*;
use crate::keys::KeyKind;

fn demand(value: &str) -> Option<Demand> {
    Demand::read(value.as_bytes())
}

/// Returns a request that is signed as demanded, by the Ed25519 key.
fn answer(sent: Sent, value: &str) -> Result<Sent, SigningError> {
    let demand = demand(value).unwrap();
    let key = samples::ed25519();
    let added = sent.view(|request| sign_as_demanded(&key, KEY_ID, request, NOW, &demand))?;
    Ok(added.into_iter().fold(sent, |sent, (name, value)| sent.set(name, &value)))
}

#[test]
fn a_demanded_signature_covers_what_is_demanded_and_what_matters() {
    let value = r#"f=("@method" "accept" "@path");created;expires;nonce="n\"";tag="t";keyid="x""#;
    let sent = answer(Sent::get(), value).unwrap();
    let expected = format!(
        "f=(\"@method\" \"@target-uri\" \"@authority\" \"accept\" \"@path\");created=1795766400;\
         expires=1795766700;keyid=\"{KEY_ID}\";alg=\"ed25519\";nonce=\"n\\\"\";tag=\"t\"",
    );
    assert_eq!(sent.value("signature-input"), expected);
    assert_eq!(sent.check_by(samples::ed25519().public()), Ok(SignedTarget::Whole));
}

#[test]
fn the_first_demand_that_can_be_met_is_met() {
    let value = r#"a=("@query-param";name="x"), b=("@status"), c, d=("@method");created, e=()"#;
    assert!(answer(Sent::get(), value).unwrap().value("signature").starts_with("d=:"));
}

#[test]
fn demands_that_cannot_be_met_are_refused() {
    for value in [
        "",
        "x",
        r#"a=("@method";req)"#,
        r#"a=("@status")"#,
        r#"a=("Host")"#,
        r#"a=("")"#,
        r#"a=(method)"#,
        r#"a=("@method");new"#,
        "a=(",
    ] {
        assert_eq!(demand(value), None, "{value}");
    }
    let by_rsa = r#"a=("@method");alg="rsa-v1_5-sha256""#;
    assert!(demand(by_rsa).unwrap().suits(KeyKind::Rsa));
    assert!(!demand(by_rsa).unwrap().suits(KeyKind::Ed25519));
    assert_eq!(answer(Sent::get(), by_rsa).unwrap_err(), SigningError::Demand);
    assert_eq!(answer(Sent::get(), r#"a=("date")"#).unwrap_err(), SigningError::Demand);
}
