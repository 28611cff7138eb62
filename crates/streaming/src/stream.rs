//! The streams, by their names in the API (`StreamNameEnum` of the contract).

use std::sync::Arc;

use siskin_ids::ListId;
use siskin_persistence::timelines::{Origin, TimelineFilter};
use siskin_policy::scopes::{Scope, Scopes};
use siskin_text::Hashtag;

/// Stream that a client can subscribe to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stream {
    /// Home, notifications, and events for the account's own clients.
    User,
    /// Notifications only.
    Notifications,
    Public(TimelineFilter),
    /// Public statuses with a hashtag. The name is normalised by the hashtag rule.
    Hashtag {
        name: String,
        local: bool,
    },
    /// One of the listener's own lists.
    List(ListId),
    /// Conversations.
    Direct,
}

/// Request parameters that select a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamParams {
    pub stream: String,
    pub tag: Option<String>,
    pub list: Option<String>,
}

/// Reason why a client cannot subscribe to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    Unknown,
    NoTag,
    NoList,
    /// The list does not exist, or belongs to another account.
    NoSuchList,
    OutOfScope,
}

impl Refused {
    /// Returns the error message for the client.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "Unknown stream type",
            Self::NoTag => "Missing tag name parameter",
            Self::NoList => "Missing list parameter",
            Self::NoSuchList => "Record not found",
            Self::OutOfScope => "This action is outside the authorized scopes",
        }
    }

    /// Returns the HTTP status code of the error.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::Unknown | Self::NoTag | Self::NoList => 400,
            Self::OutOfScope => 403,
            Self::NoSuchList => 404,
        }
    }
}

/// Stream with the name under which the client subscribed to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    pub stream: Stream,
    /// Value of `stream` in each frame: the name, then the tag as typed or the list id if there is
    /// one.
    pub names: Arc<[String]>,
}

impl StreamParams {
    /// Parses the parameters into a stream. Does not check that the list belongs to the listener.
    ///
    /// # Errors
    /// The name is unknown, a required parameter is missing, or the token's scopes do not cover the
    /// stream.
    pub fn parse(&self, scopes: &Scopes) -> Result<Subscription, Refused> {
        let stream = self.stream()?;
        if !stream.required().iter().all(|scope| scopes.covers(*scope)) {
            return Err(Refused::OutOfScope);
        }
        let detail = match &stream {
            Stream::Hashtag { .. } => self.tag.clone(),
            Stream::List(id) => Some(id.to_string()),
            Stream::User | Stream::Notifications | Stream::Public(_) | Stream::Direct => None,
        };
        let names = std::iter::once(self.stream.clone()).chain(detail).collect();
        Ok(Subscription { stream, names })
    }

    fn stream(&self) -> Result<Stream, Refused> {
        let public = |origin, only_media| Stream::Public(TimelineFilter { origin, only_media });
        Ok(match self.stream.as_str() {
            "user" => Stream::User,
            "user:notification" => Stream::Notifications,
            "public" => public(Origin::Anywhere, false),
            "public:media" => public(Origin::Anywhere, true),
            "public:local" => public(Origin::Local, false),
            "public:local:media" => public(Origin::Local, true),
            "public:remote" => public(Origin::Remote, false),
            "public:remote:media" => public(Origin::Remote, true),
            "hashtag" => self.hashtag(false)?,
            "hashtag:local" => self.hashtag(true)?,
            "list" => self.list()?,
            "direct" => Stream::Direct,
            _ => return Err(Refused::Unknown),
        })
    }

    fn hashtag(&self, local: bool) -> Result<Stream, Refused> {
        let typed = self.tag.as_deref().map(str::trim).filter(|tag| !tag.is_empty());
        let tag = typed.and_then(Hashtag::parse).ok_or(Refused::NoTag)?;
        Ok(Stream::Hashtag { name: tag.name, local })
    }

    fn list(&self) -> Result<Stream, Refused> {
        let id = self.list.as_deref().filter(|id| !id.is_empty()).ok_or(Refused::NoList)?;
        Ok(Stream::List(id.parse().map_err(|_| Refused::NoSuchList)?))
    }
}

impl Stream {
    /// Returns the scopes that a token must cover, all of them.
    const fn required(&self) -> &'static [Scope] {
        match self {
            Self::User | Self::Notifications => &[Scope::ReadStatuses, Scope::ReadNotifications],
            Self::Public(_) | Self::Hashtag { .. } | Self::List(_) | Self::Direct => {
                &[Scope::ReadStatuses]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(stream: &str, tag: Option<&str>, list: Option<&str>) -> Result<Stream, Refused> {
        let params = StreamParams {
            stream: stream.to_owned(),
            tag: tag.map(str::to_owned),
            list: list.map(str::to_owned),
        };
        params.parse(&Scopes::from(Scope::Read)).map(|subscription| subscription.stream)
    }

    #[test]
    fn every_stream_of_the_contract_has_a_name() {
        for name in [
            "public",
            "public:media",
            "public:local",
            "public:local:media",
            "public:remote",
            "public:remote:media",
            "hashtag",
            "hashtag:local",
            "user",
            "user:notification",
            "list",
            "direct",
        ] {
            assert!(parse(name, Some("birds"), Some("7")).is_ok(), "{name}");
        }
        assert_eq!(parse("nothing", None, None), Err(Refused::Unknown));
        assert_eq!(parse("", None, None), Err(Refused::Unknown));
    }

    #[test]
    fn a_hashtag_is_normalised_and_its_name_is_returned_as_typed() {
        let params =
            StreamParams { stream: "hashtag".into(), tag: Some("Birds".into()), list: None };
        let subscription = params.parse(&Scopes::from(Scope::ReadStatuses)).unwrap();
        assert_eq!(subscription.stream, Stream::Hashtag { name: "birds".to_owned(), local: false });
        assert_eq!(*subscription.names, ["hashtag".to_owned(), "Birds".to_owned()]);
        assert_eq!(parse("hashtag", Some(" "), None), Err(Refused::NoTag));
        assert_eq!(parse("hashtag", None, None), Err(Refused::NoTag));
    }

    #[test]
    fn an_invalid_list_id_is_refused() {
        assert_eq!(parse("list", None, Some("abc")), Err(Refused::NoSuchList));
        assert_eq!(parse("list", None, None), Err(Refused::NoList));
        assert_eq!(parse("list", None, Some("7")), Ok(Stream::List(ListId::new(7))));
    }

    #[test]
    fn notification_streams_need_their_own_scope() {
        let statuses = Scopes::from(Scope::ReadStatuses);
        let params =
            |name: &str| StreamParams { stream: name.to_owned(), ..StreamParams::default() };
        assert!(params("public").parse(&statuses).is_ok());
        for name in ["user", "user:notification"] {
            assert_eq!(params(name).parse(&statuses), Err(Refused::OutOfScope), "{name}");
            assert!(params(name).parse(&Scopes::from(Scope::Read)).is_ok());
        }
        let write = Scopes::from(Scope::Write);
        assert_eq!(params("public").parse(&write), Err(Refused::OutOfScope));
    }
}
