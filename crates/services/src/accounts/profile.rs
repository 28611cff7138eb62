//! Changes of a user's own profile and defaults. The files of pictures are already stored.

use std::sync::Arc;

use siskin_entities::{Account, Credentials, Field, Picture, QuotePolicy, Settings, Visibility};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Tx,
    accounts::{self as rows, Profile, UserDefaults},
};
use siskin_policy::limits;
use siskin_text::{
    ContentType, TextLimit, Token, is_blank, language, mentions, normalise_domain, parse, render,
    render_field,
};

use crate::{
    Error, Field as FormField, FieldError, Instance, Result, media,
    named::Mentionables,
    relationships::{self, AcceptRequests},
    search,
};

use super::{create::search_text, links};

/// Profile changes, as typed; `None` keeps the current value.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    pub display_name: Option<String>,
    pub note: Option<String>,
    pub locked: Option<bool>,
    pub bot: Option<bool>,
    /// `Some(None)` removes the choice.
    pub discoverable: Option<Option<bool>>,
    pub indexable: Option<bool>,
    pub hide_collections: Option<bool>,
    pub show_media: Option<bool>,
    pub show_media_replies: Option<bool>,
    pub show_featured: Option<bool>,
    /// The complete list. Blank entries and URL schemes are removed.
    pub attribution_domains: Option<Vec<String>>,
    /// The complete list. Fields with neither name nor value are dropped.
    pub fields: Option<Vec<NewField>>,
    /// Alternative text of the picture.
    pub avatar_description: Option<String>,
    pub header_description: Option<String>,
    pub privacy: Option<String>,
    pub sensitive: Option<bool>,
    /// Empty for no language.
    pub language: Option<String>,
    /// Media type in which new statuses are written.
    pub content_type: Option<String>,
    /// Name of the accounts that may quote new statuses.
    pub quote_policy: Option<String>,
    /// Removes the picture and its description.
    pub removes_avatar: bool,
    pub removes_header: bool,
}

/// Profile field, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewField {
    pub name: String,
    pub value: String,
}

/// New pictures with stored files; `None` keeps the current picture.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    pub avatar: Option<Picture>,
    pub header: Option<Picture>,
}

/// Selects one of the two pictures of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureSlot {
    Avatar,
    Header,
}

/// Changes that passed all checks.
#[derive(Debug, Clone)]
pub struct Prepared {
    changes: Changes,
    privacy: Option<Visibility>,
    language: Option<Option<&'static str>>,
    content_type: Option<ContentType>,
    quote_policy: Option<QuotePolicy>,
}

/// Checks the input.
///
/// # Errors
/// [`Error::InvalidFields`] that names each wrong field.
pub fn prepare(settings: &Settings, changes: Changes) -> Result<Prepared> {
    let trimmed = |text: Option<String>| text.map(|text| text.trim().to_owned());
    let mut faults = Faults::default();
    let domains = changes.attribution_domains.as_deref().map(domains);
    let changes = Changes {
        display_name: trimmed(changes.display_name).map(|name| one_line(&name)).map(visible_name),
        note: trimmed(changes.note),
        fields: changes.fields.map(without_blank),
        avatar_description: trimmed(changes.avatar_description),
        header_description: trimmed(changes.header_description),
        attribution_domains: domains
            .and_then(|domains| faults.take("attribution_domains", domains)),
        ..changes
    };
    check_lengths(settings, &changes, &mut faults);
    if let Some(fields) = &changes.fields {
        faults.take("fields", check_fields(settings, fields));
    }
    let privacy = changes.privacy.as_deref().map(default_privacy);
    let privacy = privacy.and_then(|privacy| faults.take("default_privacy", privacy));
    let language = changes.language.as_deref().map(default_language);
    let language = language.and_then(|language| faults.take("default_language", language));
    let content_type = changes.content_type.as_deref().map(default_content_type);
    let content_type = content_type.and_then(|kind| faults.take("default_content_type", kind));
    let quoting = changes.quote_policy.as_deref().map(default_quote_policy);
    let quote_policy = quoting.and_then(|policy| faults.take("default_quote_policy", policy));
    faults.none()?;
    Ok(Prepared { changes, privacy, language, content_type, quote_policy })
}

/// Error code with its description, which continues a sentence that starts with the field name.
type Fault = (FieldError, String);

/// Errors of a form, by field.
#[derive(Default)]
struct Faults(Vec<FormField>);

impl Faults {
    /// Returns the checked value of a field, or records its error.
    fn take<T>(&mut self, name: &'static str, checked: Result<T, Fault>) -> Option<T> {
        checked
            .map_err(|(error, description)| self.0.push(FormField { name, error, description }))
            .ok()
    }

    fn none(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::InvalidFields(self.0)) }
    }
}

fn check_lengths(settings: &Settings, changes: &Changes, faults: &mut Faults) {
    let limit = TextLimit::from(settings.limits_display_name_chars);
    let fits = changes.display_name.as_deref().is_none_or(|name| limit.fits(name));
    faults.take("display_name", require_length(fits, limit));
    let limit = TextLimit::from(settings.max_bio_chars);
    let fits = changes.note.as_deref().is_none_or(|note| limit.fits_status(note, ""));
    faults.take("note", require_length(fits, limit));
    let limit = TextLimit::from(limits::MAX_PICTURE_DESCRIPTION_CHARS);
    for (name, text) in [
        ("avatar_description", &changes.avatar_description),
        ("header_description", &changes.header_description),
    ] {
        let fits = text.as_deref().is_none_or(|text| limit.fits(text));
        faults.take(name, require_length(fits, limit));
    }
}

fn check_fields(settings: &Settings, fields: &[NewField]) -> Result<(), Fault> {
    let limit = settings.limits_profile_fields;
    if fields.len() > usize::try_from(limit).unwrap_or(usize::MAX) {
        return Err((FieldError::TooLong, format!("are too many (maximum is {limit})")));
    }
    for field in fields {
        if is_blank(&field.name) {
            return Err((FieldError::Blank, "need a name beside each value".to_owned()));
        }
        let limit = TextLimit::from(settings.limits_profile_field_chars);
        if !limit.fits(&field.name) || !limit.fits(&field.value) {
            let most = limit.characters();
            let why = format!("contain a text that is too long (maximum is {most} characters)");
            return Err((FieldError::TooLong, why));
        }
    }
    Ok(())
}

fn domains(typed: &[String]) -> Result<Vec<String>, Fault> {
    let mut domains: Vec<String> = Vec::new();
    for typed in typed.iter().map(|domain| domain.trim()).filter(|domain| !domain.is_empty()) {
        let bare = typed.strip_prefix("https://").or_else(|| typed.strip_prefix("http://"));
        let bare = bare.unwrap_or(typed).trim_end_matches('/');
        let domain = normalise_domain(bare.strip_prefix("*.").unwrap_or(bare));
        let domain = domain.ok_or_else(|| {
            (FieldError::Invalid, format!("contain {typed:?}, which is not a domain"))
        })?;
        if !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    let most = limits::MAX_ATTRIBUTION_DOMAINS;
    if domains.len() > most {
        return Err((FieldError::TooLong, format!("are too many (maximum is {most})")));
    }
    Ok(domains)
}

fn require_length(fits: bool, limit: TextLimit) -> Result<(), Fault> {
    if fits {
        return Ok(());
    }
    let most = limit.characters();
    Err((FieldError::TooLong, format!("is too long (maximum is {most} characters)")))
}

/// Replaces line breaks by spaces, because a name is displayed in one line.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r', '\u{2028}', '\u{2029}']).collect::<Vec<_>>().join(" ")
}

/// Returns an empty name if nothing of it is visible. The user name is then displayed instead.
fn visible_name(name: String) -> String {
    if is_blank(&name) { String::new() } else { name }
}

fn without_blank(fields: Vec<NewField>) -> Vec<NewField> {
    fields
        .into_iter()
        .map(|field| NewField {
            name: one_line(field.name.trim()),
            value: one_line(field.value.trim()),
        })
        .filter(|field| !is_blank(&field.name) || !is_blank(&field.value))
        .collect()
}

fn default_privacy(name: &str) -> Result<Visibility, Fault> {
    match name.parse() {
        Ok(Visibility::Direct) | Err(_) => {
            Err((FieldError::Inclusion, "must be public, unlisted or private".to_owned()))
        }
        Ok(visibility) => Ok(visibility),
    }
}

fn default_language(code: &str) -> Result<Option<&'static str>, Fault> {
    if code.trim().is_empty() {
        return Ok(None);
    }
    let known = language::normalise(code).map(Some);
    known.ok_or_else(|| (FieldError::Inclusion, "is not known".to_owned()))
}

fn default_content_type(name: &str) -> Result<ContentType, Fault> {
    name.parse().map_err(|_| (FieldError::Inclusion, "is not included in the list".to_owned()))
}

fn default_quote_policy(name: &str) -> Result<QuotePolicy, Fault> {
    let why = "must be public, followers or nobody";
    name.parse().map_err(|_| (FieldError::Inclusion, why.to_owned()))
}

/// Writes the changes and returns the account as its owner sees it. If the account becomes
/// unlocked, accepts its follow requests. If fields were sent, enqueues the verification of their
/// links.
///
/// # Errors
/// [`Error::NotFound`] if the account does not exist.
pub fn apply(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    prepared: &Prepared,
    pictures: &Pictures,
) -> Result<Arc<Account>> {
    rows::lock(tx, &[account])?;
    let before = rows::find(tx, account)?.ok_or(Error::NotFound)?;
    let profile = profile(tx, instance, &before, &prepared.changes)?;
    let profile = with_pictures(profile, pictures);
    save(tx, &before, &profile)?;
    if before.locked && !profile.locked {
        relationships::accept_requests(tx, &AcceptRequests { account })?;
    }
    if prepared.changes.fields.is_some() {
        links::enqueue(tx, account, &profile.fields)?;
    }
    update_defaults(tx, account, prepared)?;
    rows::find(tx, account)?.ok_or(Error::NotFound)
}

/// Removes a picture of a profile and its description. Does nothing if there is none.
///
/// # Errors
/// [`Error::NotFound`] if the account does not exist.
pub fn remove_picture(tx: &mut Tx<'_>, account: AccountId, slot: PictureSlot) -> Result<()> {
    rows::lock(tx, &[account])?;
    let before = rows::find(tx, account)?.ok_or(Error::NotFound)?;
    let mut profile = stored(&before);
    clear_picture(&mut profile, slot);
    save(tx, &before, &profile)
}

fn clear_picture(profile: &mut Profile, slot: PictureSlot) {
    let (picture, description) = match slot {
        PictureSlot::Avatar => (&mut profile.avatar, &mut profile.avatar_description),
        PictureSlot::Header => (&mut profile.header, &mut profile.header_description),
    };
    *picture = None;
    description.clear();
}

/// Writes the profile if it has changed, and enqueues the deletion of files it no longer refers to.
fn save(tx: &mut Tx<'_>, before: &Account, profile: &Profile) -> Result<()> {
    if *profile == stored(before) {
        return Ok(());
    }
    rows::update_profile(tx, before.id, profile)?;
    if before.indexable != profile.indexable {
        search::enqueue_author(tx, before.id)?;
    }
    let replaced = [(&before.avatar, &profile.avatar), (&before.header, &profile.header)];
    let replaced_files = replaced.into_iter().filter(|(before, now)| before != now);
    media::discard(tx, replaced_files.filter_map(|(before, _)| before.clone()))
}

fn with_pictures(mut profile: Profile, pictures: &Pictures) -> Profile {
    if pictures.avatar.is_some() {
        profile.avatar.clone_from(&pictures.avatar);
    }
    if pictures.header.is_some() {
        profile.header.clone_from(&pictures.header);
    }
    profile
}

/// Returns the whole profile with the changes applied.
fn profile(
    conn: &mut Conn,
    instance: &Instance,
    before: &Account,
    changes: &Changes,
) -> Result<Profile> {
    let mut profile = stored(before);
    if let Some(name) = &changes.display_name {
        profile.search_text = search_text(&before.username, before.domain.as_deref(), name);
        profile.display_name.clone_from(name);
    }
    if let Some(note) = &changes.note {
        profile.note_html = note_html(conn, instance, before.id, note)?;
        profile.note.clone_from(note);
    }
    if let Some(fields) = &changes.fields {
        profile.fields = fields_html(conn, instance, before, fields)?;
    }
    for (removes, slot) in [
        (changes.removes_avatar, PictureSlot::Avatar),
        (changes.removes_header, PictureSlot::Header),
    ] {
        if removes {
            clear_picture(&mut profile, slot);
        }
    }
    if let Some(description) = &changes.avatar_description {
        profile.avatar_description.clone_from(description);
    }
    if let Some(description) = &changes.header_description {
        profile.header_description.clone_from(description);
    }
    profile.locked = changes.locked.unwrap_or(profile.locked);
    profile.bot = changes.bot.unwrap_or(profile.bot);
    profile.discoverable = changes.discoverable.unwrap_or(profile.discoverable);
    profile.indexable = changes.indexable.unwrap_or(profile.indexable);
    profile.hide_collections = changes.hide_collections.unwrap_or(profile.hide_collections);
    profile.show_media = changes.show_media.unwrap_or(profile.show_media);
    profile.show_media_replies = changes.show_media_replies.unwrap_or(profile.show_media_replies);
    profile.show_featured = changes.show_featured.unwrap_or(profile.show_featured);
    if let Some(domains) = &changes.attribution_domains {
        profile.attribution_domains.clone_from(domains);
    }
    Ok(profile)
}

/// Returns the current profile.
fn stored(account: &Account) -> Profile {
    let domain = account.domain.as_deref();
    Profile {
        display_name: account.display_name.clone(),
        note: account.note.clone(),
        note_html: account.note_html.clone(),
        fields: account.fields.clone(),
        search_text: search_text(&account.username, domain, &account.display_name),
        locked: account.locked,
        bot: account.bot,
        discoverable: account.discoverable,
        indexable: account.indexable,
        hide_collections: account.hide_collections,
        avatar: account.avatar.clone(),
        avatar_description: account.avatar_description.clone(),
        header: account.header.clone(),
        header_description: account.header_description.clone(),
        show_media: account.show_media,
        show_media_replies: account.show_media_replies,
        show_featured: account.show_featured,
        attribution_domains: account.attribution_domains.clone(),
    }
}

fn note_html(
    conn: &mut Conn,
    instance: &Instance,
    author: AccountId,
    note: &str,
) -> Result<String> {
    let tokens = parse(note);
    let named = Mentionables::find(conn, instance, author, &mentions(&tokens))?;
    Ok(render(&tokens, &named))
}

/// Returns the profile fields with their HTML. A link stays verified while its field is unchanged.
fn fields_html(
    conn: &mut Conn,
    instance: &Instance,
    before: &Account,
    fields: &[NewField],
) -> Result<Vec<Field>> {
    let tokens: Vec<Vec<Token>> = fields.iter().map(|field| parse(&field.value)).collect();
    let handles: Vec<_> = tokens.iter().flat_map(|tokens| mentions(tokens)).collect();
    let named = Mentionables::find(conn, instance, before.id, &handles)?;
    let with_html = |(field, tokens): (&NewField, &Vec<Token>)| {
        let mut old = before.fields.iter();
        let same = old.find(|old| old.name == field.name && old.value == field.value);
        Field {
            name: field.name.clone(),
            value: field.value.clone(),
            value_html: render_field(tokens, &named),
            verified_at: same.and_then(|old| old.verified_at),
        }
    };
    Ok(fields.iter().zip(&tokens).map(with_html).collect())
}

/// Updates the defaults for new statuses. Does nothing for remote accounts, which have none.
fn update_defaults(tx: &mut Tx<'_>, account: AccountId, prepared: &Prepared) -> Result<()> {
    let Some(before) = rows::credentials(tx, account)? else { return Ok(()) };
    let changed = UserDefaults {
        privacy: prepared.privacy.unwrap_or(before.default_privacy),
        sensitive: prepared.changes.sensitive.unwrap_or(before.default_sensitive),
        language: match prepared.language {
            None => before.default_language.clone(),
            Some(language) => language.map(str::to_owned),
        },
        content_type: prepared.content_type.unwrap_or(before.default_content_type),
        quote_policy: prepared.quote_policy.unwrap_or(before.default_quote_policy),
    };
    if changed != defaults_of(&before) {
        rows::update_user_defaults(tx, account, &changed)?;
    }
    Ok(())
}

fn defaults_of(credentials: &Credentials) -> UserDefaults {
    UserDefaults {
        privacy: credentials.default_privacy,
        sensitive: credentials.default_sensitive,
        language: credentials.default_language.clone(),
        content_type: credentials.default_content_type,
        quote_policy: credentials.default_quote_policy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(changes: Changes) -> bool {
        prepare(&Settings::default(), changes).is_ok()
    }

    fn field(name: &str, value: &str) -> NewField {
        NewField { name: name.to_owned(), value: value.to_owned() }
    }

    #[test]
    fn lengths_are_counted_as_clients_count() {
        let note = |note: String| accepts(Changes { note: Some(note), ..Changes::default() });
        assert!(note("é".repeat(500)));
        assert!(!note("é".repeat(501)));
        assert!(note(format!("{} https://example.com/{}", "x".repeat(476), "y".repeat(400))));
        let name =
            |name: String| accepts(Changes { display_name: Some(name), ..Changes::default() });
        assert!(name(format!(" {} ", "👩‍👩‍👧‍👦".repeat(30))));
        assert!(!name("x".repeat(31)));
    }

    #[test]
    fn long_combining_sequences_exceed_the_limits() {
        let marks = format!("a{}", "\u{301}".repeat(100_000));
        let link = format!("https://a.example/{}", "&".repeat(100_000));
        for text in [&marks, &link] {
            let text = || Some(text.clone());
            assert!(!accepts(Changes { display_name: text(), ..Changes::default() }));
            assert!(!accepts(Changes { note: text(), ..Changes::default() }));
            assert!(!accepts(Changes { avatar_description: text(), ..Changes::default() }));
            assert!(!accepts(Changes { header_description: text(), ..Changes::default() }));
        }
        for field in [field(&marks, "x"), field("x", &marks), field("x", &link)] {
            assert!(!accepts(Changes { fields: Some(vec![field]), ..Changes::default() }));
        }
    }

    #[test]
    fn an_invisible_name_counts_as_blank() {
        let blank = || "\u{200B}\u{3164}".to_owned();
        let named = Changes { display_name: Some(blank()), ..Changes::default() };
        let prepared = prepare(&Settings::default(), named).unwrap();
        assert_eq!(prepared.changes.display_name.as_deref(), Some(""));
        let fields = |fields| {
            prepare(&Settings::default(), Changes { fields: Some(fields), ..Changes::default() })
        };
        assert!(fields(vec![field(&blank(), "value")]).is_err());
        let none = fields(vec![field(&blank(), &blank())]).unwrap();
        assert_eq!(none.changes.fields, Some(Vec::new()));
    }

    #[test]
    fn empty_lines_do_not_count_against_the_limit() {
        let fields =
            |fields: Vec<NewField>| accepts(Changes { fields: Some(fields), ..Changes::default() });
        let mut lines = vec![field("a", "b"); 4];
        lines.push(field(" ", ""));
        assert!(fields(lines.clone()));
        lines.push(field("a", "b"));
        assert!(!fields(lines));
        assert!(!fields(vec![field("", "value")]));
        assert!(!fields(vec![field("a", &"x".repeat(256))]));
    }

    #[test]
    fn attribution_domains_are_normalised_and_unique() {
        let read = |typed: &[&str]| {
            let typed: Vec<String> = typed.iter().map(|text| (*text).to_owned()).collect();
            domains(&typed)
        };
        let typed = ["", " https://News.Example/ ", "*.bücher.example", "news.example"];
        assert_eq!(read(&typed).unwrap(), ["news.example", "xn--bcher-kva.example"]);
        assert!(read(&["not a domain"]).is_err());
        assert!(read(&["a.example/path"]).is_err());
        let many: Vec<String> = (0..11).map(|number| format!("{number}.example")).collect();
        assert!(domains(&many[..10]).is_ok());
        assert!(domains(&many).is_err());
    }

    #[test]
    fn defaults_must_be_known_values() {
        let privacy =
            |name: &str| accepts(Changes { privacy: Some(name.into()), ..Changes::default() });
        assert!(privacy("private"));
        assert!(!privacy("direct") && !privacy("secret"));
        let language =
            |code: &str| accepts(Changes { language: Some(code.into()), ..Changes::default() });
        assert!(language("") && language("pt-BR"));
        assert!(!language("xx-nope"));
        let written =
            |kind: &str| accepts(Changes { content_type: Some(kind.into()), ..Changes::default() });
        assert!(written("text/markdown") && !written("text/rtf") && !written(""));
    }
}
