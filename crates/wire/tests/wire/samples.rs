//! Sample views for the tests.

use std::{sync::Arc, time::Duration};

use serde::Serialize;
use serde_json::Value;
use siskin_entities::{
    Account, AccountSnapshot, AccountState, Appeal, AppealState, Application, CardImage, CardKind,
    ContentType, Conversation, Credentials, CustomEmoji, FeaturedTag, Feeds, FeedsByOrigin, Field,
    Focus, InstanceCounts, InstanceFacts, InstanceLimits, InstancePicture, List, MediaAttachment,
    MediaKind, MediaMeta, MediaStage, Notification, NotificationKind, NotificationRecord,
    NotificationType, Picture, PictureVersion, Poll, PreviewCard, Protocol, PushAlerts,
    PushMessage, PushPolicy, PushSubscription, Quote, QuoteApproval, QuotePermission, QuotePolicy,
    QuoteState, RepliesPolicy, Review, ReviewedTag, Role, Rule, ScheduledStatus, ShownText,
    SourceText, Status, StatusBody, StatusDraft, StatusSnapshot, StatusSource, Strike,
    StrikeAction, StrikeStatus, Tag, TagDay, TermsOfService, TextName, Timestamp, Translation,
    TrendingLink, ViewerState, Visibility, Week, WeeklyActivity,
    filters::{
        Filter, FilterAction, FilterContext, FilterHead, FilterKeyword, FilterResult, FilterStatus,
    },
    instance::{AccountLimits, MediaLimits, PollLimits, StatusLimits},
    media::{Colors, PixelSize, Playing, Sound},
    polls::{Definition, PollOption, PollViewer},
    settings::{FeedAccess, Registrations},
    status::{Mention, StatusApplication, StatusCounts, StatusTag},
    time::Date,
    translation::{Languages, TranslatedPoll},
};
use siskin_ids::{
    AccountId, AppealId, ApplicationId, ConversationId, FeaturedTagId, FilterId, FilterKeywordId,
    FilterStatusId, ListId, MediaId, NotificationId, PollId, PreviewCardId, PushSubscriptionId,
    ReportId, RoleId, RuleId, ScheduledStatusId, StatusId, StrikeId, TagId,
};
use siskin_wire::Urls;

/// 2026-11-27T08:00:00.123Z
pub const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_123);

pub fn urls() -> Urls {
    Urls::new("https://example.com", "example.com", "https://example.com/media")
}

pub fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("entities are JSON")
}

pub fn role() -> Role {
    Role {
        id: RoleId::new(1),
        name: "Moderator".to_owned(),
        color: "#aabbcc".to_owned(),
        permissions: 1308,
        position: 10,
        highlighted: true,
    }
}

/// Returns an animated emoji.
pub fn emoji(shortcode: &str) -> CustomEmoji {
    CustomEmoji {
        shortcode: shortcode.to_owned(),
        picture: Picture { file: "c.gif".to_owned(), still: Some("d.png".to_owned()) },
        category: Some("Cats & birds".to_owned()),
        visible_in_picker: true,
    }
}

/// Returns a local account with all fields filled in.
pub fn alice() -> Account {
    let snapshot = AccountSnapshot {
        id: AccountId::new(101),
        username: "alice".to_owned(),
        domain: None,
        display_name: "Alice <3".to_owned(),
        note: "Hello & welcome".to_owned(),
        note_html: "<p>Hello &amp; welcome</p>".to_owned(),
        fields: vec![Field {
            name: "Home".to_owned(),
            value: "https://alice.example".to_owned(),
            value_html: "<a href=\"https://alice.example\">alice.example</a>".to_owned(),
            verified_at: Some(NOW),
        }],
        avatar: Some(Picture { file: "a.gif".to_owned(), still: Some("b.png".to_owned()) }),
        avatar_description: "A bird & a branch".to_owned(),
        header: None,
        header_description: String::new(),
        emojis: vec![emoji("blobcat")],
        locked: true,
        bot: true,
        discoverable: Some(true),
        indexable: true,
        hide_collections: false,
        show_media: true,
        show_media_replies: false,
        show_featured: true,
        attribution_domains: vec!["news.example".to_owned()],
        memorial: false,
        uri: "https://example.com/users/alice".to_owned(),
        url: None,
        protocol: Protocol::Local,
        state: AccountState { suspended: false, silenced: false, reachable: true },
        sensitized: false,
        created_at: NOW,
        role: Some(role()),
    };
    Account {
        snapshot: Arc::new(snapshot.into()),
        moved: None,
        last_status_at: Some(NOW),
        statuses_count: 12,
        followers_count: 3,
        following_count: 4,
    }
}

/// Returns Alice's account with a change.
pub fn alice_with(change: impl FnOnce(&mut AccountSnapshot)) -> Account {
    let mut account = alice();
    change(account.snapshot_mut());
    account
}

/// Returns a remote account with few known fields.
pub fn bob() -> Account {
    let snapshot = AccountSnapshot {
        id: AccountId::new(102),
        username: "bob".to_owned(),
        domain: Some("remote.example".to_owned()),
        display_name: String::new(),
        note: String::new(),
        note_html: String::new(),
        fields: Vec::new(),
        avatar: None,
        avatar_description: String::new(),
        emojis: Vec::new(),
        discoverable: None,
        uri: "https://remote.example/users/bob".to_owned(),
        url: Some("https://remote.example/@bob".to_owned()),
        protocol: Protocol::ActivityPub,
        role: None,
        ..AccountSnapshot::clone(&alice().snapshot)
    };
    Account { snapshot: Arc::new(snapshot.into()), last_status_at: None, ..alice() }
}

pub fn credentials() -> Credentials {
    Credentials {
        account_id: AccountId::new(101),
        email: "alice@example.com".to_owned(),
        locale: Some("en".to_owned()),
        role: None,
        confirmed: true,
        approved: true,
        disabled: false,
        suspended: false,
        default_privacy: Visibility::Unlisted,
        default_sensitive: true,
        default_language: Some("de".to_owned()),
        default_content_type: ContentType::default(),
        default_quote_policy: QuotePolicy::Followers,
        follow_requests_count: 2,
    }
}

/// Returns a status of Alice that is a reply, mentions Bob and uses a hashtag.
pub fn body() -> StatusBody {
    let snapshot = StatusSnapshot {
        id: StatusId::new(7_001),
        uri: "https://example.com/users/alice/statuses/7001".to_owned(),
        url: Some("https://example.com/@alice/7001".to_owned()),
        is_local: true,
        username: "alice".to_owned(),
        source: StatusSource {
            text: "@bob@remote.example see #caf\u{e9}".to_owned(),
            content_type: ContentType::Plain,
            spoiler_text: "careful".to_owned(),
            sensitive: true,
            language: Some("en".to_owned()),
        },
        content: "<p>see</p>".to_owned(),
        visibility: Visibility::Private,
        mentions: vec![Mention {
            account_id: AccountId::new(102),
            username: "bob".to_owned(),
            acct: "bob@remote.example".to_owned(),
            url: "https://remote.example/@bob".to_owned(),
        }],
        former_mentions: Vec::new(),
        tags: vec![StatusTag { name: "caf\u{e9}".to_owned() }],
        attachments: vec![picture(), video(), recording()],
        emojis: vec![CustomEmoji { category: None, ..emoji("birb") }],
        application: Some(StatusApplication { name: "toot".to_owned(), website: None }),
        has_poll: false,
        card: Some(card()),
        created_at: NOW,
        edited_at: None,
    };
    StatusBody {
        snapshot: Arc::new(snapshot.into()),
        account: Arc::new(alice()),
        in_reply_to_id: Some(StatusId::new(7_000)),
        in_reply_to_account_id: Some(AccountId::new(102)),
        conversation_id: StatusId::new(7_000),
        poll: None,
        counts: StatusCounts { replies: 1, reblogs: 2, favourites: 3, quotes: 4 },
        quote: None,
        quote_approval: QuoteApproval {
            policy: QuotePolicy::Followers,
            viewer: QuotePermission::Automatic,
        },
        viewer: Some(ViewerState {
            favourited: true,
            reblogged: false,
            bookmarked: true,
            muted: false,
            pinned: Some(false),
            filtered: vec![filter_result()],
        }),
    }
}

/// Returns a quote of a status by Bob, which is a quote itself.
pub fn quote() -> Quote {
    let inner = Quote { state: QuoteState::Accepted, status: Some(Box::new(body())) };
    let quoted = StatusBody { quote: Some(inner), ..remote_body(|_| {}) };
    Quote { state: QuoteState::MutedAccount, status: Some(Box::new(quoted)) }
}

/// Returns the same status with a change.
pub fn body_with(change: impl FnOnce(&mut StatusSnapshot)) -> StatusBody {
    let mut body = body();
    change(body.snapshot_mut());
    body
}

/// Returns the same status as if it were remote.
pub fn remote_body(change: impl FnOnce(&mut StatusSnapshot)) -> StatusBody {
    let body = body_with(|snapshot| {
        snapshot.is_local = false;
        snapshot.username = "bob".to_owned();
        change(snapshot);
    });
    StatusBody { account: Arc::new(bob()), ..body }
}

/// Returns a scheduled status with an image and all other fields except a poll.
pub fn scheduled() -> ScheduledStatus {
    ScheduledStatus {
        id: ScheduledStatusId::new(800),
        account: AccountId::new(101),
        at: NOW,
        draft: StatusDraft {
            source: StatusSource {
                spoiler_text: "Birds".to_owned(),
                content_type: ContentType::Markdown,
                sensitive: true,
                language: Some("en".to_owned()),
                ..StatusSource::new("Look, @bob")
            },
            visibility: Visibility::Unlisted,
            in_reply_to: Some(StatusId::new(700)),
            quote_of: Some(StatusId::new(699)),
            quote_policy: Some(QuotePolicy::Nobody),
            poll: None,
            allowed_mentions: Some(vec![AccountId::new(102)]),
        },
        application: Some(ApplicationId::new(5)),
        attachments: vec![picture()],
    }
}

/// Returns a scheduled status with a poll and nothing else.
pub fn scheduled_poll() -> ScheduledStatus {
    let titles = vec!["yes".to_owned(), "no".to_owned()];
    let poll = Definition::new_unchecked(titles, Duration::from_secs(300), true, false);
    ScheduledStatus {
        draft: StatusDraft {
            source: StatusSource::new("Well?"),
            poll: Some(poll),
            ..StatusDraft::default()
        },
        application: None,
        attachments: Vec::new(),
        ..scheduled()
    }
}

/// Returns the preview of an article with all fields.
pub fn card() -> PreviewCard {
    PreviewCard {
        url: "https://news.example/birds?a=1&b=2".to_owned(),
        kind: CardKind::Link,
        title: "Siskins <in> winter".to_owned(),
        description: "What they \"eat\"".to_owned(),
        author_name: "Ann".to_owned(),
        author_url: "https://news.example/ann".to_owned(),
        provider_name: "News".to_owned(),
        provider_url: "https://news.example/".to_owned(),
        embed_url: String::new(),
        width: 640,
        height: 360,
        image: Some(CardImage {
            file: "e123456789abcdef0123456789abcdef.jpg".to_owned(),
            blurhash: Some("LEHV6nWB2yk8pyo0adR*.7kCMdnj".to_owned()),
        }),
        is_article: true,
        published_at: Some(NOW),
    }
}

/// Returns the preview of a video with few known fields.
pub fn playing_card() -> PreviewCard {
    PreviewCard {
        url: "https://tube.example/1".to_owned(),
        kind: CardKind::Video,
        title: "A siskin sings".to_owned(),
        embed_url: "https://tube.example/e?a=1&b=2".to_owned(),
        width: 640,
        height: 360,
        ..PreviewCard::default()
    }
}

/// Returns an image attachment with all fields.
pub fn picture() -> MediaAttachment {
    MediaAttachment {
        id: MediaId::new(900),
        account: AccountId::new(101),
        status: None,
        scheduled: None,
        kind: MediaKind::Image,
        stage: MediaStage::Ready,
        source: None,
        file: Some("0123456789abcdef0123456789abcdef.jpg".to_owned()),
        preview: Some("f123456789abcdef0123456789abcdef.jpg".to_owned()),
        description: "A \"bird\"".to_owned(),
        focus: Some(Focus::from_millionths(420_000, -690_000)),
        blurhash: Some("LEHV6nWB2yk8pyo0adR*.7kCMdnj".to_owned()),
        meta: MediaMeta {
            original: Some(PixelSize { width: 1920, height: 1080 }),
            small: Some(PixelSize { width: 640, height: 360 }),
            ..MediaMeta::default()
        },
    }
}

/// Returns an image attachment that is not ready.
pub fn waiting() -> MediaAttachment {
    MediaAttachment {
        stage: MediaStage::Waiting,
        source: Some("a123456789abcdef0123456789abcdef.upload".to_owned()),
        file: None,
        preview: None,
        description: String::new(),
        blurhash: None,
        meta: MediaMeta::default(),
        ..picture()
    }
}

pub fn video() -> MediaAttachment {
    let sound =
        Sound { codec: "aac".to_owned(), sample_rate: 44_100, channels: "stereo".to_owned() };
    MediaAttachment {
        id: MediaId::new(901),
        kind: MediaKind::Video,
        file: Some("0123456789abcdef0123456789abcdef.mp4".to_owned()),
        meta: MediaMeta {
            playing: Some(Playing {
                duration_us: 88_654_000,
                bitrate: 862_056,
                frame_rate: Some((30_000, 1001)),
                sound: Some(sound),
            }),
            ..picture().meta
        },
        ..picture()
    }
}

/// Returns a recording without a cover. Its focal point must be ignored.
pub fn recording() -> MediaAttachment {
    MediaAttachment {
        id: MediaId::new(902),
        kind: MediaKind::Audio,
        file: Some("0123456789abcdef0123456789abcdef.mp3".to_owned()),
        preview: None,
        blurhash: None,
        meta: MediaMeta {
            original: None,
            small: None,
            playing: video().meta.playing.map(|playing| Playing { frame_rate: None, ..playing }),
            colors: Some(Colors {
                background: "#102030".to_owned(),
                foreground: "#ffffff".to_owned(),
                accent: "#ff8800".to_owned(),
            }),
        },
        ..picture()
    }
}

/// Returns an open poll; the viewer chose the second option.
pub fn poll() -> Poll {
    let option = |title: &str, votes| PollOption { title: title.to_owned(), votes };
    Poll {
        id: PollId::new(41),
        options: vec![option("yes :cat:", 1), option("no", 2)],
        multiple: true,
        hide_totals: false,
        expires_at: Some(Timestamp::from_unix_ms(NOW.unix_ms() + 1)),
        closed: false,
        voters: 2,
        emojis: vec![emoji("cat")],
        viewer: Some(PollViewer { is_author: false, chosen: vec![1] }),
    }
}

/// Returns a filter that expires, with a keyword and a status.
pub fn filter() -> Filter {
    let head = FilterHead {
        id: FilterId::new(61),
        title: "Birds".to_owned(),
        contexts: [FilterContext::Thread, FilterContext::Home].into_iter().collect(),
        action: FilterAction::Hide,
        expires_at: Some(NOW),
    };
    let keyword = FilterKeyword {
        id: FilterKeywordId::new(62),
        keyword: "sisk".to_owned(),
        whole_word: true,
    };
    let status = FilterStatus { id: FilterStatusId::new(63), status: StatusId::new(7_001) };
    Filter { head: Arc::new(head), keywords: vec![keyword], statuses: vec![status] }
}

pub fn filter_result() -> FilterResult {
    FilterResult {
        filter: filter().head,
        keyword_matches: vec!["Sisk".to_owned()],
        status_matches: Vec::new(),
    }
}

pub fn status() -> Status {
    Status { body: body(), reblog: None }
}

/// Returns Bob's reblog of Alice's status, for an anonymous viewer.
pub fn reblog() -> Status {
    let inner = StatusBody { viewer: None, ..body() };
    let outer = remote_body(|snapshot| {
        snapshot.id = StatusId::new(7_002);
        snapshot.source.text = String::new();
        snapshot.content = String::new();
        snapshot.mentions = Vec::new();
        snapshot.tags = Vec::new();
        snapshot.attachments = Vec::new();
        snapshot.emojis = Vec::new();
        snapshot.application = None;
        snapshot.card = None;
    });
    let outer = StatusBody { counts: StatusCounts::default(), viewer: None, ..outer };
    Status { body: outer, reblog: Some(Box::new(inner)) }
}

pub fn notification(kind: NotificationKind) -> Notification {
    let record = match kind {
        NotificationKind::ModerationWarning => Some(NotificationRecord::Strike(Arc::new(strike()))),
        NotificationKind::AdminReport => {
            Some(NotificationRecord::Report(Arc::new(crate::reports::sample())))
        }
        _ => None,
    };
    let about_account = matches!(kind, NotificationKind::Follow | NotificationKind::FollowRequest);
    Notification {
        id: NotificationId::new(55),
        kind,
        account: Arc::new(bob()),
        status: (!about_account && record.is_none()).then(status),
        record,
        created_at: NOW,
        filtered: false,
    }
}

/// Returns an appealed strike against Bob.
pub fn strike() -> Strike {
    Strike {
        id: StrikeId::new(81),
        target: Arc::new(bob()),
        moderator: Some(AccountId::new(99)),
        action: StrikeAction::DeleteStatuses,
        text: "Please be kind.".to_owned(),
        report: Some(ReportId::new(82)),
        statuses: vec![StrikeStatus {
            id: StatusId::new(7_003),
            marked: false,
            excerpt: "Unkind <words>".to_owned(),
        }],
        appeal: Some(appeal()),
        overruled_at: Some(NOW),
        created_at: NOW,
    }
}

pub fn appeal() -> Appeal {
    Appeal {
        id: AppealId::new(83),
        strike: StrikeId::new(81),
        account: bob().id,
        text: "It was satire.".to_owned(),
        state: AppealState::Approved,
        decided_by: Some(AccountId::new(98)),
        decided_at: Some(NOW),
        created_at: NOW,
    }
}

pub fn application() -> Application {
    Application {
        id: ApplicationId::new(9),
        name: "toot".to_owned(),
        website: Some("https://toot.example".to_owned()),
        client_id: "the-client".to_owned(),
        redirect_uris: vec![
            "urn:ietf:wg:oauth:2.0:oob".to_owned(),
            "https://toot.example/done".to_owned(),
        ],
        scopes: "read write".to_owned(),
        created_at: NOW,
    }
}

/// Returns a hashtag without a review.
pub fn reviewed_tag() -> ReviewedTag {
    ReviewedTag { tag: tag(), review: Review::Unreviewed, trendable: false }
}

/// Returns a link that was approved.
pub fn trending_link() -> TrendingLink {
    TrendingLink {
        id: PreviewCardId::new(115_000_000_000_000_007),
        card: card(),
        history: tag().history,
        review: Review::Approved,
        requires_review: false,
        trendable: true,
    }
}

pub fn tag() -> Tag {
    Tag {
        id: Some(TagId::new(31)),
        name: "rust".to_owned(),
        history: vec![TagDay { day: NOW.midnight(), uses: 5, accounts: 2 }],
        following: Some(false),
        featuring: Some(true),
    }
}

pub fn featured_tag() -> FeaturedTag {
    FeaturedTag {
        id: FeaturedTagId::new(32),
        name: "rust".to_owned(),
        statuses: 7,
        last_status_at: Some(NOW),
    }
}

pub fn list() -> List {
    List {
        id: ListId::new(33),
        title: "Birds".to_owned(),
        replies_policy: RepliesPolicy::Followed,
        exclusive: true,
    }
}

pub fn conversation() -> Conversation {
    Conversation {
        id: ConversationId::new(34),
        unread: true,
        accounts: vec![Arc::new(bob())],
        last_status: Some(status()),
    }
}

pub fn instance() -> InstanceFacts {
    InstanceFacts {
        title: "Siskin".to_owned(),
        short_description: "A small one".to_owned(),
        description: String::new(),
        version: "4.5.0 (compatible; Siskin 0.1.0)".to_owned(),
        api_version: None,
        software_version: "0.1.0".to_owned(),
        source_url: Some("https://source.example/siskin".to_owned()),
        languages: vec!["en".to_owned()],
        contact_email: "staff@example.com".to_owned(),
        contact_account: Some(Arc::new(alice())),
        registrations: Registrations::Approval,
        registrations_message: "Back <soon>".to_owned(),
        rules: vec![Rule { id: RuleId::new(1), text: "Be kind".to_owned(), hint: String::new() }],
        counts: InstanceCounts {
            users: 10,
            active_month: 5,
            active_half_year: 7,
            local_statuses: 100,
            domains: 2,
        },
        limits: limits(),
        feeds: Feeds {
            live: FeedsByOrigin { local: FeedAccess::Public, remote: FeedAccess::Authenticated },
            hashtag: FeedsByOrigin { local: FeedAccess::Public, remote: FeedAccess::Disabled },
        },
        translates: false,
        vapid_key: "BKey".to_owned(),
        has_terms: true,
        external_sign_up: false,
        picture: None,
    }
}

/// A picture of the instance in all sizes.
pub fn instance_picture() -> InstancePicture {
    let version = |file: &str, width, height| PictureVersion {
        file: file.to_owned(),
        size: PixelSize { width, height },
        blurhash: Some("UBL_:rOpGG-oBUNG,qRj".to_owned()),
    };
    InstancePicture {
        thumbnail: version("wide.jpg", 1200, 630),
        large_thumbnail: Some(version("large.jpg", 2400, 1260)),
        icons: vec![version("small.jpg", 192, 192), version("icon.jpg", 512, 512)],
    }
}

/// A text about the instance.
pub fn text() -> ShownText {
    ShownText { html: "<h2>Us</h2>".to_owned(), updated_at: Some(NOW) }
}

/// Terms of service that others will follow.
pub fn terms() -> TermsOfService {
    TermsOfService {
        effective_date: Date(NOW.midnight()),
        is_effective: true,
        succeeded_by: Date::parse("2027-02-28"),
        html: "<p>Be kind</p>".to_owned(),
    }
}

/// Terms of service for staff.
pub fn source_text() -> SourceText {
    SourceText {
        name: TextName::TermsOfService,
        text: "Be kind".to_owned(),
        html: "<p>Be kind</p>".to_owned(),
        updated_at: Some(NOW),
        is_default: false,
        effective_date: Date::parse("2026-12-01"),
        versions: Date::parse("2026-12-01").into_iter().collect(),
        announced_at: Some(NOW),
    }
}

/// Activity in a week.
pub fn week() -> WeeklyActivity {
    WeeklyActivity { week: Week::of(NOW), statuses: 12, logins: 3, registrations: 0 }
}

fn limits() -> InstanceLimits {
    InstanceLimits {
        accounts: AccountLimits {
            display_name_chars: 30,
            picture_description_chars: 1500,
            note_chars: 500,
            featured_tags: 10,
            pinned_statuses: 5,
            fields: 4,
            field_name_chars: 255,
            field_value_chars: 255,
        },
        statuses: StatusLimits { chars: 500, media_attachments: 4, chars_per_url: 23 },
        media: MediaLimits {
            types: vec!["image/png".to_owned()],
            image_bytes: 16_777_216,
            image_pixels: 33_177_600,
            video_bytes: 103_809_024,
            video_frame_rate: 120,
            video_pixels: 8_294_400,
            description_chars: 1500,
        },
        polls: PollLimits {
            options: 4,
            option_chars: 50,
            shortest_seconds: 300,
            longest_seconds: 2_629_746,
        },
    }
}

pub fn translation() -> Translation {
    Translation {
        content: "<p>Hallo</p>".to_owned(),
        spoiler_text: "Oh".to_owned(),
        poll: Some(TranslatedPoll { id: PollId::new(41), options: vec!["ja".to_owned()] }),
        descriptions: vec![(MediaId::new(51), "Eine Katze".to_owned())],
        source: Some("en".to_owned()),
        target: "de".to_owned(),
        provider: "LibreTranslate".to_owned(),
    }
}

pub fn languages() -> Languages {
    Languages::new([("en".to_owned(), ["de".to_owned(), "fr".to_owned()])])
}

pub fn push_subscription() -> PushSubscription {
    PushSubscription {
        id: PushSubscriptionId::new(61),
        endpoint: "https://push.example/send/1".to_owned(),
        standard: true,
        policy: PushPolicy::Followed,
        alerts: PushAlerts::from([NotificationType::Mention, NotificationType::AdminSignUp]),
    }
}

pub fn push_message() -> PushMessage {
    PushMessage {
        access_token: "token".to_owned(),
        locale: "de".to_owned(),
        notification: NotificationId::new(62),
        kind: NotificationType::Mention,
        icon: urls().avatar(None),
        title: "Alice mentioned you".to_owned(),
        body: "Tom & Jerry <3".to_owned(),
    }
}
