//! Client authentication of an application, in the `Authorization` header or in the body (RFC 6749,
//! 2.3.1). Both may be present, but must not differ.

use actix_web::{HttpRequest, http::header::AUTHORIZATION};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;
use siskin_services::oauth::{ClientSecret, Fault, Outcome, Refusal};

const CONTRADICTION: Refusal =
    Refusal::new(Fault::InvalidClient, "Header and body name different clients");
const UNREADABLE: Refusal =
    Refusal::new(Fault::InvalidClient, "The Authorization header cannot be read");

/// Returns the credentials of the application; the arguments come from the body. `None` if there
/// are none.
pub(super) fn credentials(
    request: &HttpRequest,
    client_id: Option<String>,
    client_secret: Option<String>,
) -> Outcome<Option<ClientSecret>> {
    let Some(header) = basic(request)? else {
        return Ok(client_id
            .zip(client_secret)
            .map(|(client_id, client_secret)| ClientSecret { client_id, client_secret }));
    };
    let differs = |body: Option<String>, header: &str| body.is_some_and(|body| body != header);
    if differs(client_id, &header.client_id) || differs(client_secret, &header.client_secret) {
        return Err(CONTRADICTION);
    }
    Ok(Some(header))
}

fn basic(request: &HttpRequest) -> Outcome<Option<ClientSecret>> {
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some((scheme, encoded)) = header.and_then(|value| value.split_once(' ')) else {
        return Ok(None);
    };
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(None);
    }
    decode(encoded).map(Some).ok_or(UNREADABLE)
}

fn decode(encoded: &str) -> Option<ClientSecret> {
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (client_id, client_secret) = decoded.split_once(':')?;
    let part = |part: &str| Some(percent_decode_str(part).decode_utf8().ok()?.into_owned());
    Some(ClientSecret { client_id: part(client_id)?, client_secret: part(client_secret)? })
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn credentials_of(
        header: Option<&str>,
        id: Option<&str>,
        secret: Option<&str>,
    ) -> Outcome<Option<String>> {
        let request = match header {
            Some(header) => TestRequest::post().insert_header((AUTHORIZATION, header)),
            None => TestRequest::post(),
        };
        let own = |text: Option<&str>| text.map(str::to_owned);
        credentials(&request.to_http_request(), own(id), own(secret)).map(|credentials| {
            credentials.map(|credentials| {
                format!("{} {}", credentials.client_id, credentials.client_secret)
            })
        })
    }

    fn basic_header(text: &str) -> String {
        format!("Basic {}", STANDARD.encode(text))
    }

    #[test]
    fn header_and_body_must_not_differ() {
        let header = basic_header("id:secret");
        let accepted = Ok(Some("id secret".to_owned()));
        assert_eq!(credentials_of(Some(&header), None, None), accepted);
        assert_eq!(credentials_of(Some(&header), Some("id"), None), accepted);
        assert_eq!(credentials_of(Some(&header), Some("id"), Some("secret")), accepted);
        assert_eq!(credentials_of(None, Some("id"), Some("secret")), accepted);
        assert_eq!(credentials_of(Some(&header), Some("other"), None), Err(CONTRADICTION));
        assert_eq!(credentials_of(Some(&header), Some("id"), Some("other")), Err(CONTRADICTION));
    }

    #[test]
    fn incomplete_credentials_and_other_schemes_are_ignored() {
        assert_eq!(credentials_of(None, Some("id"), None), Ok(None));
        assert_eq!(credentials_of(None, None, Some("secret")), Ok(None));
        assert_eq!(credentials_of(Some("Bearer x"), None, None), Ok(None));
        assert_eq!(credentials_of(Some("Basic ?"), None, None), Err(UNREADABLE));
        assert_eq!(credentials_of(Some(&basic_header("no colon")), None, None), Err(UNREADABLE));
        let escaped = basic_header("a%20b:c%3Ad");
        assert_eq!(credentials_of(Some(&escaped), None, None), Ok(Some("a b c:d".to_owned())));
    }
}
