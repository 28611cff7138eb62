//! Link previews: shared by the statuses with the link, and deleted with the last of them.

use std::time::Duration;

use diesel::prelude::*;
use siskin_entities::{CardImage, CardKind, PreviewCard, Visibility};
use siskin_ids::{PreviewCardId, StatusId};
use siskin_persistence::{
    cards,
    schema::{preview_cards, statuses as status_rows},
    statuses,
};
use siskin_test_support::both_engines;

use crate::world::{NOW, World};

const HOUR: Duration = Duration::from_secs(3600);
const PAGE: &str = "https://news.example/birds";

fn card(title: &str) -> PreviewCard {
    PreviewCard {
        url: PAGE.to_owned(),
        kind: CardKind::Video,
        title: title.to_owned(),
        description: "d".to_owned(),
        author_name: "a".to_owned(),
        author_url: "https://news.example/a".to_owned(),
        provider_name: "p".to_owned(),
        provider_url: "https://news.example/".to_owned(),
        embed_url: "https://news.example/e".to_owned(),
        width: 640,
        height: 360,
        image: Some(CardImage { file: format!("{title}.png"), blurhash: Some("L".to_owned()) }),
        is_article: true,
        published_at: Some(NOW),
    }
}

impl World {
    fn link(&self, status: StatusId, address: &'static str) -> Option<PreviewCardId> {
        self.write(move |tx| cards::link(tx, status, address, HOUR))
    }

    fn card_and_version(&self, status: StatusId) -> (Option<PreviewCard>, i64) {
        let body = self.read(|conn| statuses::load(conn, &[status], None)).pop().unwrap().body;
        let version = status_rows::table.find(status).select(status_rows::version);
        (body.card.clone(), self.read(|conn| Ok(version.first(conn)?)))
    }

    fn unlink(&self, status: StatusId) {
        self.write(move |tx| cards::unlink(tx, status));
    }

    fn store_card(&self, id: PreviewCardId, card: &PreviewCard) {
        let card = card.clone();
        self.write(move |tx| cards::store(tx, id, &card, Some("https://news.example/i.png")));
    }

    fn rows(&self) -> i64 {
        self.read(|conn| Ok(preview_cards::table.count().get_result(conn)?))
    }
}

both_engines! {
    fn statuses_with_the_same_link_share_a_preview(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author");
        let [first, second, other] =
            [0; 3].map(|_| world.status(author, Visibility::Public, &[]));
        let id = world.link(first, PAGE).unwrap();
        assert_eq!(world.link(second, PAGE), None, "another job already fetches the card");
        world.link(other, "https://other.example/").unwrap();
        assert_eq!(world.rows(), 2);
        for status in [first, second] {
            assert_eq!(world.card_and_version(status).0, None);
        }
        world.store_card(id, &card("one"));
        world.write(move |tx| cards::raise_statuses(tx, id, None, 10));
        for status in [first, second] {
            assert_eq!(world.card_and_version(status).0, Some(card("one")));
        }
        assert_eq!(world.card_and_version(other).0, None);
        let known = world.read(|conn| cards::find_linked(conn, id)).unwrap();
        assert_eq!(known.card, Some(card("one")));
        assert_eq!(known.image_source.as_deref(), Some("https://news.example/i.png"));
        let bare = PreviewCard { image: None, ..card("two") };
        world.store_card(id, &bare);
        let known = world.read(|conn| cards::find_linked(conn, id)).unwrap();
        assert_eq!((known.card, known.image_source), (Some(bare), None));
    }

    fn a_page_is_fetched_again_when_due(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author");
        let [first, second, third] =
            [0; 3].map(|_| world.status(author, Visibility::Public, &[]));
        let id = world.link(first, PAGE).unwrap();
        world.write(move |tx| cards::schedule_fetch(tx, id, NOW.after(HOUR)));
        assert_eq!(world.link(second, PAGE), None);
        world.write(move |tx| cards::schedule_fetch(tx, id, NOW));
        assert_eq!(world.link(third, PAGE), Some(id));
    }

    fn versions_are_raised_a_few_at_a_time(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author");
        let linked: Vec<StatusId> =
            (0..5).map(|_| world.status(author, Visibility::Public, &[])).collect();
        let other = world.status(author, Visibility::Public, &[]);
        let ids: Vec<_> = linked.iter().filter_map(|status| world.link(*status, PAGE)).collect();
        let id = ids[0];
        let raise = |after| world.write(move |tx| cards::raise_statuses(tx, id, after, 2));
        let mut raised = raise(None);
        assert_eq!(raised, linked[..2]);
        assert_eq!((world.card_and_version(linked[1]).1, world.card_and_version(linked[2]).1), (2, 1));
        while let Some(last) = raised.last() {
            raised = raise(Some(*last));
        }
        for status in linked {
            assert_eq!(world.card_and_version(status).1, 2);
        }
        assert_eq!(world.card_and_version(other).1, 0);
    }

    fn an_unused_preview_is_deleted(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author");
        let [first, second, third] =
            [0; 3].map(|_| world.status(author, Visibility::Public, &[]));
        let id = world.link(first, PAGE).unwrap();
        world.link(second, PAGE);
        world.store_card(id, &card("one"));
        let sweep = |world: &World| world.write(move |tx| cards::sweep(tx, NOW.after(HOUR), 10));
        let is_due = |world: &World| world.read(|conn| cards::any_unused(conn, NOW.after(HOUR)));
        world.unlink(first);
        assert!(!is_due(&world) && sweep(&world).is_empty());
        world.write(move |tx| statuses::remove(tx, second));
        assert!(is_due(&world));
        assert!(!world.read(|conn| cards::any_unused(conn, NOW)), "unused too recently");
        assert_eq!(world.read(|conn| cards::find_linked(conn, id)), None);
        // A new status links to the page again.
        world.link(third, PAGE);
        assert!(!is_due(&world) && sweep(&world).is_empty());
        assert_eq!(world.card_and_version(third).0, Some(card("one")));
        world.unlink(third);
        assert_eq!(sweep(&world), ["one.png"]);
        assert_eq!(world.rows(), 0);
    }

    fn a_preview_is_used_until_its_last_status_is_deleted(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author");
        let status = world.status(author, Visibility::Public, &[]);
        world.link(status, PAGE).unwrap();
        assert_eq!(world.read(|conn| cards::address_of(conn, status)).as_deref(), Some(PAGE));
        // Deleting a row past the use cases leaves no dangling link.
        world.write(move |tx| {
            Ok(diesel::delete(status_rows::table.find(status)).execute(&mut **tx)?)
        });
        assert_eq!(world.read(|conn| cards::address_of(conn, status)), None);
    }
}
