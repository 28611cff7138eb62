//! What is written can be signed, and stays small enough.

use proptest::prelude::*;

use super::{
    strategies::{any_actor, any_note},
    *,
};
use crate::{linked_data, proof};

const KEY: &str = "https://town.example/users/a#main-key";
const METHOD: &str = "https://town.example/users/a#ed25519-key";

/// Adds a proof and a signature, as the server does for activities to everyone.
fn signed(document: &[u8]) -> Vec<u8> {
    let key = samples::ed25519();
    let proven = proof::add(document, &key, METHOD, NOW).unwrap();
    let signed = linked_data::sign(&proven, &samples::rsa(), KEY, NOW).unwrap();
    assert_eq!(proof::read(&signed, NOW).unwrap().check(key.public()), Ok(()));
    assert!(signed.len() - document.len() <= SIGNATURE_BYTES, "{}", signed.len() - document.len());
    signed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn activities_about_statuses_can_be_signed((_, written) in any_note()) {
        let written = leak(Note { to: &[PUBLIC], cc: &[FOLLOWERS], ..written });
        for action in [Action::Create(written), Action::Update(written)] {
            let bytes = activity(&to_everyone(action)).unwrap();
            let signed = signed(&bytes);
            prop_assert!(signed.len() <= MAX_DOCUMENT_BYTES);
            prop_assert_eq!(READER.activity(&signed), READER.activity(&bytes));
        }
    }

    #[test]
    fn changes_of_actors_can_be_signed(written in any_actor()) {
        signed(&activity(&to_everyone(Action::UpdateActor(leak(written)))).unwrap());
    }

    #[test]
    fn every_term_of_a_document_is_defined((_, written) in any_note(), person in any_actor()) {
        let hashtag = Item::Hashtag { href: "https://town.example/tags/x", name: "x" };
        let items = [Item::Note(&written), hashtag];
        let shown = Page {
            id: "https://town.example/c?page=1",
            order: Order::Ordered,
            part_of: "https://town.example/c",
            next: None,
            prev: None,
            items: &items,
        };
        let pages = [note(&written).unwrap(), actor(&person).unwrap(), page(&shown)];
        for bytes in pages {
            prop_assert!(linked_data::n_quads(&bytes).is_ok(), "{}", text(bytes));
        }
    }
}

#[test]
fn short_activities_can_be_signed() {
    let target = "https://town.example/users/a/collections/featured";
    for action in [
        Action::Delete(STATUS),
        Action::DeleteActor,
        Action::Announce(STATUS),
        Action::Like(STATUS),
        Action::Follow(BOB),
        Action::Accept(FollowRequest { id: Some("https://far.example/1"), actor: BOB }),
        Action::Undo(Original {
            kind: crate::read::ActivityKind::Announce,
            id: "https://town.example/1",
            object: STATUS,
        }),
        Action::Add { object: Addition::Status(STATUS), target },
        Action::Add {
            object: Addition::Hashtag { href: "https://town.example/tags/x", name: "x" },
            target,
        },
        Action::Flag { objects: &[BOB], comment: "spam" },
        Action::Vote(Vote {
            id: "https://town.example/2",
            option: "a",
            poll: "https://far.example/2",
        }),
    ] {
        signed(&activity(&to_everyone(action)).unwrap());
    }
}

#[test]
fn private_activities_name_no_contexts_of_signatures() {
    let private = Activity { to: &[FOLLOWERS], cc: &[], ..to_everyone(Action::Announce(STATUS)) };
    let written = text(activity(&private).unwrap());
    assert!(!written.contains("w3id.org"), "{written}");
    assert!(
        text(activity(&to_everyone(Action::Announce(STATUS))).unwrap()).contains("data-integrity")
    );
}

/// The hashes are those of the N-Quads that PyPI `pyld` 3.3 made of the documents.
#[test]
fn graphs_are_those_of_json_ld_processors() {
    let note = leak(shapes::full_note());
    let actor = leak(shapes::full_actor());
    for (action, expected) in [
        (Action::Create(note), "9f08f96e9b7f69be37ea19480a5262fe4016e830514b8c3395256670a9d1b658"),
        (
            Action::UpdateActor(actor),
            "145d4a3ef25a778cc8140e64cb56a851f4149532925caa8819dc2ad45f696836",
        ),
    ] {
        let document = activity(&to_everyone(action)).unwrap();
        let quads = linked_data::n_quads(&document).unwrap();
        let hash = ring::digest::digest(&ring::digest::SHA256, quads.as_bytes());
        let hash: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, expected, "{}", text(document));
    }
}
