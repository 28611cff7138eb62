//! The published contexts that our documents name, as far as they define terms that we write.
//!
//! A context is a list of groups: the vocabulary, how values are read, and names. A name stands for
//! the vocabulary with the name behind it; `name=rest` for the vocabulary with `rest` behind it.

use std::sync::LazyLock;

use super::context::Context;

/// Vocabulary, reading and names of some terms.
pub(super) type Group = (&'static str, &'static str, &'static str);

/// Address of the context of the options of a signature.
pub(super) const IDENTITY_NAME: &str = "https://w3id.org/identity/v1";

const AS: &str = "https://www.w3.org/ns/activitystreams#";
const DC: &str = "http://purl.org/dc/terms/";
const LDP: &str = "http://www.w3.org/ns/ldp#";
const SEC: &str = "https://w3id.org/security#";
const XSD_DATE_TIME: &str = "http://www.w3.org/2001/XMLSchema#dateTime";
const XSD_DURATION: &str = "http://www.w3.org/2001/XMLSchema#duration";
const XSD_FLOAT: &str = "http://www.w3.org/2001/XMLSchema#float";
const XSD_COUNT: &str = "http://www.w3.org/2001/XMLSchema#nonNegativeInteger";
const SEC_MULTIBASE: &str = "https://w3id.org/security#multibase";
const SEC_CRYPTOSUITE: &str = "https://w3id.org/security#cryptosuiteString";

const ACTIVITY_STREAMS: &[Group] = &[
    (
        "",
        "",
        "as=https://www.w3.org/ns/activitystreams# xsd=http://www.w3.org/2001/XMLSchema# \
         ldp=http://www.w3.org/ns/ldp# vcard=http://www.w3.org/2006/vcard/ns#",
    ),
    (
        AS,
        "",
        "Accept Activity Add Announce Application Arrive Article Audio Block Collection \
         CollectionPage Create Delete Dislike Document Event Flag Follow Group Ignore Image \
         IntransitiveActivity Invite IsContact IsFollowedBy IsFollowing IsMember Join Leave Like \
         Link Listen Mention Move Note Object Offer OrderedCollection OrderedCollectionPage \
         Organization Page Person Place Profile Question Read Reject Relationship Remove Service \
         TentativeAccept TentativeReject Tombstone Travel Undo Update Video View \
         content hreflang mediaType name preferredUsername rel source summary units",
    ),
    (
        AS,
        "@id",
        "Public actor alsoKnownAs anyOf attachment attributedTo audience bcc bto cc context \
         current describes endpoints first followers following formerType generator href icon \
         image inReplyTo instrument items last liked likes location next \
         oauthAuthorizationEndpoint oauthTokenEndpoint object oneOf origin outbox partOf prev \
         preview provideClientKey proxyUrl relationship replies result sharedInbox shares \
         signClientKey streams subject tag target to uploadMedia url",
    ),
    (LDP, "@id", "inbox"),
    (AS, "@list", "orderedItems=items"),
    (AS, "@language", "contentMap=content nameMap=name summaryMap=summary"),
    (AS, XSD_DATE_TIME, "closed deleted endTime published startTime updated"),
    (AS, XSD_DURATION, "duration"),
    (AS, XSD_FLOAT, "accuracy altitude latitude longitude radius"),
    (AS, XSD_COUNT, "height startIndex totalItems width"),
];

const SECURITY: &[Group] = &[
    (
        "",
        "",
        "dc=http://purl.org/dc/terms/ sec=https://w3id.org/security# \
         xsd=http://www.w3.org/2001/XMLSchema#",
    ),
    (SEC, "", "CryptographicKey=Key digestValue domain nonce publicKeyPem signatureValue"),
    (SEC, "@id", "owner publicKey"),
    (SEC, XSD_DATE_TIME, "expiration expires=expiration revoked"),
    (DC, XSD_DATE_TIME, "created"),
    (DC, "@id", "creator"),
];

const IDENTITY: &[Group] = &[
    (SEC, XSD_DATE_TIME, "expires=expiration"),
    (DC, XSD_DATE_TIME, "created"),
    (DC, "@id", "creator"),
];

const KEY_PURPOSES: Group = (
    SEC,
    "@id",
    "assertionMethod authentication=authenticationMethod \
     capabilityDelegation=capabilityDelegationMethod \
     capabilityInvocation=capabilityInvocationMethod keyAgreement=keyAgreementMethod",
);

const CONTROLLED_IDENTIFIERS: &[Group] = &[
    KEY_PURPOSES,
    (SEC, "@id", "controller verificationMethod"),
    (AS, "@id", "alsoKnownAs"),
    (SEC, "", "Multikey"),
];

const MULTIKEY: &[Group] = &[
    (SEC, "@id", "controller"),
    (SEC, XSD_DATE_TIME, "expires=expiration revoked"),
    (SEC, SEC_MULTIBASE, "publicKeyMultibase"),
];

const DATA_INTEGRITY: &[Group] = &[(SEC, "@graph", "proof"), (SEC, "", "DataIntegrityProof")];

const PROOF: &[Group] = &[
    (DC, XSD_DATE_TIME, "created"),
    (SEC, "", "challenge domain nonce"),
    (SEC, XSD_DATE_TIME, "expires=expiration"),
    (SEC, "@vocab", "proofPurpose"),
    (SEC, SEC_MULTIBASE, "proofValue"),
    (SEC, "@id", "verificationMethod"),
];

const CRYPTOSUITE_1: &[Group] = &[(SEC, "", "cryptosuite")];
const CRYPTOSUITE_2: &[Group] = &[(SEC, SEC_CRYPTOSUITE, "cryptosuite")];

static PURPOSES: LazyLock<Context> = LazyLock::new(|| Context::of(&[&[KEY_PURPOSES]]));
static MULTIKEY_TERMS: LazyLock<Context> = LazyLock::new(|| Context::of(&[MULTIKEY]));
static PROOF_1: LazyLock<Context> = LazyLock::new(|| proof(CRYPTOSUITE_1));
static PROOF_2: LazyLock<Context> = LazyLock::new(|| proof(CRYPTOSUITE_2));

/// The contexts that documents may name.
static KNOWN: LazyLock<[(&str, Context); 6]> = LazyLock::new(|| {
    let data_integrity = |terms| Context::of(&[DATA_INTEGRITY]).scoped("DataIntegrityProof", terms);
    [
        ("https://www.w3.org/ns/activitystreams", Context::of(&[ACTIVITY_STREAMS])),
        ("https://w3id.org/security/v1", Context::of(&[SECURITY])),
        (IDENTITY_NAME, Context::of(&[IDENTITY])),
        (
            "https://www.w3.org/ns/cid/v1",
            Context::of(&[CONTROLLED_IDENTIFIERS]).scoped("Multikey", &MULTIKEY_TERMS),
        ),
        ("https://w3id.org/security/data-integrity/v1", data_integrity(&PROOF_1)),
        ("https://w3id.org/security/data-integrity/v2", data_integrity(&PROOF_2)),
    ]
});

fn proof(cryptosuite: &'static [Group]) -> Context {
    Context::of(&[PROOF, cryptosuite]).scoped("proofPurpose", &PURPOSES)
}

/// Returns the context with this address.
pub(super) fn known(address: &str) -> Option<&'static Context> {
    KNOWN.iter().find(|(known, _)| *known == address).map(|(_, context)| context)
}
