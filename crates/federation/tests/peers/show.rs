//! What is read of a document, as lines.

use serde_json::Value;
use siskin_entities::{Focus, Timestamp};
use siskin_federation::{
    address::{Schemes, Uri},
    audience::{Audience, PublicIn, Visibility},
    policies::{Grant, Rule},
    read::{
        Action, Activity, Actor, Attachment, Collection, Document, Object, PageLink, ReadError,
        Reader, RemotePicture, Subject, Tags,
    },
    rules::{Belongs, activity_id_counts, author_of, object_belongs},
};

const READER: Reader = Reader::new(Schemes::Https);

/// Reads bytes as every kind of document.
pub fn read_as_everything(bytes: &[u8]) {
    drop(READER.document(bytes));
    drop(READER.activity(bytes));
    drop(READER.envelope(bytes));
    drop(READER.key_document(bytes));
    drop(READER.jrd(bytes));
    drop(READER.host_meta(bytes));
    drop(READER.node_info_index(bytes));
    drop(READER.node_info(bytes));
}

/// Collected lines.
#[derive(Debug, Default)]
pub struct Shown {
    lines: Vec<String>,
    followers: Option<Uri>,
}

impl Shown {
    /// Reads a document of a test file.
    pub fn of(document: &Value) -> Self {
        let bytes = document["body"].to_string().into_bytes();
        let followers = document["followers"].as_str();
        let followers = followers.map(|it| Uri::parse(it, Schemes::Https).unwrap());
        let mut shown = Self { lines: Vec::new(), followers };
        let read = match document["as"].as_str() {
            Some("activity") => shown.delivered(&bytes),
            Some("key") => shown.keys(&bytes),
            Some("jrd") => shown.jrd(&bytes),
            Some(other) => panic!("unknown kind {other}"),
            None => READER.document(&bytes).map(|it| shown.document(&it)),
        };
        let reason = read.err().map(ReadError::reason);
        assert_eq!(reason, document["fails"].as_str(), "{}", document["what"]);
        shown
    }

    pub fn lines(self) -> Vec<String> {
        self.lines
    }

    fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn option(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.say(format!("{name}: {}", value.to_string()));
        }
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.say(name);
        }
    }

    fn delivered(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let activity = READER.activity(bytes)?;
        let envelope = READER.envelope(bytes)?;
        assert_eq!((&envelope.id, &envelope.actor), (&activity.id, &activity.actor));
        assert_eq!(envelope.kind, activity.action.kind());
        self.flag("about its actor", envelope.is_about_its_actor());
        self.activity(&activity);
        Ok(())
    }

    fn keys(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let document = READER.key_document(bytes)?;
        self.option("id", document.id.as_ref());
        for key in &document.keys {
            self.say(format!("key {} of {}: {:?}", key.id, key.owner, key.material));
        }
        Ok(())
    }

    fn jrd(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let answer = READER.jrd(bytes)?;
        self.option("handle", answer.handle());
        self.option("actor", answer.actor());
        self.option("page", answer.page());
        self.option("subscribe", answer.subscribe_template());
        Ok(())
    }

    fn document(&mut self, document: &Document) {
        match document {
            Document::Actor(actor) => self.actor(actor),
            Document::Object(object) => self.object(object),
            Document::Activity(activity) => self.activity(activity),
            Document::Collection(collection) => self.collection(collection),
            Document::Tombstone(tombstone) => {
                self.say(format!("tombstone {}", tombstone.id));
                self.option("formerly", tombstone.former_type.as_ref());
            }
        }
    }

    fn actor(&mut self, actor: &Actor) {
        self.say(format!("{} {}", actor.kind.as_str(), actor.id));
        self.say(format!("claims {}", actor.claimed_handle().unwrap()));
        self.option("name", actor.name.as_ref());
        self.option("summary", Some(&actor.summary).filter(|it| !it.is_empty()));
        self.option("url", actor.url.as_ref());
        self.option("published", actor.published);
        self.option("updated", actor.updated);
        self.say(format!("inbox: {}", actor.inbox));
        self.option("shared inbox", actor.shared_inbox.as_ref());
        self.option("outbox", actor.outbox.as_ref());
        self.option("followers", actor.followers.as_ref());
        self.option("following", actor.following.as_ref());
        self.option("featured", actor.featured.as_ref());
        self.option("featured tags", actor.featured_tags.as_ref());
        self.flag("locked", actor.is_locked);
        self.flag("discoverable", actor.is_discoverable);
        self.flag("indexable", actor.is_indexable);
        self.flag("memorial", actor.is_memorial);
        self.flag("suspended", actor.is_suspended);
        self.flag("reads RFC 9421", actor.implements_rfc9421());
        for key in &actor.keys {
            self.say(format!("key {} of {}", key.id, key.owner));
        }
        self.picture("icon", actor.icon.as_ref());
        self.picture("image", actor.image.as_ref());
        for field in &actor.fields {
            self.say(format!("field {}: {}", field.name, field.value));
        }
        self.tags(&actor.tags);
        for alias in &actor.also_known_as {
            self.say(format!("also {alias}"));
        }
        self.option("moved to", actor.moved_to.as_ref());
        for domain in &actor.attribution_domains {
            self.say(format!("author on {domain}"));
        }
    }

    fn picture(&mut self, name: &str, picture: Option<&RemotePicture>) {
        let Some(picture) = picture else { return };
        let media_type = picture.media_type.as_deref().unwrap_or("unknown type");
        let description = picture.description.as_deref().unwrap_or("no description");
        self.say(format!("{name}: {} ({media_type}, {description})", picture.url));
    }

    fn activity(&mut self, activity: &Activity) {
        let kind = activity.action.kind().as_str();
        self.say(format!("{kind} by {}", activity.actor));
        self.option("activity", activity.id.as_ref());
        if let Err(refusal) = activity_id_counts(activity) {
            self.say(format!("dropped: {}", refusal.reason()));
        }
        match &activity.action {
            Action::Create { objects } => {
                objects.iter().for_each(|object| self.subject(activity, object));
            }
            Action::Reject { object } => self.answered(object),
            Action::Announce { object } => {
                let followers = self.followers.clone();
                let visibility =
                    activity.audience.visibility(&activity.actor, followers.as_ref(), []);
                self.audience(visibility, &activity.audience);
                self.subject(activity, object);
            }
            Action::Update { object } | Action::Delete { object } | Action::Undo { object } => {
                self.subject(activity, object);
            }
            Action::Accept { object, result } => {
                self.answered(object);
                self.option("stamp", result.as_ref());
            }
            Action::Add { object, target } | Action::Remove { object, target } => {
                self.say(format!("target {target}"));
                self.subject(activity, object);
            }
            Action::Follow { object } | Action::Block { object } => {
                self.say(format!("object {object}"));
            }
            Action::Like { object, reaction } => {
                self.say(format!("object {object}"));
                if let Some(reaction) = reaction {
                    self.say(format!("reaction {}", reaction.content));
                    self.picture("emoji", reaction.emoji.as_ref().map(|it| &it.picture));
                }
            }
            Action::Flag { objects, comment } => {
                objects.iter().for_each(|object| self.say(format!("object {object}")));
                self.say(format!("comment {comment:?}"));
            }
            Action::Move { object, target } => self.say(format!("{object} to {target}")),
            Action::QuoteRequest { object, instrument } => {
                self.say(format!("object {object}"));
                self.subject(activity, instrument);
            }
            Action::Other(name) => self.say(format!("type {name}")),
        }
    }

    fn answered(&mut self, subject: &Subject) {
        self.option("answers", subject.id());
        self.inner(subject);
    }

    fn subject(&mut self, activity: &Activity, subject: &Subject) {
        match object_belongs(activity, subject) {
            Belongs::Copy => self.say("the copy counts"),
            Belongs::Id(id) => self.say(format!("the id counts: {id}")),
            Belongs::Fetch(id) => self.say(format!("fetched: {id}")),
            Belongs::Refused(refusal) => self.say(format!("refused: {}", refusal.reason())),
        }
        self.inner(subject);
    }

    fn inner(&mut self, subject: &Subject) {
        match subject {
            Subject::Object(object) => self.object(object),
            Subject::Actor(actor) => self.actor(actor),
            Subject::Activity(inner) => {
                let start = self.lines.len();
                self.activity(inner);
                self.lines[start..].iter_mut().for_each(|line| *line = format!("- {line}"));
            }
            Subject::Id(_) => {}
            Subject::Tombstone(tombstone) => self.say(format!("tombstone {}", tombstone.id)),
            Subject::Hashtag(hashtag) => self.say(format!("hashtag {}", hashtag.display)),
            Subject::Unknown { kind, .. } => self.say(format!("unknown {kind}")),
        }
    }

    fn object(&mut self, object: &Object) {
        self.say(format!("{} {}", object.kind.as_str(), object.id));
        match author_of(object) {
            Ok(author) => self.say(format!("author {author}")),
            Err(refusal) => self.say(format!("no author: {}", refusal.reason())),
        }
        self.audience(object.visibility(self.followers.clone().as_ref()), &object.audience);
        self.option("published", object.published);
        self.option("updated", object.updated);
        self.option("url", object.url.as_ref());
        self.option("in reply to", object.in_reply_to.as_ref());
        self.option("title", object.title.as_ref());
        self.option("warning", object.warning.as_ref());
        self.flag("sensitive", object.is_sensitive);
        self.option("content", Some(&object.content).filter(|it| !it.is_empty()));
        self.option("language", object.language);
        let source = object.source.as_ref();
        self.option("source", source.map(|it| format!("{:?} as {}", it.content, it.media_type)));
        if let Some(vote) = object.vote() {
            self.say(format!("vote {:?} in {}", vote.option, vote.poll));
        }
        self.tags(&object.tags);
        object.attachments.iter().for_each(|it| self.attachment(it));
        self.picture("picture", object.picture.as_ref());
        self.option("preview", object.preview_link.as_ref());
        self.poll(object);
        self.option("replies", object.replies.as_ref());
        self.option("reply count", object.reply_count);
        self.option("like count", object.like_count);
        self.option("share count", object.share_count);
        self.option("context", object.context.as_ref());
        self.option("conversation", object.conversation.as_ref());
        self.policy(object);
        self.option("quotes", object.quote.as_ref());
        self.option("stamp", object.quote_authorization.as_ref());
        self.option("approved by", object.approved_by.as_ref());
    }

    fn audience(&mut self, visibility: Visibility, audience: &Audience) {
        let public = match audience.public {
            Some(PublicIn::To) => ["all"].iter(),
            Some(PublicIn::Cc) => ["all in cc"].iter(),
            None => [].iter(),
        };
        let addressed = audience.addressed().map(Uri::as_str);
        let addressed: Vec<&str> = public.copied().chain(addressed).collect();
        self.say(format!("{} to {}", visibility.as_str(), addressed.join(", ")));
        audience.groups.iter().for_each(|it| self.say(format!("group {it}")));
    }

    fn tags(&mut self, tags: &Tags) {
        tags.mentions.iter().for_each(|it| self.say(format!("mention {} {}", it.name, it.href)));
        tags.hashtags.iter().for_each(|it| self.say(format!("hashtag {}", it.display)));
        for emoji in &tags.emojis {
            self.picture(&format!("emoji {}", emoji.shortcode), Some(&emoji.picture));
        }
        tags.links.iter().for_each(|it| self.say(format!("link {} {}", it.href, it.rel)));
    }

    fn attachment(&mut self, attachment: &Attachment) {
        self.say(format!("{} {}", attachment.kind.as_str(), attachment.url));
        self.option("- type", attachment.media_type.as_ref());
        self.option("- description", attachment.description.as_ref());
        self.option("- blurhash", attachment.blurhash.as_ref());
        self.option("- focus", attachment.focus.map(Focus::millionths).map(|it| format!("{it:?}")));
        self.option("- size", attachment.size.map(|it| format!("{} x {}", it.width, it.height)));
        self.option("- duration", attachment.duration);
        self.picture("- preview", attachment.preview.as_ref());
    }

    fn poll(&mut self, object: &Object) {
        let Some(poll) = &object.poll else { return };
        self.say(if poll.is_multiple { "poll with several choices" } else { "poll" });
        poll.options.iter().for_each(|it| self.say(format!("- {} {}", it.votes, it.name)));
        self.option("- ends", poll.ends_at.map(|it: Timestamp| it.to_string()));
        self.flag("- closed", poll.is_closed);
        self.option("- voters", poll.voters);
    }

    fn policy(&mut self, object: &Object) {
        let Some(policy) = &object.policy else { return };
        let rules = [
            ("quote", &policy.can_quote),
            ("reply", &policy.can_reply),
            ("like", &policy.can_like),
            ("announce", &policy.can_announce),
        ];
        for (name, rule) in rules {
            self.option(&format!("may {name}"), rule.as_ref().map(grants));
        }
    }

    fn collection(&mut self, collection: &Collection) {
        self.say(if collection.is_page { "page" } else { "collection" });
        self.option("id", collection.id.as_ref());
        self.option("total", collection.total_items);
        self.option("part of", collection.part_of.as_ref());
        self.option("of", collection.attributed_to.as_ref());
        self.flag("hidden", collection.is_hidden);
        for (name, link) in [("first", &collection.first), ("next", &collection.next)] {
            match link {
                Some(PageLink::Uri(uri)) => self.say(format!("{name} {uri}")),
                Some(PageLink::Embedded(page)) => self.collection(page),
                None => {}
            }
        }
        for item in &collection.items {
            self.say(format!("item {}", item.id().map_or("without id", Uri::as_str)));
        }
    }
}

fn grants(rule: &Rule) -> String {
    let names = |grants: &[Grant]| {
        let names = grants.iter().map(|grant| match grant {
            Grant::Public => "all".to_owned(),
            Grant::Id(id) => id.to_string(),
        });
        names.collect::<Vec<_>>().join(", ")
    };
    format!("at once [{}], asked [{}]", names(&rule.automatic), names(&rule.manual))
}
