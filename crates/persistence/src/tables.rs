//! The registry of all tables. It says what does not follow from the columns in `schema.rs`: whether
//! a backup contains a table, which of its rows are deleted with an account, and whether its rows
//! expire.

use crate::chunks::{OwnedRows, owned};

/// A table of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    pub name: &'static str,
    /// Columns of the primary key, separated by commas.
    pub key: &'static str,
    /// `true` if a backup contains the table. A backup leaves out what is true for this
    /// installation only (running processes, change counters), and what is derived from other
    /// tables.
    pub is_archived: bool,
    /// SQL conditions for the rows that belong to the account `$1` or refer to it. An index serves
    /// each. The rows are deleted in chunks before the row of the account. A table with counters or
    /// files has a function in `accounts/removal.rs` instead; a cascade deletes the rows of others
    /// that are always few.
    pub of_account: &'static [&'static str],
    /// `true` if rows are needed only until the time in their column `expires_at`. An index starts
    /// with it.
    pub expires: bool,
}

const BY_ACCOUNT: &[&str] = &["account_id = $1"];
const BY_SENDER: &[&str] = &["account_id = $1", "from_account_id = $1"];
const BY_BOTH: &[&str] = &["account_id = $1", "target_account_id = $1"];

/// All tables. A table comes after those to which its rows refer.
pub const TABLES: &[Table] = &[
    table("roles", "id"),
    table("accounts", "id"),
    // Early, so that they are deleted late: until then, other servers can still ask for them.
    table("account_keys", "id").of_account(BY_ACCOUNT),
    table("account_stats", "account_id"),
    table("domain_limits", "account_id"),
    table("instance_domain_blocks", "id"),
    table("instance_domain_allows", "id"),
    table("account_terms", "term, account_id"),
    table("suggestion_dismissals", "account_id, target_account_id").of_account(BY_BOTH),
    table("applications", "id"),
    table("users", "account_id"),
    table("access_tokens", "id").of_account(BY_ACCOUNT),
    table("push_subscriptions", "id").of_account(BY_ACCOUNT),
    table("authorization_codes", "code_hash").of_account(BY_ACCOUNT),
    table("web_sessions", "id").of_account(BY_ACCOUNT),
    table("account_ips", "account_id, ip").of_account(BY_ACCOUNT),
    table("follows", "id"),
    table("follow_requests", "id").of_account(BY_BOTH),
    table("blocks", "id").of_account(BY_BOTH),
    table("mutes", "id").of_account(BY_BOTH).expiring(),
    table("account_domain_blocks", "id").of_account(BY_ACCOUNT),
    table("endorsements", "id").of_account(BY_BOTH),
    table("account_notes", "account_id, target_account_id").of_account(BY_BOTH),
    table("lists", "id").of_account(BY_ACCOUNT),
    table("list_accounts", "id").of_account(&[
        "account_id = $1",
        "list_id IN (SELECT id FROM lists WHERE account_id = $1)",
    ]),
    table("statuses", "id"),
    table("status_stats", "status_id"),
    table("mentions", "status_id, account_id").of_account(BY_ACCOUNT),
    table("tags", "id"),
    table("statuses_tags", "tag_id, status_id"),
    table("tag_follows", "id").of_account(BY_ACCOUNT),
    table("featured_tags", "id"),
    table("conversations", "id").of_account(BY_ACCOUNT),
    table("conversation_statuses", "conversation_id, status_id")
        .of_account(&["conversation_id IN (SELECT id FROM conversations WHERE account_id = $1)"]),
    table("favourites", "id"),
    table("bookmarks", "id").of_account(BY_ACCOUNT),
    table("status_edits", "status_id, version"),
    table("status_pins", "account_id, status_id"),
    table("muted_conversations", "account_id, conversation_id").of_account(BY_ACCOUNT),
    table("polls", "id"),
    table("poll_options", "id"),
    table("poll_votes", "poll_id, account_id, option_title"),
    table("poll_announcements", "poll_id, account_id").of_account(BY_ACCOUNT),
    table("announcements", "id"),
    table("announcement_dismissals", "announcement_id, account_id").of_account(BY_ACCOUNT),
    table("announcement_reactions", "announcement_id, name, account_id").of_account(BY_ACCOUNT),
    table("idempotency_keys", "account_id, key").of_account(BY_ACCOUNT),
    table("reports", "id").of_account(BY_BOTH),
    table("report_notes", "id"),
    table("notifications", "id").of_account(&[
        "account_id = $1",
        "from_account_id = $1",
        "kind = 'admin.report' AND subject_id IN (
            SELECT id FROM reports WHERE target_account_id = $1)",
    ]),
    table("notification_policies", "account_id, rule").of_account(BY_ACCOUNT),
    table("notification_permissions", "account_id, from_account_id").of_account(BY_SENDER),
    table("notification_requests", "id").of_account(BY_SENDER),
    table("email_topics", "account_id, topic"),
    table("waiting_emails", "account_id"),
    table("mailed_links", "token_hash").expiring(),
    table("second_factors", "account_id").of_account(BY_ACCOUNT),
    table("recovery_codes", "account_id, code_hash").of_account(BY_ACCOUNT),
    table("pending_sign_ins", "token_hash").of_account(BY_ACCOUNT).expiring(),
    table("external_identities", "account_id, issuer").of_account(BY_ACCOUNT),
    table("translations", "key").expiring(),
    table("markers", "account_id, timeline"),
    table("rules", "id"),
    table("settings", "key"),
    table("instance_texts", "name"),
    table("terms_of_service", "effective_date"),
    table("warning_presets", "id"),
    table("instance_pictures", "file"),
    table("first_steps", "step"),
    table("activity_weeks", "week"),
    table("instance_secrets", "name"),
    table("events", "id"),
    table("jobs", "id"),
    table("custom_emojis", "id"),
    table("scheduled_statuses", "id").of_account(BY_ACCOUNT),
    table("media_attachments", "id"),
    table("preview_cards", "id"),
    table("status_cards", "status_id"),
    table("filters", "id").of_account(BY_ACCOUNT),
    table("filter_keywords", "id")
        .of_account(&["filter_id IN (SELECT id FROM filters WHERE account_id = $1)"]),
    table("filter_statuses", "id")
        .of_account(&["filter_id IN (SELECT id FROM filters WHERE account_id = $1)"]),
    table("audit_log", "id"),
    table("active_days", "day, account_id").of_account(BY_ACCOUNT),
    table("daily_counts", "key, day"),
    table("email_domain_blocks", "id"),
    table("email_domain_block_days", "block_id, day").expiring(),
    table("email_domain_block_sources", "block_id, day, source_hash").expiring(),
    table("canonical_email_blocks", "id"),
    table("ip_blocks", "id"),
    table("invites", "id").of_account(BY_ACCOUNT),
    table("exports", "id").of_account(BY_ACCOUNT).expiring().not_archived(),
    table("export_parts", "export_id, position")
        .of_account(&["export_id IN (SELECT id FROM exports WHERE account_id = $1)"])
        .not_archived(),
    table("strikes", "id").of_account(&["target_account_id = $1"]),
    table("strike_statuses", "strike_id, status_id")
        .of_account(&["strike_id IN (SELECT id FROM strikes WHERE target_account_id = $1)"]),
    table("appeals", "id").of_account(BY_ACCOUNT),
    table("retired_names", "username_key"),
    table("tombstones", "uri_key"),
    table("former_ties", "kind, source_id, holder_id"),
    table("status_terms", "status_id").not_archived(),
    table("status_reviews", "status_id"),
    table("link_publishers", "domain"),
    table("trending_tags", "tag_id").not_archived(),
    table("trending_links", "card_id").not_archived(),
    table("trending_statuses", "status_id").not_archived(),
    table("trend_rounds", "singleton").not_archived(),
    table("sign_up_notices", "singleton").not_archived(),
    table("feeds", "feed_id").not_archived(),
    table("feed_entries", "feed_id, status_id").not_archived(),
    table("id_nodes", "node").not_archived(),
    table("shown_generation", "singleton").not_archived(),
    table("stored_files", "prefix, kind").not_archived(),
    table("spent_budgets", "key_hash").expiring().not_archived(),
];

const fn table(name: &'static str, key: &'static str) -> Table {
    Table { name, key, is_archived: true, of_account: &[], expires: false }
}

impl Table {
    const fn of_account(self, of_account: &'static [&'static str]) -> Self {
        Self { of_account, ..self }
    }

    const fn expiring(self) -> Self {
        Self { expires: true, ..self }
    }

    const fn not_archived(self) -> Self {
        Self { is_archived: false, ..self }
    }
}

/// Returns the names of the tables that a backup contains.
pub fn archived() -> impl Iterator<Item = &'static str> {
    TABLES.iter().filter(|table| table.is_archived).map(|table| table.name)
}

/// Returns the rows of an account or about it. Rows that refer to others come first, so that no
/// cascade deletes many.
pub(crate) fn of_account() -> Vec<OwnedRows> {
    let rows = |table: &Table| {
        let Table { name, key, of_account, .. } = *table;
        of_account.iter().map(move |condition| owned(name, key, condition))
    };
    TABLES.iter().rev().flat_map(rows).collect()
}

/// Returns the tables with rows that expire.
pub(crate) fn expiring() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(|table| table.expires)
}
