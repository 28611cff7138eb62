//! Envelopes of the streaming API around the entities (in the API description: `StreamingFrame`,
//! `StreamingCommand`, `StreamingError`).

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};

/// Event as a text frame of a WebSocket.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Name of the stream, with its hashtag or list.
    pub stream: &'a [String],
    /// Type of the event, such as `update`.
    pub event: &'static str,
    /// JSON in a string, or a bare id, [quoted](Self::quote). `None` for events without a payload.
    pub payload: Option<&'a str>,
    /// Position at which the stream can be resumed, a Siskin extension: decimal, ascending.
    pub id: i64,
}

impl Frame<'_> {
    /// Returns a payload as a JSON string, which is the same in the frames of all streams.
    #[must_use]
    pub fn quote(payload: &str) -> String {
        serde_json::to_string(payload).expect("a string always serializes as JSON")
    }

    /// Returns the frame as JSON.
    #[must_use]
    pub fn to_text(&self) -> String {
        let stream = serde_json::to_string(self.stream).expect("strings always serialize as JSON");
        let Self { event, id, .. } = self;
        match self.payload {
            Some(payload) => {
                format!(
                    r#"{{"stream":{stream},"event":"{event}","payload":{payload},"id":"{id}"}}"#
                )
            }
            None => format!(r#"{{"stream":{stream},"event":"{event}","id":"{id}"}}"#),
        }
    }
}

/// Event as a client receives it.
///
/// ```
/// use siskin_wire::streaming::ReceivedFrame;
///
/// let frame: ReceivedFrame =
///     serde_json::from_str(r#"{"stream":["user"],"event":"delete","payload":"7"}"#)?;
/// assert_eq!((&*frame.event, frame.payload.as_deref()), ("delete", Some("7")));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ReceivedFrame {
    /// Name of the stream, with its hashtag or list.
    #[serde(default)]
    pub stream: Vec<String>,
    /// Type of the event, such as `update`, `delete` or `notification`.
    pub event: String,
    /// JSON in a string, or a bare id. `None` for events without a payload.
    pub payload: Option<String>,
    /// Position at which the stream can be resumed. Only Siskin sends it.
    pub id: Option<String>,
}

/// Error of a command, with the status that an HTTP response would have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StreamError<'a> {
    /// Message for the user of the client.
    pub error: Cow<'a, str>,
    /// Status of HTTP.
    pub status: u16,
}

/// Command that a client sends through a WebSocket.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
pub struct Command {
    /// `subscribe` or `unsubscribe`.
    #[serde(rename = "type", default)]
    pub kind: String,
    /// Name of the stream, such as `user` or `hashtag`.
    #[serde(default)]
    pub stream: String,
    /// Hashtag: a string or a number.
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// List id: a string or a number.
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// `id` of the last frame of the stream that the client received, a Siskin extension: a string
    /// or a number.
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Accepts a string or a number, because some clients store ids as numbers.
fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Text(String),
        Number(i64),
    }
    Ok(Option::deserialize(deserializer)?.map(|id| match id {
        Id::Text(text) => text,
        Id::Number(number) => number.to_string(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_commands_are_texts_or_numbers() {
        let list = |json: &str| serde_json::from_str::<Command>(json).map(|command| command.list);
        assert_eq!(list(r#"{"list":"7"}"#).unwrap().as_deref(), Some("7"));
        assert_eq!(
            list(r#"{"list":9007199254740993}"#).unwrap().as_deref(),
            Some("9007199254740993")
        );
        assert_eq!(list(r#"{"list":null}"#).unwrap(), None);
        assert!(list(r#"{"list":1.5}"#).is_err());
        assert!(list(r#"{"list":["7"]}"#).is_err());
    }

    #[test]
    fn a_hashtag_may_be_a_number() {
        let tag = |json: &str| serde_json::from_str::<Command>(json).map(|command| command.tag);
        assert_eq!(tag(r#"{"tag":5}"#).unwrap().as_deref(), Some("5"));
        assert_eq!(tag(r#"{"tag":"5"}"#).unwrap().as_deref(), Some("5"));
        assert_eq!(tag(r#"{"tag":null}"#).unwrap(), None);
        assert!(tag(r#"{"tag":[5]}"#).is_err());
    }

    #[test]
    fn a_frame_has_a_payload_or_none_at_all() {
        let stream = ["hashtag".to_owned(), "x\"".to_owned()];
        let payload = Frame::quote(r#"{"a":"\n"}"#);
        let mut frame = Frame { stream: &stream, event: "update", payload: Some(&payload), id: 9 };
        let whole =
            r#"{"stream":["hashtag","x\""],"event":"update","payload":"{\"a\":\"\\n\"}","id":"9"}"#;
        assert_eq!(frame.to_text(), whole);
        (frame.event, frame.payload) = ("filters_changed", None);
        let bare = r#"{"stream":["hashtag","x\""],"event":"filters_changed","id":"9"}"#;
        assert_eq!(frame.to_text(), bare);
        let received: ReceivedFrame = serde_json::from_str(whole).unwrap();
        assert_eq!(received.payload.as_deref(), Some(r#"{"a":"\n"}"#));
        assert_eq!((received.stream, received.id.as_deref()), (stream.to_vec(), Some("9")));
        let received: ReceivedFrame = serde_json::from_str(bare).unwrap();
        assert_eq!((&*received.event, received.payload), ("filters_changed", None));
    }

    #[test]
    fn missing_command_fields_are_empty() {
        let command: Command = serde_json::from_str(r#"{"type":"subscribe","a":1}"#).unwrap();
        assert_eq!(command, Command { kind: "subscribe".to_owned(), ..Command::default() });
    }
}
