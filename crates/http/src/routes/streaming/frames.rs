//! A check of WebSocket frames while they arrive. The parser behind it sees a frame only once all
//! of it is in memory, and one frame may declare 2^63 bytes.

use std::{
    cell::Cell,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::{dev::Payload, error::PayloadError, web::Bytes};
use futures_util::{Stream, StreamExt as _, stream::LocalBoxStream};
use tokio::time::Instant;

/// The reason why a socket is closed before the current frame is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breach {
    /// The frame, or its message as a whole, is longer than any command.
    TooLong,
    /// The frame uses an extension, and none was negotiated.
    Reserved,
    /// Frames come faster than any client needs to send them.
    TooFast,
}

/// Maximum burst of frames. A client that resumes the maximum number of streams sends a hundred.
const BURST: u32 = 300;
/// Time after which one more frame may come after a burst.
const REFILL: Duration = Duration::from_millis(100);
/// Maximum number of bytes before the payload of a frame: two, eight for the length, four for the
/// mask.
const MAX_HEADER_BYTES: usize = 14;

/// The byte stream of a client, until it breaks a rule.
pub(super) struct Frames {
    payload: LocalBoxStream<'static, Result<Bytes, PayloadError>>,
    rules: Rules,
    breach: Rc<Cell<Option<Breach>>>,
}

impl Frames {
    /// Checks frames and messages of at most `max_length` bytes. If the stream ends with an error,
    /// the cell holds the reason.
    pub(super) fn check(payload: Payload, max_length: u64) -> (Self, Rc<Cell<Option<Breach>>>) {
        let breach = Rc::<Cell<Option<Breach>>>::default();
        let rules = Rules::new(max_length, Instant::now());
        (Self { payload: payload.boxed_local(), rules, breach: Rc::clone(&breach) }, breach)
    }
}

impl Stream for Frames {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.payload.poll_next_unpin(context).map(|next| {
            let chunk = match next? {
                Ok(chunk) => chunk,
                Err(error) => return Some(Err(error)),
            };
            if let Err(breach) = self.rules.accept(&chunk, Instant::now()) {
                self.breach.set(Some(breach));
                return Some(Err(PayloadError::Io(io::ErrorKind::InvalidData.into())));
            }
            Some(Ok(chunk))
        })
    }
}

/// State of the parser and the frames that are still allowed.
struct Rules {
    max_length: u64,
    /// Header of the current frame, as far as it has arrived.
    header: [u8; MAX_HEADER_BYTES],
    header_length: usize,
    /// Payload bytes of the current frame that are still to come.
    payload_remaining: u64,
    /// Payload bytes of the current message, over all its fragments.
    message: u64,
    /// Number of frames that are still allowed at once.
    allowed: u32,
    refilled: Instant,
}

impl Rules {
    fn new(max_length: u64, now: Instant) -> Self {
        let header = [0; MAX_HEADER_BYTES];
        Self {
            max_length,
            header,
            header_length: 0,
            payload_remaining: 0,
            message: 0,
            allowed: BURST,
            refilled: now,
        }
    }

    /// Processes the next bytes.
    fn accept(&mut self, mut bytes: &[u8], now: Instant) -> Result<(), Breach> {
        while !bytes.is_empty() {
            if self.payload_remaining > 0 {
                let skipped =
                    usize::try_from(self.payload_remaining).unwrap_or(usize::MAX).min(bytes.len());
                self.payload_remaining -= skipped as u64;
                bytes = &bytes[skipped..];
                continue;
            }
            self.header[self.header_length] = bytes[0];
            self.header_length += 1;
            bytes = &bytes[1..];
            self.check_header(now)?;
        }
        Ok(())
    }

    /// Checks the header as soon as enough of it has arrived.
    fn check_header(&mut self, now: Instant) -> Result<(), Breach> {
        if self.header_length == 1 {
            self.spend(now)?;
        }
        if self.header[0] & 0b0111_0000 != 0 {
            return Err(Breach::Reserved);
        }
        let bytes_of_length = match self.header[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        if self.header_length < 2 + bytes_of_length {
            return Ok(());
        }
        let length = match bytes_of_length {
            0 => u64::from(self.header[1] & 0x7f),
            _ => self.header[2..2 + bytes_of_length]
                .iter()
                .fold(0, |length, byte| (length << 8) | u64::from(*byte)),
        };
        if length > self.max_length {
            return Err(Breach::TooLong);
        }
        let bytes_of_mask = if self.header[1] & 0x80 == 0 { 0 } else { 4 };
        if self.header_length < 2 + bytes_of_length + bytes_of_mask {
            return Ok(());
        }
        (self.header_length, self.payload_remaining) = (0, length);
        self.add_to_message(length)
    }

    /// Adds the length of a frame to its message. Control frames may come between the fragments of
    /// a message and belong to none.
    fn add_to_message(&mut self, length: u64) -> Result<(), Breach> {
        let (is_last, kind) = (self.header[0] & 0x80 != 0, self.header[0] & 0x0f);
        if kind >= 8 {
            return Ok(());
        }
        self.message = if kind == 0 { self.message.saturating_add(length) } else { length };
        if self.message > self.max_length {
            return Err(Breach::TooLong);
        }
        if is_last {
            self.message = 0;
        }
        Ok(())
    }

    fn spend(&mut self, now: Instant) -> Result<(), Breach> {
        let since = now.saturating_duration_since(self.refilled);
        let refill = u32::try_from(since.as_millis() / REFILL.as_millis()).unwrap_or(BURST);
        if refill > 0 {
            self.allowed = self.allowed.saturating_add(refill).min(BURST);
            self.refilled = now;
        }
        self.allowed = self.allowed.checked_sub(1).ok_or(Breach::TooFast)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LONGEST: u64 = 4096;
    const TEXT: u8 = 0x81;

    /// Builds a masked frame that declares `length` in its shortest form.
    fn frame(first: u8, length: u64, payload: usize) -> Vec<u8> {
        let mut frame = vec![first];
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(short), _) if short < 126 => frame.push(0x80 | short),
            (_, Ok(medium)) => {
                frame.push(0x80 | 126);
                frame.extend(medium.to_be_bytes());
            }
            _ => {
                frame.push(0x80 | 127);
                frame.extend(length.to_be_bytes());
            }
        }
        frame.extend([1, 2, 3, 4]);
        frame.resize(frame.len() + payload, 7);
        frame
    }

    fn whole(first: u8, length: u16) -> Vec<u8> {
        frame(first, length.into(), length.into())
    }

    /// Returns the result for bytes that arrive in pieces of this size.
    fn accept(bytes: &[u8], piece: usize) -> Result<(), Breach> {
        let now = Instant::now();
        let mut rules = Rules::new(LONGEST, now);
        bytes.chunks(piece).try_for_each(|piece| rules.accept(piece, now))
    }

    #[test]
    fn a_frame_is_refused_by_its_header() {
        for piece in [1, 2, 3, 7, 100_000] {
            for (bytes, expected) in [
                (whole(TEXT, 4096), Ok(())),
                (whole(TEXT, 0), Ok(())),
                (frame(TEXT, 4097, 0), Err(Breach::TooLong)),
                (frame(TEXT, 1 << 40, 0), Err(Breach::TooLong)),
                (frame(TEXT, u64::MAX, 0), Err(Breach::TooLong)),
                (frame(0xC1, 1, 0), Err(Breach::Reserved)),
                (frame(0xA1, 1, 0), Err(Breach::Reserved)),
                (frame(0x91, 1, 0), Err(Breach::Reserved)),
                (
                    [whole(TEXT, 4096), whole(0x89, 125), frame(TEXT, 5000, 0)].concat(),
                    Err(Breach::TooLong),
                ),
            ] {
                assert_eq!(accept(&bytes, piece), expected, "{:?} by {piece}", &bytes[..2]);
            }
        }
    }

    #[test]
    fn the_fragments_of_a_message_add_up() {
        let (begin, go_on, end, ping) = (0x01, 0x00, 0x80, 0x89);
        let fits = [whole(begin, 2000), whole(ping, 100), whole(go_on, 2000), whole(end, 96)];
        assert_eq!(accept(&fits.concat(), 11), Ok(()));
        assert_eq!(accept(&[fits.concat(), fits.concat()].concat(), 11), Ok(()));
        let over = [whole(begin, 2000), whole(go_on, 2000), frame(end, 97, 0)];
        assert_eq!(accept(&over.concat(), 11), Err(Breach::TooLong));
    }

    #[test]
    fn after_a_burst_frames_come_at_the_rate() {
        let begun = Instant::now();
        let mut rules = Rules::new(LONGEST, begun);
        let one = whole(TEXT, 3);
        for _ in 0..BURST {
            assert_eq!(rules.accept(&one, begun), Ok(()));
        }
        assert_eq!(rules.accept(&one, begun), Err(Breach::TooFast));
        let mut later = begun + REFILL * 2;
        assert_eq!(rules.accept(&one, later), Ok(()));
        assert_eq!(rules.accept(&one, later), Ok(()));
        assert_eq!(rules.accept(&one, later), Err(Breach::TooFast));
        for _ in 0..1000 {
            later += REFILL;
            assert_eq!(rules.accept(&one, later), Ok(()));
        }
    }

    proptest! {
        #[test]
        fn the_pieces_of_bytes_do_not_matter(bytes: Vec<u8>, piece in 1_usize..9) {
            prop_assert_eq!(accept(&bytes, piece), accept(&bytes, bytes.len().max(1)));
        }
    }
}
