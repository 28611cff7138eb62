//! What the index stores of a status.

use std::collections::BTreeSet;

use diesel::{
    QueryableByName,
    sql_types::{BigInt, Bool, Nullable, SmallInt, Text},
};
use siskin_entities::{
    MediaKind, Visibility,
    search::{Property, has_link},
};
use siskin_ids::AccountId;
use siskin_text::{SearchWord, html_to_text, index_terms, search_words};

/// Maximum size of the words that are indexed of a status, in bytes. PostgreSQL refuses more than a
/// megabyte of terms.
const MAX_BYTES: usize = 400_000;
/// Assumed size of a term besides its text, and of the pair that a character forms, in bytes.
const TERM_BYTES: usize = 12;

/// Term of every status.
pub(super) const ANY: &str = "=any";
/// Term of public statuses by authors that allow everyone to find them.
pub(super) const PUBLIC: &str = "=public";

// No word contains an equals sign, so these terms differ from all words.

/// Returns the term of the statuses of an author.
pub(super) fn author_term(author: AccountId) -> String {
    format!("=from{author}")
}

/// Returns the term of the statuses with a property.
pub(super) fn property_term(property: Property) -> String {
    match property {
        // A preview is fetched later, so the index knows only the link.
        Property::Embed => property_term(Property::Link),
        other => format!("={}", other.as_str()),
    }
}

/// Returns the term of the statuses in a language.
pub(super) fn language_term(code: &str) -> String {
    let letters = code.chars().filter(char::is_ascii_alphanumeric);
    format!("=in{}", letters.collect::<String>().to_ascii_lowercase())
}

/// The parts of a status that are indexed.
#[derive(Debug, QueryableByName)]
pub(super) struct Document {
    #[diesel(sql_type = BigInt)]
    pub(super) id: i64,
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = Text)]
    content: String,
    #[diesel(sql_type = Text)]
    spoiler_text: String,
    #[diesel(sql_type = Nullable<Text>)]
    language: Option<String>,
    #[diesel(sql_type = SmallInt)]
    visibility: i16,
    #[diesel(sql_type = Bool)]
    sensitive: bool,
    #[diesel(sql_type = Bool)]
    is_reply: bool,
    #[diesel(sql_type = Bool)]
    indexable: bool,
    /// Titles of the options of its poll, one per line.
    #[diesel(sql_type = Nullable<Text>)]
    options: Option<String>,
    /// Descriptions of its attachments, each followed by a line break.
    #[diesel(sql_type = Nullable<Text>)]
    descriptions: Option<String>,
    /// Numbers of the kinds of its attachments, separated by line breaks.
    #[diesel(sql_type = Nullable<Text>)]
    kinds: Option<String>,
}

impl Document {
    /// Builds the SQL that selects the documents of the statuses that `which` selects.
    pub(super) fn select(which: &str, is_sqlite: bool) -> String {
        let list = |of: &str| match is_sqlite {
            true => format!("group_concat({of}, char(10))"),
            false => format!("string_agg(CAST({of} AS text), chr(10))"),
        };
        let (titles, descriptions, kinds) =
            (list("poll_options.title"), list("media.description"), list("media.kind"));
        // An edit of the status waits, so that its terms are not replaced by older ones.
        let lock = if is_sqlite { "" } else { "FOR NO KEY UPDATE OF statuses" };
        format!(
            "SELECT statuses.id AS id, statuses.account_id AS account_id, content, spoiler_text,
                 statuses.language AS language, visibility, statuses.sensitive AS sensitive,
                 in_reply_to_account_id IS NOT NULL AS is_reply, accounts.indexable AS indexable,
                 (SELECT {titles} FROM polls JOIN poll_options ON poll_options.poll_id = polls.id
                     WHERE polls.status_id = statuses.id) AS options,
                 (SELECT {descriptions} FROM media_attachments AS media
                     WHERE media.status_id = statuses.id) AS descriptions,
                 (SELECT {kinds} FROM media_attachments AS media
                     WHERE media.status_id = statuses.id) AS kinds
             FROM statuses JOIN accounts ON accounts.id = statuses.account_id
             WHERE {which} AND statuses.reblog_of_id IS NULL AND statuses.visibility < 4
             ORDER BY statuses.id {lock}"
        )
    }

    /// Returns the terms of the status.
    pub(super) fn terms(&self) -> BTreeSet<String> {
        let texts = [
            self.spoiler_text.as_str(),
            &html_to_text(&self.content),
            self.options.as_deref().unwrap_or_default(),
            self.descriptions.as_deref().unwrap_or_default(),
        ];
        let mut bytes = 0;
        let fits = |word: &SearchWord| {
            bytes += word.text.len() + TERM_BYTES;
            bytes <= MAX_BYTES
        };
        let words: Vec<SearchWord> =
            texts.into_iter().flat_map(search_words).take_while(fits).collect();
        let mut terms = index_terms(&words);
        terms.insert(ANY.to_owned());
        terms.insert(author_term(AccountId::new(self.account_id)));
        if self.indexable && self.visibility == Visibility::Public.number() {
            terms.insert(PUBLIC.to_owned());
        }
        terms.extend(self.language.as_deref().map(language_term));
        terms.extend(self.properties().into_iter().map(property_term));
        terms
    }

    fn properties(&self) -> Vec<Property> {
        let kinds = self.kinds.as_deref().unwrap_or_default().lines();
        let kinds = kinds.filter_map(|kind| kind.parse().ok()).map(MediaKind::from_number);
        let kinds: Vec<MediaKind> = kinds.collect();
        let mut properties: Vec<Property> = kinds
            .iter()
            .filter_map(|kind| match kind {
                MediaKind::Image => Some(Property::Image),
                MediaKind::Video | MediaKind::Gifv => Some(Property::Video),
                MediaKind::Audio => Some(Property::Audio),
                MediaKind::Unknown => None,
            })
            .collect();
        properties.extend(
            [
                (!kinds.is_empty(), Property::Media),
                (self.options.is_some(), Property::Poll),
                (has_link(&self.content), Property::Link),
                (self.is_reply, Property::Reply),
                (self.sensitive, Property::Sensitive),
            ]
            .into_iter()
            .filter_map(|(has, property)| has.then_some(property)),
        );
        properties
    }
}
