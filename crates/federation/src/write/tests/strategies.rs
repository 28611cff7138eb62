//! Random values to write. Ids and names are distinct, because readers drop repetitions.

use proptest::{collection::vec, option, prelude::*, sample::select};
use siskin_entities::{Focus, media::PixelSize};
use siskin_text::{
    Handle as TypedHandle, Hashtag, Links, MentionLink, is_blank, parse, render, render_quote_link,
};

use super::*;
use crate::{
    audience::Visibility,
    policies::{Grant, InteractionPolicy, Rule},
};

type Text = &'static str;

pub(super) fn address() -> impl Strategy<Value = Text> {
    "https://(town|far)\\.example/[a-zA-Z0-9/_~%é?=&.-]{0,20}(#[a-z0-9/]{1,6})?".prop_map(kept)
}

fn kept(text: String) -> Text {
    leak(text).as_str()
}

/// Returns a visible text on one line, without entities and without blanks at its ends.
pub(super) fn line() -> impl Strategy<Value = Text> {
    let text = "[a-zA-Z0-9äß日本🎉<>\"'/\\\\ .,:;#@!?{}\u{200D}-]{1,30}|a & b|\\PC{1,8}";
    text.prop_filter_map("blank", |text| {
        let text = text.trim().replace(['&', '\u{FFFD}'], "+");
        (!is_blank(&text)).then(|| kept(text))
    })
}

fn lines() -> impl Strategy<Value = Text> {
    (line(), option::of(line())).prop_map(|(one, two)| match two {
        Some(two) => kept(format!("{one}\n\n{two}")),
        None => one,
    })
}

fn or_empty(text: impl Strategy<Value = Text>) -> impl Strategy<Value = Text> {
    option::of(text).prop_map(Option::unwrap_or_default)
}

pub(super) fn time() -> impl Strategy<Value = Timestamp> {
    (0..4_102_444_800_000_i64).prop_map(Timestamp::from_unix_ms)
}

struct Town;

impl Links for Town {
    fn mention(&self, handle: &TypedHandle) -> Option<MentionLink> {
        let shown = handle.username.clone();
        Some(MentionLink { url: format!("https://town.example/@{shown}"), shown })
    }

    fn hashtag(&self, hashtag: &Hashtag) -> String {
        format!("https://town.example/tags/{}", hashtag.name)
    }
}

/// Returns HTML as our server renders it.
pub(super) fn html() -> impl Strategy<Value = Text> {
    vec("[a-z \n<>&\"é]{0,12}|#tag|@bob|https://a\\.example/b", 0..6)
        .prop_map(|words| kept(render(&parse(&words.join(" ")), &Town)))
}

fn picture() -> impl Strategy<Value = Picture<'static>> {
    (address(), select(&["image/png", ""][..]), or_empty(line()))
        .prop_map(|(url, media_type, description)| Picture { url, media_type, description })
}

/// Returns tags, among them mentions of `people`.
fn tags(people: Vec<Text>) -> impl Strategy<Value = Vec<Tag<'static>>> {
    let hashtags = vec("[a-zäß日]{1,10}", 0..4);
    let emojis = vec((option::of(time()), picture()), 0..4);
    (hashtags, emojis).prop_map(move |(hashtags, emojis)| {
        let mentions = people.iter().map(|href| Tag::Mention { href, name: "@b@far.example" });
        let mut seen = std::collections::HashSet::new();
        let hashtags = hashtags
            .into_iter()
            .filter(|name| Hashtag::parse(name).is_some_and(|tag| seen.insert(tag.name)))
            .map(|name| Tag::Hashtag { href: "https://town.example/tags/x", name: kept(name) });
        let emojis = emojis.into_iter().enumerate().map(|(n, (updated, picture))| {
            let (id, shortcode) = (format!("https://town.example/emojis/{n}"), format!("e_{n}"));
            Tag::Emoji(Emoji { id: kept(id), shortcode: kept(shortcode), updated, picture })
        });
        mentions.chain(hashtags).chain(emojis).collect()
    })
}

fn attachment() -> impl Strategy<Value = Attachment<'static>> {
    let side = || 1_u32..=65_535;
    (
        (select(&["image/png", "video/mp4", "audio/ogg"][..]), address(), or_empty(lines())),
        option::of(Just("LEHV6nWB2yk8pyo0adR*.7kCMdnj")),
        option::of((-1_000_000..=1_000_000, -1_000_000..=1_000_000)),
        option::of((side(), side())),
        (option::of(0..9_000_000_000_u64), option::of(address())),
    )
        .prop_map(|((media_type, url, description), blurhash, focus, size, more)| Attachment {
            media_type,
            url,
            description,
            blurhash,
            focus: focus.map(|(x, y)| Focus::from_millionths(x, y)),
            size: size.map(|(width, height)| PixelSize { width, height }),
            duration: more.0,
            preview: more.1,
        })
}

fn poll() -> impl Strategy<Value = Poll<'static>> {
    let votes = || 0..=crate::read::limits::COUNT;
    let options = vec((line(), votes()), 1..5);
    (options, any::<bool>(), option::of(time()), option::of(time()), option::of(votes())).prop_map(
        |(options, is_multiple, ends_at, closed_at, voters)| {
            let options =
                options.into_iter().map(|(name, votes)| PollOption { name, votes }).collect();
            // A poll without an end is not closed.
            let closed_at = closed_at.filter(|_| ends_at.is_some());
            Poll { options: leak_all(options), is_multiple, ends_at, closed_at, voters }
        },
    )
}

fn rule() -> impl Strategy<Value = Rule> {
    let grant =
        || prop_oneof![Just(Grant::Public), address().prop_map(|address| Grant::Id(uri(address)))];
    (vec(grant(), 0..3), vec(grant(), 0..3))
        .prop_map(|(automatic, manual)| Rule { automatic, manual })
}

fn policy() -> impl Strategy<Value = InteractionPolicy> {
    let rule = || option::of(rule());
    (rule(), rule(), rule(), rule()).prop_map(|(can_quote, can_reply, can_like, can_announce)| {
        InteractionPolicy { can_quote, can_reply, can_like, can_announce }
    })
}

/// Returns a status with the visibility that its addressees give it.
pub(super) fn any_note() -> impl Strategy<Value = (Visibility, Note<'static>)> {
    let visibilities = [
        Visibility::Public,
        Visibility::Unlisted,
        Visibility::Private,
        Visibility::Limited,
        Visibility::Direct,
    ];
    (select(visibilities.to_vec()), 0_usize..4).prop_flat_map(|(visibility, people)| {
        let count = people.max(usize::from(visibility == Visibility::Limited));
        let people: Vec<Text> =
            (0..count).map(|n| kept(format!("https://far.example/users/{n}"))).collect();
        let addressed = leak(addressees(visibility, FOLLOWERS, leak(people.clone())));
        // A limited status addresses an account without a mention.
        let mentioned = people.into_iter().skip(usize::from(visibility == Visibility::Limited));
        let base = Note { to: &addressed.to, cc: &addressed.cc, ..Note::new(STATUS, ALICE, NOW) };
        (Just(visibility), contents(base, mentioned.collect()))
    })
}

fn contents(base: Note<'static>, mentioned: Vec<Text>) -> impl Strategy<Value = Note<'static>> {
    let texts =
        (or_empty(lines()), any::<bool>(), html(), option::of(select(&["de", "en", "ja"][..])));
    let source =
        option::of(line().prop_map(|content| Source { content, media_type: "text/markdown" }));
    let times = (time(), option::of(time()));
    let addresses = (or_empty(address()), option::of(address()), option::of(address()));
    let attached = (vec(attachment(), 0..4), option::of(address()), tags(mentioned));
    let quote = option::of((address(), option::of(address())));
    let total = || option::of(0..=crate::read::limits::COUNT);
    let replies = option::of((vec(address(), 0..4), option::of(address())));
    let interactions = (replies, total(), total(), option::of(policy()), quote);
    (
        texts,
        source,
        times,
        addresses,
        attached,
        interactions,
        option::of(poll()),
        option::of(line()),
    )
        .prop_map(
            move |(texts, source, times, addresses, attached, interactions, poll, conversation)| {
                let (replies, likes, shares, policy, quote) = interactions;
                let quote = quote.map(|(id, authorization)| Quote { id, authorization });
                let link = quote.map(|quote| render_quote_link(quote.id)).unwrap_or_default();
                Note {
                    published: times.0,
                    updated: times.1,
                    url: addresses.0,
                    in_reply_to: addresses.1,
                    warning: texts.0,
                    is_sensitive: texts.1,
                    content: kept(link + texts.2),
                    language: texts.3,
                    source,
                    context: addresses.2,
                    conversation,
                    attachments: leak_all(attached.0),
                    preview_link: attached.1,
                    tags: leak_all(attached.2),
                    replies: replies.map(|(items, next)| Replies {
                        id: "https://town.example/users/a/statuses/1/replies",
                        items: leak_all(items),
                        next,
                    }),
                    likes: likes.map(|count| Total { id: "https://town.example/1/likes", count }),
                    shares: shares
                        .map(|count| Total { id: "https://town.example/1/shares", count }),
                    policy: policy.map(leak),
                    quote,
                    poll,
                    ..base
                }
            },
        )
}

pub(super) fn any_actor() -> impl Strategy<Value = Actor<'static>> {
    let kinds = [ActorKind::Person, ActorKind::Service, ActorKind::Group];
    let names =
        (select(kinds.to_vec()), "[a-z][a-z0-9_]{0,20}", or_empty(line()), or_empty(html()));
    let collections = (or_empty(address()), or_empty(address()), or_empty(address()));
    let more = (or_empty(address()), or_empty(address()), option::of(time()));
    let flags = any::<[bool; 4]>();
    let pictures = (option::of(picture()), option::of(picture()));
    let fields = vec(
        (
            line(),
            "<a href=\"https://a\\.example/[a-z]{1,5}\" rel=\"nofollow noopener\">a</a>|[a-z ]{1,9}x",
        ),
        0..4,
    );
    let aliases = vec("https://old\\.example/users/[a-z]{1,8}", 0..3);
    let others = (aliases, option::of(address()), vec("[a-z]{1,8}\\.example", 0..3));
    (
        names,
        collections,
        more,
        flags,
        pictures,
        fields,
        tags(Vec::new()),
        others,
        any::<[bool; 2]>(),
    )
        .prop_map(|(names, collections, more, flags, pictures, fields, tags, others, keys)| {
            let (kind, username, name, summary) = names;
            let fields =
                fields.into_iter().map(|(name, value)| ProfileField { name, value: kept(value) });
            let texts = |texts: Vec<String>| {
                let mut texts: Vec<Text> = texts.into_iter().map(kept).collect();
                texts.dedup();
                leak_all(texts)
            };
            let (rsa, ed25519) = (samples::rsa(), samples::ed25519());
            let multikey = Multikey {
                id: "https://town.example/users/a#ed25519-key",
                multibase: kept(ed25519.public().to_multibase()),
            };
            let pem = kept(rsa.public().to_pem());
            Actor {
                handle: Some(leak(Handle::parse(&format!("{username}@town.example")).unwrap())),
                name,
                summary,
                url: more.0,
                created: more.2,
                outbox: collections.0,
                followers: collections.1,
                following: collections.2,
                featured: more.1,
                featured_tags: more.1,
                shared_inbox: "https://town.example/inbox",
                is_locked: flags[0],
                is_discoverable: flags[1],
                is_indexable: flags[2],
                is_memorial: flags[3],
                rsa_key: keys[0]
                    .then_some(RsaKey { id: "https://town.example/users/a#main-key", pem }),
                multikeys: if keys[1] { leak_all(vec![multikey]) } else { &[] },
                icon: pictures.0,
                image: pictures.1,
                fields: leak_all(fields.collect()),
                tags: leak_all(tags),
                also_known_as: texts(others.0),
                moved_to: others.1,
                attribution_domains: texts(others.2),
                ..Actor::new(ALICE, kind, kept(username), "https://town.example/users/a/inbox")
            }
        })
}
