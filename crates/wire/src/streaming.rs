//! What goes through streams, around the entities that it is about (contract: StreamingFrame,
//! StreamingCommand, StreamingError).

use serde::{Deserialize, Serialize, Serializer};

/// Something that happened, as a text frame of a WebSocket.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Frame<'a> {
    /// The name of the stream, and its hashtag or list.
    pub stream: &'a [String],
    pub event: &'static str,
    /// JSON in a string, or a bare id; absent where the event says all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<&'a str>,
    /// Where to take up the stream again (ours): decimal, ascending.
    #[serde(serialize_with = "decimal")]
    pub id: i64,
}

/// What was refused, with the status that an answer would have had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StreamError<'a> {
    pub error: &'a str,
    pub status: u16,
}

/// What a client sends through a WebSocket.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Command {
    /// `subscribe` or `unsubscribe`.
    #[serde(rename = "type", default)]
    pub kind: String,
    #[serde(default)]
    pub stream: String,
    #[serde(default)]
    pub tag: Option<String>,
    #[serde(default)]
    pub list: Option<String>,
    /// The `id` of the last frame of the stream that the client has (ours).
    #[serde(default)]
    pub since: Option<String>,
}

fn decimal<S: Serializer>(id: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_a_payload_or_none_at_all() {
        let stream = ["hashtag".to_owned(), "x".to_owned()];
        let mut frame = Frame { stream: &stream, event: "delete", payload: Some("7"), id: 9 };
        let json = |frame: &Frame<'_>| serde_json::to_string(frame).unwrap();
        let whole = r#"{"stream":["hashtag","x"],"event":"delete","payload":"7","id":"9"}"#;
        assert_eq!(json(&frame), whole);
        (frame.event, frame.payload) = ("filters_changed", None);
        let bare = r#"{"stream":["hashtag","x"],"event":"filters_changed","id":"9"}"#;
        assert_eq!(json(&frame), bare);
    }

    #[test]
    fn what_a_command_does_not_say_is_empty() {
        let command: Command = serde_json::from_str(r#"{"type":"subscribe","a":1}"#).unwrap();
        assert_eq!(command, Command { kind: "subscribe".to_owned(), ..Command::default() });
    }
}
