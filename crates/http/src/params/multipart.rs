//! Parser of multipart forms: texts and files.

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
    Error, Limits, Map, StoredFile, Value,
    bodies::Memory,
    keys,
    on_disk::Draft,
    tree::{self, Budget},
};

/// Parses a multipart body into a tree. A part with a file name is a file: it is written to the
/// staging directory `staging_dir`, and refused if there is none. A file part without name and
/// bytes (an unused file input of a browser) is ignored.
pub(super) async fn read<S>(
    body: S,
    boundary: String,
    limits: Limits,
    staging_dir: Option<PathBuf>,
    memory: &mut Memory,
) -> Result<Map, Error>
where
    S: Stream<Item = Result<Bytes, Error>> + Send + 'static,
{
    let body = Arc::new(Mutex::new(LimitedBody::new(body, limits.multipart)));
    let chunks = |body: &Arc<Mutex<LimitedBody>>| {
        let body = Arc::clone(body);
        stream::poll_fn(move |context| {
            body.lock().unwrap_or_else(PoisonError::into_inner).poll_next(context)
        })
    };
    let mut parts = Multipart::new(chunks(&body), boundary);
    let (root, budget) = (Map::new(), Budget::new(limits));
    let mut form = Form { root, budget, text_remaining: limits.text, limits, staging_dir, memory };
    while let Some(part) = parts.next_field().await.map_err(fault)? {
        form.add(part).await?;
    }
    // The rest after the last part is ignored but counts for the size. Otherwise the same body
    // could be too large if it arrives at once and small enough if it arrives in pieces.
    let mut rest = chunks(&body);
    while let Some(chunk) = rest.next().await {
        chunk?;
    }
    Ok(form.root)
}

/// A body that ends with an error if it exceeds its limit of bytes.
struct LimitedBody {
    body: BoxStream<'static, Result<Bytes, Error>>,
    limit: usize,
    /// Number of bytes that may still come.
    remaining: usize,
}

impl LimitedBody {
    fn new(body: impl Stream<Item = Result<Bytes, Error>> + Send + 'static, limit: usize) -> Self {
        Self { body: body.boxed(), limit, remaining: limit }
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        let next = self.body.poll_next_unpin(context);
        next.map(|chunk| chunk.map(|chunk| self.counted(chunk?)))
    }

    fn counted(&mut self, chunk: Bytes) -> Result<Bytes, Error> {
        let remaining = self.remaining.checked_sub(chunk.len());
        self.remaining = remaining.ok_or(Error::TooLarge { limit: self.limit })?;
        Ok(chunk)
    }
}

/// The tree under construction while parts arrive.
struct Form<'m> {
    root: Map,
    budget: Budget,
    text_remaining: usize,
    limits: Limits,
    /// Staging directory for files; `None` refuses them.
    staging_dir: Option<PathBuf>,
    memory: &'m mut Memory,
}

impl Form<'_> {
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

    /// Reads a file part. Returns `None` for an unused file input.
    async fn file(&mut self, part: Field<'static>) -> Result<Option<Value>, Error> {
        let name = part.file_name().unwrap_or_default().replace('\0', "");
        let content_type = part.content_type().map(ToString::to_string);
        let Some(staging_dir) = self.staging_dir.clone() else {
            let field = part.name().unwrap_or_default().to_owned();
            let is_unused = name.is_empty() && is_empty(part).await?;
            let reason = "must not be a file".to_owned();
            return if is_unused { Ok(None) } else { Err(Error::Invalid { field, reason }) };
        };
        self.memory.begin_upload()?;
        let draft = self.write_file(part, &staging_dir).await?;
        let is_unused = name.is_empty() && draft.bytes() == 0;
        Ok((!is_unused).then(|| Value::File(StoredFile::new(name, content_type, draft))))
    }

    async fn write_file(
        &self,
        mut part: Field<'static>,
        staging_dir: &Path,
    ) -> Result<Draft, Error> {
        let mut draft = Draft::begin(staging_dir).await?;
        while let Some(chunk) = part.chunk().await.map_err(fault)? {
            draft.add(chunk, self.limits.file).await?;
        }
        draft.finish().await
    }

    async fn text(&mut self, mut part: Field<'static>) -> Result<String, Error> {
        let mut content = BytesMut::new();
        while let Some(chunk) = part.chunk().await.map_err(fault)? {
            if chunk.len() > self.text_remaining {
                return Err(Error::TooLarge { limit: self.limits.text });
            }
            self.text_remaining -= chunk.len();
            self.memory.grow(chunk.len())?;
            content.extend_from_slice(&chunk);
        }
        tree::text(content.into())
    }
}

/// Returns `true` if a part is empty.
async fn is_empty(mut part: Field<'static>) -> Result<bool, Error> {
    while let Some(chunk) = part.chunk().await.map_err(fault)? {
        if !chunk.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Converts a parser error. An error of the body stream itself is returned unchanged.
fn fault(error: multer::Error) -> Error {
    let malformed = || Error::malformed("the multipart body is broken");
    match error {
        multer::Error::StreamReadFailed(cause) => {
            cause.downcast().map_or_else(|_| malformed(), |error| *error)
        }
        _ => malformed(),
    }
}

/// Returns `true` if the part has a file name in any form: old clients send Latin-1, some only
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

/// Calls [`read`] without memory accounting, for tests of the decoder alone.
#[cfg(test)]
pub(super) async fn read_uncounted<S>(
    body: S,
    boundary: String,
    limits: Limits,
    staging_dir: Option<PathBuf>,
) -> Result<Map, Error>
where
    S: Stream<Item = Result<Bytes, Error>> + Send + 'static,
{
    let subject = crate::limits::Subject::Address(std::net::Ipv4Addr::LOCALHOST.into());
    read(body, boundary, limits, staging_dir, &mut Memory::of(None, subject)).await
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, stream};
    use proptest::prelude::*;

    use super::*;

    async fn read_into<S>(
        body: S,
        limits: Limits,
        staging_dir: Option<PathBuf>,
    ) -> Result<Map, Error>
    where
        S: Stream<Item = Result<Bytes, Error>> + Send + 'static,
    {
        read_uncounted(body, "XX".to_owned(), limits, staging_dir).await
    }

    fn parsed(body: &[u8], limits: Limits) -> Result<Map, Error> {
        let chunks: Vec<_> = body.chunks(7).map(|c| Ok(Bytes::copy_from_slice(c))).collect();
        read_into(stream::iter(chunks), limits, None).now_or_never().unwrap()
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
    fn files_are_refused_before_their_content() {
        let refused = Err(Error::Invalid {
            field: "avatar".to_owned(),
            reason: "must not be a file".to_owned(),
        });
        for head in [
            "name=\"avatar\"; filename=\"../a b.png\"\r\nContent-Type: image/png",
            "name=\"avatar\"; filename=\"\"",
            "name=\"avatar\"; filename*=UTF-8''a.png",
        ] {
            assert_eq!(root(&[part(head, "\r\n--X\0")]), refused, "{head}");
        }
        // The error comes at once, before any content of the file.
        let head =
            "--XX\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"a\"\r\n\r\n";
        let begun = stream::iter([Ok(Bytes::from(head))]).chain(stream::pending());
        let read = read_into(begun, Limits::default(), None).now_or_never();
        assert_eq!(read, Some(refused));
    }

    #[test]
    fn an_unused_file_input_is_ignored() {
        let head = "name=\"avatar\"; filename=\"\"\r\nContent-Type: application/octet-stream";
        assert_eq!(root(&[part(head, "")]), Ok(Map::new()));
    }

    #[test]
    fn broken_bodies_are_malformed() {
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
        let limits = Limits { text: 10, multipart: 400, ..Limits::default() };
        let sized = |parts: &[String]| parsed(form(parts).as_bytes(), limits).map(|_| ());
        let text_of_length = |n: usize| "x".repeat(n);
        assert_eq!(
            sized(&[part("name=a", &text_of_length(6)), part("name=b", &text_of_length(4))]),
            Ok(())
        );
        assert_eq!(
            sized(&[part("name=a", &text_of_length(6)), part("name=b", &text_of_length(5))]),
            Err(Error::TooLarge { limit: 10 })
        );
        let many = vec![part("name=a", ""); 10];
        assert_eq!(sized(&many), Err(Error::TooLarge { limit: 400 }));
    }

    #[test]
    fn bytes_after_the_last_part_count_for_the_size() {
        let limits = Limits { multipart: 400, ..Limits::default() };
        let form = form(&[part("name=a", "1")]);
        for length in [399, 400, 401] {
            let body = format!("{form:x<length$}");
            let whole = stream::iter([Ok(Bytes::from(body.clone()))]);
            let whole = read_into(whole, limits, None).now_or_never().unwrap();
            assert_eq!(whole.is_ok(), length <= 400, "{length}: {whole:?}");
            assert_eq!(whole, parsed(body.as_bytes(), limits), "{length}");
        }
    }

    #[test]
    fn a_broken_connection_is_reported_as_interrupted() {
        let body = stream::iter([Ok(Bytes::from("--XX\r\n")), Err(Error::Interrupted)]);
        let read = read_into(body, Limits::default(), None).now_or_never().unwrap();
        assert_eq!(read, Err(Error::Interrupted));
    }

    #[actix_web::test]
    async fn files_go_to_the_staging_directory_if_there_is_one() {
        let staging_dir = tempfile::TempDir::new().unwrap();
        let content = "0123456789".repeat(100_000);
        let file = |content: &str| {
            let body = form(&[part("name=file; filename=\"a.mp4\"", content), part("name=a", "1")]);
            let chunks: Vec<_> =
                body.as_bytes().chunks(60_000).map(|c| Ok(Bytes::copy_from_slice(c))).collect();
            let limits = Limits { file: 1_000_000, multipart: 2_000_000, ..Limits::default() };
            let path = staging_dir.path().to_owned();
            async move { read_into(stream::iter(chunks), limits, Some(path)).await }
        };
        let found = || std::fs::read_dir(staging_dir.path()).unwrap().count();
        let tree = file(&content).await.unwrap();
        assert_eq!(tree["a"], text("1"));
        let Value::File(stored) = &tree["file"] else { panic!("{tree:?}") };
        assert_eq!((stored.name.as_str(), stored.content_type.as_deref()), ("a.mp4", None));
        assert_eq!(stored.read().await.unwrap(), content);
        let draft = stored.take().unwrap();
        assert_eq!(std::fs::read_to_string(&draft).unwrap(), content);
        assert!(stored.take().is_none());
        assert_eq!(stored.read().await, Err(Error::NoRoom));
        drop(draft);
        assert_eq!(found(), 0);
        assert_eq!(file(&(content + "x")).await, Err(Error::TooLarge { limit: 1_000_000 }));
        assert_eq!(found(), 0);
        let head = "name=file; filename=\"\"";
        let body = stream::iter([Ok(Bytes::from(form(&[part(head, "")])))]);
        let alone = read_into(body, Limits::default(), Some(staging_dir.path().to_owned())).await;
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
