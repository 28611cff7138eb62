//! Registration of client applications.

use siskin_entities::Application;
use siskin_ids::ApplicationId;
use siskin_persistence::{
    Conn, Tx,
    applications::{self as rows, NewApplication},
};
use siskin_policy::scopes::{Scope, Scopes};
use siskin_text::{TextLimit, is_blank};

use crate::{
    Error, LISTED_AT_ONCE, Result,
    oauth::{OUT_OF_BAND, RedirectUri},
    secrets,
};

/// Maximum length of the name, in characters.
const MAX_NAME: usize = 60;
/// Maximum length of a website address, in bytes.
const MAX_WEBSITE: usize = 500;
/// Maximum number of redirect URIs of an application.
const MAX_REDIRECT_URIS: usize = 20;
/// Maximum total length of the redirect URIs, in bytes.
const MAX_REDIRECT_URIS_BYTES: usize = 4000;

/// Registration parameters, as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registration {
    pub name: String,
    /// Each may hold several, separated by white space.
    pub redirect_uris: Vec<String>,
    /// `None` or empty means `read`.
    pub scopes: Option<String>,
    pub website: Option<String>,
}

/// Registration that passed all checks.
#[derive(Debug, Clone)]
pub struct Prepared {
    name: String,
    website: Option<String>,
    redirect_uris: Vec<String>,
    scopes: Scopes,
    client_id: String,
    client_secret: String,
}

/// Newly registered application with its secret. The database stores only the hash of the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    pub application: Application,
    pub client_secret: String,
}

/// Checks a registration, and generates its client id and secret.
///
/// # Errors
/// [`Error::Invalid`] with the reason.
pub fn prepare(input: &Registration) -> Result<Prepared> {
    let name = input.name.trim();
    if is_blank(name) {
        return Err(invalid("client_name can't be blank"));
    }
    if !TextLimit::of(MAX_NAME).fits_code_points(name) {
        return Err(invalid(&format!(
            "client_name is too long (maximum is {MAX_NAME} characters)"
        )));
    }
    Ok(Prepared {
        name: name.to_owned(),
        website: website(input.website.as_deref())?,
        redirect_uris: redirect_uris(&input.redirect_uris)?,
        scopes: scopes(input.scopes.as_deref())?,
        client_id: secrets::generate(),
        client_secret: secrets::generate(),
    })
}

fn invalid(what: &str) -> Error {
    Error::validation(what)
}

fn redirect_uris(input: &[String]) -> Result<Vec<String>> {
    let mut uris: Vec<String> = Vec::new();
    for uri in input.iter().flat_map(|several| several.split_whitespace()) {
        let uri =
            RedirectUri::parse(uri).map_err(|why| invalid(&format!("redirect_uris {why}")))?;
        if !uris.iter().any(|known| known == uri.as_str()) {
            uris.push(uri.as_str().to_owned());
        }
    }
    if uris.iter().map(String::len).sum::<usize>() > MAX_REDIRECT_URIS_BYTES {
        return Err(invalid("redirect_uris are too long in total"));
    }
    match uris.len() {
        0 => Err(invalid("redirect_uris can't be blank")),
        1..=MAX_REDIRECT_URIS => Ok(uris),
        _ => Err(invalid(&format!("redirect_uris are too many (maximum is {MAX_REDIRECT_URIS})"))),
    }
}

fn scopes(input: Option<&str>) -> Result<Scopes> {
    let scopes = Scopes::parse(input.unwrap_or_default())
        .map_err(|unknown| invalid(&format!("scopes: {unknown}")))?;
    Ok(if scopes.is_empty() { Scopes::from(Scope::DEFAULT) } else { scopes })
}

fn website(input: Option<&str>) -> Result<Option<String>> {
    let Some(website) = input.map(str::trim).filter(|website| !website.is_empty()) else {
        return Ok(None);
    };
    let (scheme, rest) = website.split_once("://").unwrap_or_default();
    let is_web_url = matches!(&*scheme.to_ascii_lowercase(), "http" | "https")
        && !rest.is_empty()
        && !website.contains(|c: char| c.is_whitespace() || c.is_control());
    if !is_web_url || website.len() > MAX_WEBSITE {
        return Err(invalid("website must be a web address"));
    }
    Ok(Some(website.to_owned()))
}

/// Inserts a registration.
///
/// # Errors
/// Storage errors only.
pub fn register(tx: &mut Tx<'_>, prepared: &Prepared) -> Result<Registered> {
    let row = NewApplication {
        name: &prepared.name,
        website: prepared.website.as_deref(),
        client_id: &prepared.client_id,
        client_secret_hash: &secrets::hash(&prepared.client_secret),
        redirect_uris: &prepared.redirect_uris,
        scopes: &prepared.scopes.to_string(),
    };
    let application = rows::insert(tx, &row)?;
    Ok(Registered { application, client_secret: prepared.client_secret.clone() })
}

/// Returns the application to which tokens made by the operator belong. Users see and revoke these
/// tokens like any others. The secret of the application is generated and discarded.
///
/// # Errors
/// Storage errors only.
pub fn operator_application(tx: &mut Tx<'_>) -> Result<Application> {
    const CLIENT_ID: &str = "siskin-command-line";
    if let Some(known) = rows::find_client(tx, CLIENT_ID)? {
        return Ok(known.application);
    }
    let row = NewApplication {
        name: "Siskin command line",
        website: None,
        client_id: CLIENT_ID,
        client_secret_hash: &secrets::hash(&secrets::generate()),
        redirect_uris: &[OUT_OF_BAND.to_owned()],
        scopes: Scope::DEFAULT.as_str(),
    };
    Ok(rows::insert(tx, &row)?)
}

/// Returns the application with this id.
///
/// # Errors
/// [`Error::NotFound`].
pub fn find(conn: &mut Conn, id: ApplicationId) -> Result<Application> {
    rows::find(conn, id)?.ok_or(Error::NotFound)
}

/// Number of tokens, codes and statuses that are processed in one transaction, so that other
/// writers get their turn.
const DELETE_BATCH: usize = 200;

/// Deletes some tokens and codes of an application, and the application itself with the last ones.
/// Returns `true` if any are left. To delete it, callers repeat this until it returns `false`.
///
/// # Errors
/// [`Error::NotFound`].
pub fn delete_some(tx: &mut Tx<'_>, id: ApplicationId) -> Result<bool> {
    rows::find(tx, id)?.ok_or(Error::NotFound)?;
    Ok(!rows::delete_some(tx, id, DELETE_BATCH)?)
}

/// Lists applications with ids above `after`, for the operator: the next thousand in the order of
/// their registration.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn, after: ApplicationId) -> Result<Vec<Application>> {
    Ok(rows::list(conn, after, LISTED_AT_ONCE)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(redirect_uris: &[&str]) -> Registration {
        Registration {
            name: "Tester".to_owned(),
            redirect_uris: redirect_uris.iter().map(|&uri| uri.to_owned()).collect(),
            ..Registration::default()
        }
    }

    fn refused(input: &Registration) -> String {
        prepare(input).unwrap_err().to_string()
    }

    #[test]
    fn redirect_uris_come_as_lines_or_as_a_list() {
        for uris in [
            &["https://a.example\nhttps://b.example"][..],
            &["https://a.example", "https://b.example"],
        ] {
            let prepared = prepare(&input(uris)).unwrap();
            assert_eq!(prepared.redirect_uris, ["https://a.example", "https://b.example"]);
        }
        let twice = prepare(&input(&["https://a.example\r\n https://a.example\n"])).unwrap();
        assert_eq!(twice.redirect_uris, ["https://a.example"]);
    }

    #[test]
    fn an_invalid_application_reports_each_error() {
        assert!(refused(&input(&[])).contains("redirect_uris can't be blank"));
        assert!(
            refused(&input(&["https://a.example\njavascript:x"])).contains("redirect_uris must")
        );
        let good = input(&["https://a.example"]);
        let name = |name: String| Registration { name, ..good.clone() };
        assert!(refused(&name("  ".to_owned())).contains("client_name can't be blank"));
        assert!(refused(&name("x".repeat(61))).contains("client_name is too long"));
        let scopes = Registration { scopes: Some("read fly".to_owned()), ..good.clone() };
        assert!(refused(&scopes).contains("unknown scope: fly"));
        let many: Vec<String> = (0..21).map(|n| format!("https://a.example/{n}")).collect();
        let many = Registration { redirect_uris: many, ..good.clone() };
        assert!(refused(&many).contains("too many"));
        let long = |n: u8| format!("https://a.example/{n}{}", "x".repeat(1500));
        let long = Registration { redirect_uris: (0..3).map(long).collect(), ..good.clone() };
        assert!(refused(&long).contains("too long"));
        let website = format!("https://a.example/{}", "x".repeat(500));
        for website in ["javascript:x", "example.com", "https://", "https://a b", &website] {
            let website = Registration { website: Some(website.to_owned()), ..good.clone() };
            assert!(refused(&website).contains("website must be a web address"));
        }
    }

    #[test]
    fn missing_parameters_have_defaults() {
        let prepared = prepare(&Registration {
            website: Some(String::new()),
            ..input(&["com.example.app://x"])
        })
        .unwrap();
        assert_eq!(prepared.scopes.to_string(), "read");
        assert_eq!(prepared.website, None);
    }
}
