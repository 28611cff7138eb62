//! Texts about the instance: what visitors see of them, and their changes by staff and the
//! operator.

use siskin_entities::{
    Actor, AuditAction, AuditTarget, InstanceTexts, Settings, ShownText, SourceText, TargetKind,
    TermsOfService, TermsVersion, TextName, Timestamp, Urls, time::Date,
};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Tx,
    instance_texts::{self as rows, StoredTerms, StoredText},
    settings as stored_settings, users,
};
use siskin_policy::{
    limits::{MAX_INSTANCE_HTML_BYTES, MAX_INSTANCE_TEXT_CHARS, MAX_TERMS_VERSIONS},
    settings::max_chars,
    terms::{is_past, may_write, shown},
};
use siskin_text::{TextLimit, escape, is_blank, is_disturbing, render_document};

use crate::{
    Error, Result, about, audit,
    settings::{self, FixedSettings, is_same_value},
    terms,
};

/// Setting that holds the description.
const DESCRIPTION: &str = "site_description";

/// The privacy policy for instances without an own one. It says what this program stores.
const PRIVACY_POLICY: &str = include_str!("instance_texts/privacy_policy.md");
/// Time of the last change of [`PRIVACY_POLICY`]: 2026-11-30.
const PRIVACY_POLICY_CHANGED: Timestamp = Timestamp::from_unix_ms(1_795_996_800_000);

const IN_EFFECT: &str =
    "Terms in effect cannot change: publish others that take effect on a later day";
const PAST: &str = "First day of the terms cannot be in the past";
/// Why a change is refused if its author does not know the present text.
const CHANGED_MEANWHILE: &str =
    "The text was changed by someone else in the meantime. Publish again to replace it";
const TAKEN: &str =
    "First day is that of another version already. Publish again to replace that version";

/// A checked change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    name: TextName,
    text: String,
    effective_date: Option<Date>,
    /// Whether all users get an email about the version of the terms.
    announced: bool,
    /// The stored text that the author knows. Empty if there was none.
    shown: Option<String>,
}

impl TextChange {
    /// Lets the change be refused if it replaces another stored text than this one, which is empty
    /// if there is none. With `None` it replaces any text.
    #[must_use]
    pub fn replacing(self, shown: Option<String>) -> Self {
        Self { shown, ..self }
    }

    /// Lets all users know of the terms of service by email. Has no effect on other texts.
    #[must_use]
    pub fn announced(self, announced: bool) -> Self {
        Self { announced, ..self }
    }

    /// Returns the text as visitors will see it, HTML.
    #[must_use]
    pub fn html(&self) -> String {
        render(self.name, &self.text)
    }
}

/// Checks a change of a text, and trims white space at its end. A blank text stands for the
/// default. The terms of service need the date of their version, and a text.
///
/// # Errors
/// [`Error::Invalid`] for a text beyond the limits, without a date that is needed, and with a date
/// that is not.
pub fn prepare(name: TextName, text: &str, effective_date: Option<Date>) -> Result<TextChange> {
    require_fitting_date(name, effective_date)?;
    let text = if is_blank(text) { "" } else { text.trim_end() };
    if text.is_empty() && effective_date.is_some() {
        return Err(Error::invalid("The terms of service cannot be empty"));
    }
    let chars = match name {
        TextName::Description => max_chars(DESCRIPTION),
        _ => MAX_INSTANCE_TEXT_CHARS,
    };
    if !TextLimit::of(chars).fits_code_points(text) {
        return Err(Error::invalid(format!("The text has at most {chars} characters")));
    }
    if text.contains('\0') {
        return Err(Error::invalid("The text contains a character that cannot be stored"));
    }
    // It is a setting, and stands in the middle of other texts in apps.
    if name == TextName::Description && text.contains(is_disturbing) {
        return Err(Error::invalid("The text contains control or direction characters"));
    }
    // A short text can define an address once, and use it many times.
    if render(name, text).len() > MAX_INSTANCE_HTML_BYTES {
        return Err(Error::invalid("The text has too many links"));
    }
    Ok(TextChange { name, text: text.to_owned(), effective_date, announced: false, shown: None })
}

/// Returns the change that brings the default of a text back, or that removes a version of the
/// terms of service.
///
/// # Errors
/// [`Error::Invalid`] without a date that is needed, and with a date that is not.
pub fn prepare_removal(name: TextName, effective_date: Option<Date>) -> Result<TextChange> {
    require_fitting_date(name, effective_date)?;
    Ok(TextChange { name, text: String::new(), effective_date, announced: false, shown: None })
}

/// Checks that the terms of service have a date, and that other texts have none.
fn require_fitting_date(name: TextName, date: Option<Date>) -> Result<()> {
    match (name == TextName::TermsOfService, date) {
        (true, None) => {
            Err(Error::invalid("The terms of service need the date of their first day"))
        }
        (false, Some(_)) => Err(Error::invalid("Only the terms of service have a date")),
        (true, Some(_)) | (false, None) => Ok(()),
    }
}

/// Changes a text. Running servers receive an event and show it. If the terms of service are
/// announced, a job sends the emails. Returns `false` if nothing changed.
///
/// # Errors
/// [`Error::Invalid`] if the version of the terms, or a later one, is in effect, for a new version
/// that begins before today, for too many versions, and as [`TextChange::replacing`] says.
/// [`Error::NotFound`] if the version to remove does not exist. [`Error::Conflict`] if the
/// environment fixes the description.
pub fn set(
    tx: &mut Tx<'_>,
    fixed: &FixedSettings,
    actor: Actor,
    change: &TextChange,
) -> Result<bool> {
    let TextChange { name, text, effective_date, announced, .. } = change;
    // No one replaces the present text before this change does.
    stored_settings::lock(tx)?;
    let action = match (name, effective_date) {
        (TextName::Description, _) => return set_description(tx, fixed, actor, change),
        (_, Some(date)) => {
            let changed = set_terms(tx, *date, change)?;
            let is_told = *announced && !text.is_empty();
            let told = is_told && terms::announce(tx, *date, changed.is_some())?;
            changed.or(told.then_some(AuditAction::Announce))
        }
        (_, None) => set_one(tx, change)?.then_some(AuditAction::Update),
    };
    let Some(action) = action else { return Ok(false) };
    let target = AuditTarget {
        kind: TargetKind::InstanceText,
        id: None,
        name: match effective_date {
            Some(date) => format!("{} {date}", name.as_str()),
            None => name.as_str().to_owned(),
        },
    };
    audit::record(tx, actor, action, &target)?;
    Ok(true)
}

/// Stores the description, which is a setting and is recorded as one.
fn set_description(
    tx: &mut Tx<'_>,
    fixed: &FixedSettings,
    actor: Actor,
    change: &TextChange,
) -> Result<bool> {
    let text = change.text.as_str();
    if stored_settings::stored(tx, DESCRIPTION)?.unwrap_or_default() == text {
        return Ok(false);
    }
    require_known(change, &settings::load(tx, fixed)?.site_description)?;
    if text.is_empty() {
        settings::reset(tx, actor, fixed, DESCRIPTION)?;
    } else {
        settings::set(tx, actor, fixed, DESCRIPTION, text)?;
    }
    Ok(true)
}

/// Stores a text without versions. Returns `true` if it changed.
fn set_one(tx: &mut Tx<'_>, change: &TextChange) -> Result<bool> {
    let (name, text) = (change.name, change.text.as_str());
    let present = rows::find(tx, name)?.map(|stored| stored.text);
    require_known(change, &present.unwrap_or_default())?;
    Ok(if text.is_empty() { rows::remove(tx, name)? } else { rows::set(tx, name, text)? })
}

/// Checks that the author of a change knows the text that it replaces, or wants the same.
fn require_known(change: &TextChange, present: &str) -> Result<()> {
    match &change.shown {
        Some(shown) if !is_same_value(shown, present) && change.text != present => {
            // The author of another version did not look at this one.
            let is_other_version = shown.is_empty() && change.effective_date.is_some();
            Err(Error::invalid(if is_other_version { TAKEN } else { CHANGED_MEANWHILE }))
        }
        _ => Ok(()),
    }
}

/// Stores or removes a version of the terms. Returns what happened to it; `None` if nothing.
fn set_terms(tx: &mut Tx<'_>, date: Date, change: &TextChange) -> Result<Option<AuditAction>> {
    let text = change.text.as_str();
    let dates = rows::terms_dates(tx)?;
    let is_known = position_of(&dates, date).is_some();
    if text.is_empty() && !is_known {
        return Err(Error::NotFound);
    }
    if !may_write(&dates, date, tx.now()) {
        return Err(Error::invalid(IN_EFFECT));
    }
    if text.is_empty() {
        return Ok(rows::remove_terms(tx, date)?.then_some(AuditAction::Delete));
    }
    if is_past(date, tx.now()) {
        return Err(Error::invalid(PAST));
    }
    let present = version_of(tx, date)?.map(|version| version.text.text);
    require_known(change, &present.unwrap_or_default())?;
    if !is_known && dates.len() >= MAX_TERMS_VERSIONS {
        return Err(Error::invalid(format!("There are at most {MAX_TERMS_VERSIONS} versions")));
    }
    let action = if is_known { AuditAction::Update } else { AuditAction::Create };
    Ok(rows::set_terms(tx, date, text)?.then_some(action))
}

/// Records that a user accepts the terms of service, if some are in effect.
///
/// # Errors
/// Storage errors only.
pub fn accept_terms(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let now = tx.now();
    if rows::any_terms_in_effect(tx, now)? {
        users::accept_terms(tx, account)?;
    }
    Ok(())
}

/// Returns a text for its authors. Of the terms of service it returns the version with this date,
/// or the one that visitors see now.
///
/// # Errors
/// [`Error::NotFound`] if there is no such version of the terms of service.
pub fn source(
    conn: &mut Conn,
    settings: &Settings,
    urls: &Urls,
    name: TextName,
    version: Option<Date>,
    now: Timestamp,
) -> Result<SourceText> {
    let stored = |text: String, updated_at| SourceText {
        name,
        html: render(name, &text),
        text,
        updated_at,
        is_default: false,
        effective_date: None,
        versions: Vec::new(),
        announced_at: None,
    };
    Ok(match name {
        TextName::Description => stored(settings.site_description.clone(), None),
        TextName::TermsOfService => {
            let versions = rows::terms_dates(conn)?;
            let wanted = version.or_else(|| versions.get(shown(&versions, now)?).copied());
            let wanted = wanted.ok_or(Error::NotFound)?;
            let found = version_of(conn, wanted)?.ok_or(Error::NotFound)?;
            SourceText {
                effective_date: Some(found.effective_date),
                announced_at: rows::terms_announced_at(conn, found.effective_date)?,
                versions,
                ..stored(found.text.text, Some(found.text.updated_at))
            }
        }
        TextName::ExtendedDescription | TextName::PrivacyPolicy => match rows::find(conn, name)? {
            Some(StoredText { text, updated_at }) => stored(text, Some(updated_at)),
            None if name == TextName::PrivacyPolicy => SourceText {
                is_default: true,
                ..stored(default_privacy_policy(conn, settings, urls)?, None)
            },
            None => SourceText { is_default: true, ..stored(String::new(), None) },
        },
    })
}

/// Loads the version of the terms of service with this date.
fn version_of(conn: &mut Conn, date: Date) -> Result<Option<StoredTerms>> {
    let mut versions = rows::terms(conn)?.into_iter();
    Ok(versions.find(|one| one.effective_date.0.midnight() == date.0.midnight()))
}

/// Loads all texts as visitors see them. Renders them, so callers should cache the result.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, settings: &Settings, urls: &Urls) -> Result<InstanceTexts> {
    let extended_description = rows::find(conn, TextName::ExtendedDescription)?;
    let privacy_policy = match rows::find(conn, TextName::PrivacyPolicy)? {
        Some(text) => text,
        None => StoredText {
            text: default_privacy_policy(conn, settings, urls)?,
            updated_at: PRIVACY_POLICY_CHANGED,
        },
    };
    let visible = |StoredText { text, updated_at }| ShownText {
        html: render_document(&text),
        updated_at: Some(updated_at),
    };
    let versions = rows::terms(conn)?.into_iter().map(|version| TermsVersion {
        effective_date: version.effective_date,
        html: render_document(&version.text.text),
    });
    Ok(InstanceTexts {
        extended_description: extended_description.map(visible).unwrap_or_default(),
        privacy_policy: visible(privacy_policy),
        terms: versions.collect(),
    })
}

/// Returns the version of the terms of service with this date. Without a date, returns the one in
/// effect at `now`, or else the first one that is announced.
///
/// # Errors
/// [`Error::NotFound`] if there is none.
pub fn terms(texts: &InstanceTexts, date: Option<Date>, now: Timestamp) -> Result<TermsOfService> {
    let dates: Vec<Date> = texts.terms.iter().map(|version| version.effective_date).collect();
    let at = match date {
        None => shown(&dates, now),
        Some(date) => position_of(&dates, date),
    };
    let at = at.ok_or(Error::NotFound)?;
    let version = texts.terms.get(at).ok_or(Error::NotFound)?;
    Ok(TermsOfService {
        effective_date: version.effective_date,
        is_effective: siskin_policy::terms::in_effect(&dates, now) == Some(at),
        succeeded_by: dates.get(at + 1).copied(),
        html: version.html.clone(),
    })
}

/// Returns the position of the version with this date.
fn position_of(dates: &[Date], date: Date) -> Option<usize> {
    dates.iter().position(|known| known.0.midnight() == date.0.midnight())
}

fn render(name: TextName, text: &str) -> String {
    match name {
        TextName::Description if text.is_empty() => String::new(),
        TextName::Description => format!("<p>{}</p>", escape(text).replace('\n', "<br />")),
        _ => render_document(text),
    }
}

/// Returns the text that comes with the program, with the name and the contact of the instance.
fn default_privacy_policy(conn: &mut Conn, settings: &Settings, urls: &Urls) -> Result<String> {
    let contact = about::contact(conn, &settings.contact_account)?;
    let account = contact.map(|account| {
        let name = literal(&account.username);
        format!("[{name}]({})", urls.profile(&account.username))
    });
    let email = Some(&settings.contact_email).filter(|email| !email.is_empty());
    let contact = match (email.map(|email| literal(email)), account) {
        (Some(email), Some(account)) => {
            format!("Write to {email}, or to the account {account} on this server.")
        }
        (Some(email), None) => format!("Write to {email}."),
        (None, Some(account)) => format!("Write to the account {account} on this server."),
        (None, None) => {
            let about = urls.page("/about");
            format!("The page [about this server]({about}) names the people who run it.")
        }
    };
    Ok(PRIVACY_POLICY
        .replace("{name}", &literal(&settings.site_title))
        .replace("{address}", urls.base())
        .replace("{contact}", &contact))
}

/// Escapes a text so that Markdown shows it as it is.
fn literal(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_terms_of_service_have_a_date() {
        let date = Date::of_parts(2026, 12, 1);
        for name in TextName::ALL {
            let has_date = name == TextName::TermsOfService;
            assert_eq!(prepare(name, "Text", date).is_ok(), has_date, "{name:?}");
            assert_eq!(prepare(name, "Text", None).is_ok(), !has_date, "{name:?}");
        }
    }

    #[test]
    fn texts_have_limits() {
        let text = |text: &str| prepare(TextName::PrivacyPolicy, text, None).map(|new| new.text);
        assert_eq!(text("# Us \n\n").unwrap(), "# Us");
        assert_eq!(text(" \n\u{200B}").unwrap(), "");
        assert!(text(&"é".repeat(MAX_INSTANCE_TEXT_CHARS)).is_ok());
        assert!(text(&"e".repeat(MAX_INSTANCE_TEXT_CHARS + 1)).is_err());
        assert!(text("a\0b").is_err());
        let described = |text: &str| prepare(TextName::Description, text, None);
        assert!(described("a\u{202E}b").is_err() && described("a\nb\u{200F}").is_ok());
        let long = "d".repeat(max_chars(DESCRIPTION) + 1);
        assert!(prepare(TextName::Description, &long, None).is_err());
        let date = Date::of_parts(2026, 12, 1);
        assert!(prepare(TextName::TermsOfService, " ", date).is_err());
        assert!(prepare_removal(TextName::TermsOfService, date).is_ok());
    }

    #[test]
    fn a_change_replaces_what_its_author_knows() {
        for (shown, present, is_known) in [
            (None, "Theirs", true),
            (Some("a\r\nb"), "a\nb", true),
            (Some(""), "Mine", true),
            (Some(""), "Theirs", false),
            (Some("Theirs"), "", false),
        ] {
            let change = prepare(TextName::PrivacyPolicy, "Mine", None).unwrap();
            let change = change.replacing(shown.map(str::to_owned));
            assert_eq!(require_known(&change, present).is_ok(), is_known, "{shown:?} {present}");
        }
    }

    #[test]
    fn the_standard_privacy_policy_is_complete() {
        let headings = render_document(PRIVACY_POLICY).matches("<h2>").count();
        assert!(headings > 5, "{headings}");
        for (placeholder, count) in [("{name}", 1), ("{address}", 2), ("{contact}", 1)] {
            assert_eq!(PRIVACY_POLICY.matches(placeholder).count(), count, "{placeholder}");
        }
        assert_eq!(PRIVACY_POLICY.matches('{').count(), 4);
        assert!(PRIVACY_POLICY.lines().count() < 90);
        for part in ["/settings/export", "second factor", "logins at other providers"] {
            assert!(PRIVACY_POLICY.contains(part), "{part}");
        }
        assert_eq!(PRIVACY_POLICY_CHANGED.to_string(), "2026-11-30T00:00:00.000Z");
    }

    #[test]
    fn names_in_the_privacy_policy_are_literal() {
        let name = "*A* [b](https://c.example) <d> `e` # @f";
        assert_eq!(
            render_document(&literal(name)),
            "<p>*A* [b](https://c.example) &lt;d&gt; `e` # @f</p>"
        );
    }

    #[test]
    fn terms_are_found_by_date_and_time() {
        let day = |day| Date::of_parts(2026, 12, day).unwrap();
        let version = |date: Date| TermsVersion { effective_date: date, html: date.to_string() };
        let texts = InstanceTexts {
            terms: vec![version(day(1)), version(day(5)), version(day(9))],
            ..InstanceTexts::default()
        };
        let now = day(6).0;
        let summary = |date| {
            terms(&texts, date, now).ok().map(|found| {
                let next = found.succeeded_by.map(|date| date.to_string());
                (found.html, found.is_effective, next)
            })
        };
        let of = |date: &str, is_effective, next: Option<&str>| {
            Some((date.to_owned(), is_effective, next.map(str::to_owned)))
        };
        assert_eq!(summary(None), of("2026-12-05", true, Some("2026-12-09")));
        assert_eq!(summary(Some(day(1))), of("2026-12-01", false, Some("2026-12-05")));
        assert_eq!(summary(Some(day(9))), of("2026-12-09", false, None));
        assert_eq!(summary(Some(day(2))), None);
        assert!(terms(&InstanceTexts::default(), None, now).is_err());
    }
}
