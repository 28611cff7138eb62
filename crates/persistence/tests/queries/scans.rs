//! Query plans of the reads of requests and deliveries. No statement may read a whole table, because
//! tables grow with the server.

use std::time::Duration;

use siskin_entities::{
    Cursor, DayRange, Frequency, GroupKey, JobState, MeasureKey, NotificationKind, PageRequest,
    StatusQuery, ViewerRelations, Visibility,
    feed::{Feed, FeedStage},
};
use siskin_ids::{
    AccountId, ApplicationId, ConversationId, JobId, ListId, MediaId, NotificationId,
    NotificationRequestId, PollId, PreviewCardId, PushSubscriptionId, SessionId, StatusId, TagId,
    TokenId, WarningPresetId,
};
use siskin_persistence::{
    Conn, Result, account_keys, accounts, applications, cards, codes, conversations, emails,
    external_identities, feeds, filters, lists, markers,
    measures::{self, InstanceRows, TagCount},
    media, notifications, pending_sign_ins, polls, push,
    relationships::{self, Direction, Suspended},
    roles, scheduled, search, second_factors, sessions, spent_budgets, statuses, stored_jobs, tags,
    timelines::{self, TagTimeline, TimelineFilter},
    tokens, tombstones, trends, users, warning_presets,
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all},
    world::{NOW, World},
};

const PAGE: PageRequest =
    PageRequest { cursor: Cursor { max: Some(9), since: None, min: None }, limit: 20 };

/// What one request reads.
type Query = (&'static str, Box<dyn FnOnce(&mut Conn) -> Result<()>>);

/// Lists queries by the text of their call.
macro_rules! queries {
    ($conn:ident, $($call:expr;)+) => {
        vec![$({
            let query: Query =
                (stringify!($call), Box::new(move |$conn: &mut Conn| $call.map(drop)));
            query
        }),+]
    };
}

/// Returns queries about the sender of a request and about accounts.
fn of_accounts(viewer: AccountId, other: AccountId) -> Vec<Query> {
    let both = [viewer, other];
    queries!(conn,
        tokens::find_by_hash(conn, "x");
        tokens::still_valid(conn, &[TokenId::new(1)]);
        tokens::find_application(conn, "x");
        tokens::granted_by(conn, viewer);
        tokens::surplus(conn, viewer, 5);
        sessions::find_by_hash(conn, "x", NOW);
        sessions::of_account(conn, viewer, NOW);
        sessions::proven_at(conn, SessionId::new(1));
        second_factors::find(conn, viewer);
        second_factors::exists(conn, viewer);
        second_factors::count_recovery_codes(conn, viewer);
        pending_sign_ins::find(conn, "x", 5, NOW);
        spent_budgets::load(conn, NOW, 9);
        external_identities::find(conn, "x", "x");
        external_identities::of_account(conn, viewer);
        external_identities::any_linked(conn, &both, &["x".to_owned()]);
        codes::find(conn, "x");
        applications::find(conn, ApplicationId::new(1));
        applications::find_client(conn, "x");
        roles::power_of(conn, viewer);
        roles::of_user(conn, viewer);
        roles::everyone(conn);
        users::find_by_email(conn, "x");
        users::unconfirmed_with_email(conn, "x", 5);
        users::find_by_login(conn, users::Login::Email("x"));
        users::find_by_login(conn, users::Login::Username("x"));
        users::recipient(conn, viewer);
        users::load_records(conn, &both);
        users::password_hash(conn, viewer);
        accounts::load(conn, &both);
        accounts::find(conn, viewer);
        accounts::find_local(conn, "alice");
        accounts::uris(conn, &both);
        accounts::find_by_handle(conn, "alice", None);
        accounts::find_by_handle(conn, "alice", Some("remote.example"));
        accounts::credentials(conn, viewer);
        accounts::local(conn, viewer, 20);
        accounts::aliases(conn, viewer);
        accounts::is_retired(conn, "alice");
        account_keys::active(conn, Some(viewer));
        account_keys::active(conn, None);
        account_keys::is_without(conn, viewer);
        account_keys::any_of_instance(conn);
        tombstones::find(conn, "https://a.example/users/alice");
        relationships::viewer_relations(conn, Some(viewer));
        relationships::relations_of_viewers(conn, &both);
        relationships::load(conn, viewer, &both, NOW, Suspended::Included);
        relationships::followed_accounts(conn, viewer, Direction::Followers, PAGE);
        relationships::followed_accounts(conn, viewer, Direction::Following, PAGE);
        relationships::endorsed_accounts(conn, viewer, PAGE);
        relationships::requesting_accounts(conn, viewer, PAGE);
        relationships::blocked_accounts(conn, viewer, PAGE);
        relationships::muted_accounts(conn, viewer, NOW, PAGE);
        relationships::familiar_followers(conn, viewer, &both);
        relationships::blocking_accounts(conn, &both, other);
        relationships::domains_page(conn, viewer, PAGE);
        relationships::related_to_domain(conn, viewer, "remote.example", 20);
        filters::of_account(conn, viewer);
        markers::load(conn, viewer);
        push::find(conn, TokenId::new(1));
        push::recipients(conn, &[PushSubscriptionId::new(1)]);
        notifications::channels(conn, NotificationKind::Follow, &both);
        emails::topics(conn, viewer);
        emails::waiting(conn, viewer);
        push::candidates(conn, &[NotificationId::new(1)], None, 20);
        lists::of_owner(conn, viewer);
        lists::containing(conn, viewer, other);
        lists::members(conn, ListId::new(1), PAGE);
        lists::followed(conn, viewer, &both);
    )
}

/// Returns the key of a group of favourites.
fn group() -> GroupKey {
    let id = NotificationId::new(1 << 50);
    GroupKey::of(id, NotificationKind::Favourite, Some(StatusId::new(7)))
}

/// Returns a filter that leaves out these groups.
const fn inbox(without: Vec<GroupKey>) -> notifications::NotificationFilter {
    notifications::NotificationFilter {
        kinds: Vec::new(),
        from: None,
        with_filtered: true,
        without,
    }
}

/// Returns a filter for notifications of every kind.
fn whole_inbox() -> notifications::NotificationFilter {
    notifications::NotificationFilter { kinds: NotificationKind::ALL.to_vec(), ..inbox(Vec::new()) }
}

const fn tag_search(viewer: AccountId) -> tags::TagSearch<'static> {
    tags::TagSearch {
        name: "bird",
        viewer: Some(viewer),
        exclude_unreviewed: true,
        now: NOW,
        limit: 20,
        offset: 0,
    }
}

const fn found(query: &StatusQuery, viewer: AccountId) -> search::StatusSearch<'_> {
    search::StatusSearch { query, viewer, authors: &[] }
}

const fn upwards() -> PageRequest {
    PageRequest { cursor: Cursor { max: None, since: None, min: Some(9) }, limit: 20 }
}

/// Returns queries about statuses and their timelines.
fn of_statuses(viewer: AccountId, author: AccountId, status: StatusId) -> Vec<Query> {
    let home = Feed::Home(viewer);
    let ready = Some(feeds::State { stage: FeedStage::Ready, floor: 5, wanted_at: NOW });
    let tag = || TagTimeline { any: vec![TagId::new(1)], ..TagTimeline::default() };
    queries!(conn,
        timelines::feed_candidates(conn, home, ready, PAGE);
        timelines::public(conn, TimelineFilter::default(), PAGE);
        timelines::tag(conn, &tag(), PAGE);
        timelines::link(conn, &[PreviewCardId::new(1)], TimelineFilter::default(), PAGE);
        trends::tags(conn);
        trends::links(conn);
        trends::statuses(conn);
        trends::tag_reviews(conn, &[TagId::new(1)]);
        trends::publishers(conn, ["news.example"]);
        trends::addresses(conn, &[PreviewCardId::new(1)]);
        trends::cards(conn, &[PreviewCardId::new(1)]);
        trends::find_cards(conn, "https://news.example/");
        trends::link_history(conn, &[PreviewCardId::new(1)], NOW);
        tags::names(conn, &[TagId::new(1)]);
        feeds::state_and_relations(conn, home);
        timelines::audience::home_candidates(conn, &[status], &[viewer]);
        statuses::load(conn, &[status], Some(viewer));
        statuses::load_without_viewer(conn, &[status]);
        statuses::quotes::candidates(conn, status, PAGE);
        statuses::quotes::local(conn, status, None, 20);
        statuses::find_quotable(conn, status, viewer);
        statuses::find_visible(conn, status, Some(viewer));
        statuses::find_versioned(conn, status, None);
        statuses::names(conn, &[status]);
        statuses::replies(conn, status, StatusId::new(9), 20);
        statuses::find_target(conn, status, Some(viewer));
        statuses::visible_ids(conn, &[status], Some(viewer));
        statuses::ancestors(conn, status, 40);
        statuses::descendants(conn, status, 60, None);
        statuses::profile_candidates(
            conn, author, &ViewerRelations::default(), statuses::ProfileFilter::default(), PAGE
        );
        statuses::pinned_candidates(conn, author, statuses::ProfileFilter::default());
        statuses::bookmarks::statuses(conn, viewer, PAGE);
        statuses::favourites::statuses(conn, viewer, PAGE);
        statuses::favourites::accounts(conn, status, PAGE);
        statuses::reblogs::accounts(conn, status, PAGE);
        statuses::reblogs::find(conn, viewer, status);
        statuses::reblogs::local(conn, status, None, 20);
        notifications::candidates(conn, viewer, &inbox(Vec::new()), PAGE);
        notifications::candidates(conn, viewer, &whole_inbox(), PAGE);
        notifications::candidates(conn, viewer, &inbox(vec![group()]), PAGE);
        notifications::load(conn, &[NotificationId::new(1)]);
        notifications::members(conn, viewer, &[group()], None, 9, 100);
        notifications::requests(conn, viewer, PAGE);
        notifications::find_requests(conn, viewer, &[NotificationRequestId::new(1)]);
        notifications::senders(conn, viewer, &[NotificationRequestId::new(1)], 9);
        notifications::policy::load(conn, viewer);
        conversations::page_of(conn, viewer, NOW, PAGE);
        conversations::find(conn, viewer, ConversationId::new(1), NOW);
        polls::find(conn, PollId::new(1));
        polls::of_status(conn, status, Some(viewer));
        polls::voters(conn, PollId::new(1), None, 20);
        media::find(conn, MediaId::new(1));
        scheduled::page(conn, viewer, PAGE);
        cards::address_of(conn, status);
        tags::find(conn, "birds");
        tags::load(conn, &[TagId::new(1)], Some(viewer), NOW);
        tags::featured(conn, viewer);
        tags::followed(conn, viewer, PAGE);
        tags::search(conn, &tag_search(viewer));
        search::candidates(conn, &found(&StatusQuery::parse("cat -dog"), viewer), PAGE);
        search::candidates(conn, &found(&StatusQuery::parse("in:library"), viewer), upwards());
        search::candidates(
            conn, &found(&StatusQuery::parse("before:2000-01-01"), viewer), PageRequest::newest(20)
        );
    )
}

/// Returns queries of staff about the server.
fn of_staff() -> Vec<Query> {
    let days = DayRange::of(NOW.before(Duration::from_hours(48)), NOW, 366).unwrap();
    let tag = TagId::new(1);
    queries!(conn,
        measures::active_by_day(conn, days);
        measures::active_totals(conn, days);
        measures::new_by_day(conn, days);
        measures::languages(conn, days, 10);
        measures::sources(conn, days, 10);
        measures::count_interactions(conn, NOW, NOW);
        measures::stored_counts(conn, MeasureKey::Interactions, days);
        measures::uncounted_days(conn, MeasureKey::Interactions, (NOW, NOW), 10);
        measures::opened_by_day(conn, days);
        measures::resolved_by_day(conn, days);
        measures::tag_by_day(conn, tag, TagCount::Servers, days);
        measures::tag_totals(conn, tag, TagCount::Accounts, days);
        measures::tag_servers(conn, tag, days, 10);
        measures::tag_languages(conn, tag, days, 10);
        measures::instance_by_day(conn, "far.test", InstanceRows::Accounts, days);
        measures::instance_by_day(conn, "far.test", InstanceRows::MediaAttachments, days);
        measures::instance_by_day(conn, "far.test", InstanceRows::Reports, days);
        measures::instance_by_day(conn, "far.test", InstanceRows::Statuses, days);
        measures::instance_by_day(conn, "far.test", InstanceRows::Follows, days);
        measures::instance_by_day(conn, "far.test", InstanceRows::Followers, days);
        measures::instance_accounts(conn, "far.test", 10);
        measures::instance_languages(conn, "far.test", days, 10);
        measures::servers(conn, days, 1000, 10);
        measures::cohort_sizes(conn, Frequency::Month, days);
        measures::retained(conn, Frequency::Day, days);
        measures::retained(conn, Frequency::Month, days);
        stored_jobs::list(conn, JobState::Dead, NOW, PAGE);
        stored_jobs::list(conn, JobState::Waiting, NOW, PAGE);
        stored_jobs::find(conn, JobId::new(1), NOW);
        warning_presets::find(conn, WarningPresetId::new(1));
    )
}

both_engines! {
    fn requests_scan_no_table(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        world.follow(alice, bob);
        let status = world.status(bob, Visibility::Public, &[]);
        let queries = of_accounts(alice, bob).into_iter().chain(of_statuses(alice, bob, status));
        let queries = queries.chain(of_staff());
        let scans: Vec<String> = queries
            .flat_map(|(call, query)| {
                plans(database, query).into_iter().filter(|plan| reads_all(plan)).map(move |plan| {
                    format!("{call}\n{plan}")
                })
            })
            .collect();
        assert!(scans.is_empty(), "{}", scans.join("\n"));
    }
}
