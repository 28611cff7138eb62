//! Rankings.

use siskin_entities::{
    DayRange, Dimension, DimensionKey,
    measure::{DimensionEntry, DimensionValue},
};
use siskin_persistence::{
    Conn,
    measures::{self as rows, Ranking},
    space,
};
use siskin_text::language::{self, LANGUAGES};

use super::Requested;
use crate::{Result, about::SOFTWARE_VERSION};

/// Number of statuses among which the servers are ranked: the newest ones of the period.
const RANKED_STATUSES: i64 = 200_000;

/// What the rankings cannot read from the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    /// Domain of this server.
    pub domain: String,
    /// Version of FFmpeg, if it is installed.
    pub ffmpeg: Option<String>,
}

/// Loads rankings of at most `limit` entries, in the requested order. Leaves out those about a
/// hashtag or a server for which the request names none.
///
/// # Errors
/// Storage errors only.
pub fn dimensions(
    conn: &mut Conn,
    requested: &[Requested<DimensionKey>],
    range: DayRange,
    limit: i64,
    programs: &Programs,
) -> Result<Vec<Dimension>> {
    let mut found = Vec::new();
    for one in requested {
        let entries = entries(conn, one, range, limit, programs)?;
        found.extend(entries.map(|entries| Dimension { key: one.key, entries }));
    }
    Ok(found)
}

fn entries(
    conn: &mut Conn,
    requested: &Requested<DimensionKey>,
    range: DayRange,
    limit: i64,
    programs: &Programs,
) -> Result<Option<Vec<DimensionEntry>>> {
    let here = &*programs.domain;
    Ok(Some(match requested.key {
        DimensionKey::Languages => named(rows::languages(conn, range, limit)?, language_of),
        DimensionKey::Sources => named(rows::sources(conn, range, limit)?, application),
        DimensionKey::Servers => {
            let servers = rows::servers(conn, range, RANKED_STATUSES, limit)?;
            named(servers, |domain| server(domain, here))
        }
        DimensionKey::SpaceUsage => first(space_usage(conn)?, limit),
        DimensionKey::SoftwareVersions => first(versions(conn, programs)?, limit),
        DimensionKey::TagServers => {
            let Some(tag) = requested.tag() else { return Ok(None) };
            let servers = rows::tag_servers(conn, tag, range, limit)?;
            named(servers, |domain| server(domain, here))
        }
        DimensionKey::TagLanguages => {
            let Some(tag) = requested.tag() else { return Ok(None) };
            named(rows::tag_languages(conn, tag, range, limit)?, language_of)
        }
        DimensionKey::InstanceAccounts => {
            let Some(domain) = requested.domain() else { return Ok(None) };
            let accounts = rows::instance_accounts(conn, &domain, limit)?;
            named(accounts, |username| (username.clone(), username))
        }
        DimensionKey::InstanceLanguages => {
            let Some(domain) = requested.domain() else { return Ok(None) };
            named(rows::instance_languages(conn, &domain, range, limit)?, language_of)
        }
    }))
}

/// Builds entries with the names for programs and for people that `names` returns.
fn named(ranking: Ranking, names: impl Fn(String) -> (String, String)) -> Vec<DimensionEntry> {
    let entry = |(stored, count)| {
        let (key, name) = names(stored);
        DimensionEntry { key, name, value: DimensionValue::Count(count) }
    };
    ranking.into_iter().map(entry).collect()
}

fn first(mut entries: Vec<DimensionEntry>, limit: i64) -> Vec<DimensionEntry> {
    entries.truncate(usize::try_from(limit).unwrap_or(0));
    entries
}

/// Returns the code and the English name of a language.
fn language_of(code: String) -> (String, String) {
    if code.is_empty() {
        return ("und".to_owned(), "Unknown".to_owned());
    }
    let known = language::normalise(&code);
    let known = LANGUAGES.iter().find(|language| known == Some(language.code));
    let name = known.map_or_else(|| code.clone(), |language| language.name.to_owned());
    (code, name)
}

fn application(name: String) -> (String, String) {
    if name.is_empty() {
        return ("web".to_owned(), "Website".to_owned());
    }
    (name.clone(), name)
}

fn server(domain: String, here: &str) -> (String, String) {
    let domain = if domain.is_empty() { here.to_owned() } else { domain };
    (domain.clone(), domain)
}

fn space_usage(conn: &mut Conn) -> Result<Vec<DimensionEntry>> {
    let entry = |key: &str, name: &str, bytes| DimensionEntry {
        key: key.to_owned(),
        name: name.to_owned(),
        value: DimensionValue::Bytes(bytes),
    };
    let software = space::software(conn)?;
    let database = space::database_bytes(conn)?;
    let media = space::files(conn)?.bytes();
    Ok(vec![entry(software.key, software.name, database), entry("media", "Media", media)])
}

fn versions(conn: &mut Conn, programs: &Programs) -> Result<Vec<DimensionEntry>> {
    let entry = |key: &str, name: &str, version: &str| DimensionEntry {
        key: key.to_owned(),
        name: name.to_owned(),
        value: DimensionValue::Text(version.to_owned()),
    };
    let software = space::software(conn)?;
    let mut entries = vec![
        entry("siskin", "Siskin", SOFTWARE_VERSION),
        entry(software.key, software.name, &software.version),
    ];
    entries.extend(programs.ffmpeg.as_deref().map(|version| entry("ffmpeg", "FFmpeg", version)));
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_languages_are_english() {
        let names = |code: &str| language_of(code.to_owned());
        assert_eq!(names("de"), ("de".to_owned(), "German".to_owned()));
        assert_eq!(names("pt-BR"), ("pt-BR".to_owned(), "Portuguese".to_owned()));
        assert_eq!(names("xx"), ("xx".to_owned(), "xx".to_owned()));
        assert_eq!(names(""), ("und".to_owned(), "Unknown".to_owned()));
    }

    #[test]
    fn this_server_and_its_pages_have_names() {
        assert_eq!(server(String::new(), "here.test").0, "here.test");
        assert_eq!(server("far.test".to_owned(), "here.test").1, "far.test");
        assert_eq!(application(String::new()).0, "web");
    }
}
