//! Multipart forms: texts and files.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use actix_web::web::{Bytes, BytesMut};
use futures_util::{
    Stream, StreamExt as _,
    stream::{self, BoxStream},
};
use multer::{Field, Multipart};

use super::{
    Error, File, Limits, Map, StoredFile, Value, keys,
    on_disk::Draft,
    tree::{self, Budget},
};

/// The tree of a multipart body. A part with a file name is a file; a file part without name and
/// bytes (a file input left alone in a browser) says nothing.
pub(super) async fn read<S>(
    body: S,
    boundary: String,
    limits: Limits,
    desk: Option<PathBuf>,
) -> Result<Map, Error>
where
    S: Stream<Item = Result<Bytes, Error>> + Send + 'static,
{
    let body = Arc::new(Mutex::new(Measured::new(body, limits.multipart)));
    let chunks = |body: &Arc<Mutex<Measured>>| {
        let body = Arc::clone(body);
        stream::poll_fn(move |context| {
            body.lock().unwrap_or_else(PoisonError::into_inner).poll_next(context)
        })
    };
    let mut parts = Multipart::new(chunks(&body), boundary);
    let (root, budget) = (Map::new(), Budget::new(limits));
    let mut form = Form { root, budget, text_left: limits.text, limits, desk };
    while let Some(part) = parts.next_field().await.map_err(fault)? {
        form.add(part).await?;
    }
    // What follows the last part says nothing, and counts: the same body is not too large when it
    // arrives at once and small enough when it arrives in pieces.
    let mut rest = chunks(&body);
    while let Some(chunk) = rest.next().await {
        chunk?;
    }
    Ok(form.root)
}

/// A body that ends with an error where it has more bytes than are allowed.
struct Measured {
    body: BoxStream<'static, Result<Bytes, Error>>,
    limit: usize,
    /// How many bytes may still come.
    left: usize,
}

impl Measured {
    fn new(body: impl Stream<Item = Result<Bytes, Error>> + Send + 'static, limit: usize) -> Self {
        Self { body: body.boxed(), limit, left: limit }
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        let next = self.body.poll_next_unpin(context);
        next.map(|chunk| chunk.map(|chunk| self.counted(chunk?)))
    }

    fn counted(&mut self, chunk: Bytes) -> Result<Bytes, Error> {
        let left = self.left.checked_sub(chunk.len());
        self.left = left.ok_or(Error::TooLarge { limit: self.limit })?;
        Ok(chunk)
    }
}

/// The tree while parts arrive.
struct Form {
    root: Map,
    budget: Budget,
    text_left: usize,
    limits: Limits,
    /// Where files go; None keeps them in memory.
    desk: Option<PathBuf>,
}

impl Form {
    async fn add(&mut self, part: Field<'static>) -> Result<(), Error> {
        let key = part.name().unwrap_or_default().as_bytes().to_vec();
        if key.is_empty() {
            return Err(Error::malformed("a part of the multipart body has no name"));
        }
        let value = if is_file(&part) {
            match self.file(part).await? {
                Some(file) => file,
                None => return Ok(()),
            }
        } else {
            Value::Text(self.text(part).await?)
        };
        keys::insert(&mut self.root, key, value, &mut self.budget)
    }

    /// None for a file input that was left alone.
    async fn file(&self, part: Field<'static>) -> Result<Option<Value>, Error> {
        let name = part.file_name().unwrap_or_default().replace('\0', "");
        let content_type = part.content_type().map(ToString::to_string);
        if let Some(desk) = &self.desk {
            let draft = self.put_down(part, desk).await?;
            let left_alone = name.is_empty() && draft.bytes() == 0;
            let file = || Value::Stored(StoredFile::new(name, content_type, draft));
            return Ok((!left_alone).then(file));
        }
        let content = self.content(part, self.limits.file).await?;
        let left_alone = name.is_empty() && content.is_empty();
        Ok((!left_alone).then_some(Value::File(File { name, content_type, content })))
    }

    async fn put_down(&self, mut part: Field<'static>, desk: &Path) -> Result<Draft, Error> {
        let mut draft = Draft::begin(desk).await?;
        while let Some(chunk) = part.chunk().await.map_err(fault)? {
            draft.add(chunk, self.limits.file).await?;
        }
        draft.finish().await
    }

    async fn text(&mut self, part: Field<'static>) -> Result<String, Error> {
        let content = self.content(part, self.text_left).await.map_err(|error| match error {
            Error::TooLarge { .. } => Error::TooLarge { limit: self.limits.text },
            other => other,
        })?;
        self.text_left -= content.len();
        tree::text(content.into())
    }

    async fn content(&self, mut part: Field<'static>, limit: usize) -> Result<Bytes, Error> {
        let mut content = BytesMut::new();
        while let Some(chunk) = part.chunk().await.map_err(fault)? {
            if chunk.len() > limit - content.len() {
                return Err(Error::TooLarge { limit });
            }
            content.extend_from_slice(&chunk);
        }
        Ok(content.freeze())
    }
}

/// What broke the body itself is told as it is.
fn fault(error: multer::Error) -> Error {
    let malformed = || Error::malformed("the multipart body is broken");
    match error {
        multer::Error::StreamReadFailed(cause) => {
            cause.downcast().map_or_else(|_| malformed(), |error| *error)
        }
        _ => malformed(),
    }
}

/// Whether the part has a file name, in whatever form: old clients send Latin-1, some only
/// `filename*`.
fn is_file(part: &Field<'_>) -> bool {
    const NAME: &[u8] = b"filename";
    let disposition = part.headers().get("content-disposition").map_or(&b""[..], |d| d.as_bytes());
    part.file_name().is_some()
        || disposition.split(|byte| *byte == b';').skip(1).any(|item| {
            item.trim_ascii_start()
                .get(..NAME.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(NAME))
        })
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, stream};
    use proptest::prelude::*;

    use super::*;

    fn parsed(body: &[u8], limits: Limits) -> Result<Map, Error> {
        let chunks: Vec<_> = body.chunks(7).map(|c| Ok(Bytes::copy_from_slice(c))).collect();
        read(stream::iter(chunks), "XX".to_owned(), limits, None).now_or_never().unwrap()
    }

    fn part(head: &str, content: &str) -> String {
        format!("--XX\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
    }

    fn form(parts: &[String]) -> String {
        format!("{}--XX--\r\n", parts.concat())
    }

    fn root(parts: &[String]) -> Result<Map, Error> {
        parsed(form(parts).as_bytes(), Limits::default())
    }

    fn text(value: &str) -> Value {
        Value::Text(value.into())
    }

    #[test]
    fn texts_nest_as_in_any_form() {
        let tree = root(&[
            part("name=\"status\"", "a\r\nb"),
            part("name=\"media_ids[]\"", "1"),
            part("name=\"media_ids[]\"", "2"),
            part("name=\"poll[options][]\"", "あ"),
        ]);
        assert_eq!(
            tree,
            Ok(Map::from([
                ("status".into(), text("a\r\nb")),
                ("media_ids".into(), Value::List(vec![text("1"), text("2")])),
                (
                    "poll".into(),
                    Value::Map(Map::from([("options".into(), Value::List(vec![text("あ")]))]))
                ),
            ]))
        );
    }

    #[test]
    fn files_keep_name_type_and_bytes() {
        let head = "name=\"avatar\"; filename=\"../a b.png\"\r\nContent-Type: image/png";
        let file = |name: &str, content_type: Option<&str>| {
            Ok(Map::from([(
                "avatar".into(),
                Value::File(File {
                    name: name.into(),
                    content_type: content_type.map(Into::into),
                    content: "\r\n--X\0".into(),
                }),
            )]))
        };
        assert_eq!(root(&[part(head, "\r\n--X\0")]), file("../a b.png", Some("image/png")));
        let star = "name=\"avatar\"; filename*=UTF-8''a.png";
        assert_eq!(root(&[part(star, "\r\n--X\0")]), file("", None));
    }

    #[test]
    fn a_file_input_left_alone_says_nothing() {
        let head = "name=\"avatar\"; filename=\"\"\r\nContent-Type: application/octet-stream";
        assert_eq!(root(&[part(head, "")]), Ok(Map::new()));
    }

    #[test]
    fn what_is_broken_is_malformed() {
        let good = form(&[part("name=\"a\"", "1")]);
        for length in 0..good.len() - 4 {
            let cut = parsed(&good.as_bytes()[..length], Limits::default());
            assert!(matches!(cut, Err(Error::Malformed { .. })), "{length}: {cut:?}");
        }
        for broken in [
            "a=1",
            "--YY\r\n\r\n--YY--",
            "--XX\r\n\r\nno name\r\n--XX--\r\n",
            "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\0\r\n--XX--\r\n",
        ] {
            let read = parsed(broken.as_bytes(), Limits::default());
            assert!(matches!(read, Err(Error::Malformed { .. })), "{broken}");
        }
    }

    #[test]
    fn sizes_are_bounded() {
        let limits = Limits { text: 10, file: 20, multipart: 400, ..Limits::default() };
        let sized = |parts: &[String]| parsed(form(parts).as_bytes(), limits).map(|_| ());
        let letters = |n: usize| "x".repeat(n);
        assert_eq!(sized(&[part("name=a", &letters(6)), part("name=b", &letters(4))]), Ok(()));
        assert_eq!(
            sized(&[part("name=a", &letters(6)), part("name=b", &letters(5))]),
            Err(Error::TooLarge { limit: 10 })
        );
        assert_eq!(sized(&[part("name=a; filename=f", &letters(20))]), Ok(()));
        assert_eq!(
            sized(&[part("name=a; filename=f", &letters(21))]),
            Err(Error::TooLarge { limit: 20 })
        );
        let many = vec![part("name=a", ""); 10];
        assert_eq!(sized(&many), Err(Error::TooLarge { limit: 400 }));
    }

    #[test]
    fn what_follows_the_last_part_counts_however_it_arrives() {
        let limits = Limits { multipart: 400, ..Limits::default() };
        let form = form(&[part("name=a", "1")]);
        for length in [399, 400, 401] {
            let body = format!("{form:x<length$}");
            let whole = stream::iter([Ok(Bytes::from(body.clone()))]);
            let whole = read(whole, "XX".to_owned(), limits, None).now_or_never().unwrap();
            assert_eq!(whole.is_ok(), length <= 400, "{length}: {whole:?}");
            assert_eq!(whole, parsed(body.as_bytes(), limits), "{length}");
        }
    }

    #[test]
    fn a_broken_connection_is_told_apart() {
        let body = stream::iter([Ok(Bytes::from("--XX\r\n")), Err(Error::Interrupted)]);
        let read = read(body, "XX".to_owned(), Limits::default(), None).now_or_never().unwrap();
        assert_eq!(read, Err(Error::Interrupted));
    }

    #[actix_web::test]
    async fn files_go_to_the_desk_where_there_is_one() {
        let desk = tempfile::TempDir::new().unwrap();
        let content = "0123456789".repeat(100_000);
        let file = |content: &str| {
            let body = form(&[part("name=file; filename=\"a.mp4\"", content), part("name=a", "1")]);
            let chunks: Vec<_> =
                body.as_bytes().chunks(60_000).map(|c| Ok(Bytes::copy_from_slice(c))).collect();
            let limits = Limits { file: 1_000_000, ..Limits::default() };
            let path = desk.path().to_owned();
            async move { read(stream::iter(chunks), "XX".to_owned(), limits, Some(path)).await }
        };
        let found = || std::fs::read_dir(desk.path()).unwrap().count();
        let tree = file(&content).await.unwrap();
        assert_eq!(tree["a"], text("1"));
        let Value::Stored(stored) = &tree["file"] else { panic!("{tree:?}") };
        let draft = stored.take().unwrap();
        assert_eq!(std::fs::read_to_string(&draft).unwrap(), content);
        assert!(stored.take().is_none());
        drop(draft);
        assert_eq!(found(), 0);
        assert_eq!(file(&(content + "x")).await, Err(Error::TooLarge { limit: 1_000_000 }));
        assert_eq!(found(), 0);
        let head = "name=file; filename=\"\"";
        let body = stream::iter([Ok(Bytes::from(form(&[part(head, "")])))]);
        let alone =
            read(body, "XX".to_owned(), Limits::default(), Some(desk.path().to_owned())).await;
        assert_eq!(alone, Ok(Map::new()));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = parsed(&bytes, Limits::default());
        }

        #[test]
        fn any_pieces_are_read_or_refused(pieces in "(--|XX|\r\n|Content-Disposition: form-data; |name=|filename=|\"|a|;){0,30}") {
            let _ = parsed(pieces.as_bytes(), Limits::default());
        }
    }
}
