-- Times are unix milliseconds (BIGINT) on both engines and always bound by the program.
-- Booleans are real booleans on PostgreSQL and 0/1 on SQLite.

CREATE TABLE roles (
    id INTEGER PRIMARY KEY NOT NULL,
    name TEXT NOT NULL UNIQUE,
    color TEXT NOT NULL DEFAULT '',
    permissions BIGINT NOT NULL DEFAULT 0,
    position INTEGER NOT NULL DEFAULT 0,
    highlighted BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL
);

CREATE TABLE accounts (
    id INTEGER PRIMARY KEY NOT NULL,
    username TEXT NOT NULL,
    -- Name folded for comparison (compatibility forms, case). Unique per domain.
    username_key TEXT NOT NULL,
    -- NULL for local accounts, otherwise the domain in lower-case ASCII (punycode).
    domain TEXT,
    display_name TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    note_html TEXT NOT NULL DEFAULT '',
    -- JSON: [{"name","value","value_html","verified_at"}]
    fields TEXT NOT NULL DEFAULT '[]',
    -- Display name and user name, folded for search, so that both engines give the same results.
    search_text TEXT NOT NULL DEFAULT '',
    avatar_file TEXT,
    header_file TEXT,
    locked BOOLEAN NOT NULL DEFAULT FALSE,
    bot BOOLEAN NOT NULL DEFAULT FALSE,
    discoverable BOOLEAN,
    indexable BOOLEAN NOT NULL DEFAULT FALSE,
    hide_collections BOOLEAN NOT NULL DEFAULT FALSE,
    memorial BOOLEAN NOT NULL DEFAULT FALSE,
    uri TEXT NOT NULL UNIQUE,
    url TEXT,
    -- local | activitypub | ostatus
    protocol TEXT NOT NULL DEFAULT 'local',
    inbox_url TEXT,
    outbox_url TEXT,
    shared_inbox_url TEXT,
    followers_url TEXT,
    public_key TEXT,
    private_key TEXT,
    moved_to_account_id BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    -- JSON array of URIs.
    also_known_as TEXT NOT NULL DEFAULT '[]',
    suspended_at BIGINT,
    silenced_at BIGINT,
    -- FALSE while the local account is unconfirmed or pending approval: then only lookup finds it.
    reachable BOOLEAN NOT NULL DEFAULT TRUE,
    version BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
-- COALESCE because both engines treat NULLs as distinct, and local names must be unique too.
CREATE UNIQUE INDEX accounts_handle ON accounts (username_key, COALESCE(domain, ''));

CREATE TABLE account_stats (
    account_id INTEGER PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    statuses_count BIGINT NOT NULL DEFAULT 0,
    followers_count BIGINT NOT NULL DEFAULT 0,
    following_count BIGINT NOT NULL DEFAULT 0,
    last_status_at BIGINT
);

CREATE TABLE applications (
    id INTEGER PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    website TEXT,
    client_id TEXT NOT NULL UNIQUE,
    client_secret_hash TEXT NOT NULL,
    -- One URI per line.
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Login data of local users.
CREATE TABLE users (
    account_id INTEGER PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    role_id BIGINT REFERENCES roles (id) ON DELETE SET NULL,
    locale TEXT,
    confirmed_at BIGINT,
    approved BOOLEAN NOT NULL DEFAULT TRUE,
    disabled BOOLEAN NOT NULL DEFAULT FALSE,
    sign_up_reason TEXT,
    sign_up_ip TEXT,
    created_by_application_id BIGINT REFERENCES applications (id) ON DELETE SET NULL,
    default_privacy SMALLINT NOT NULL DEFAULT 0,
    default_sensitive BOOLEAN NOT NULL DEFAULT FALSE,
    default_language TEXT,
    last_active_at BIGINT,
    last_sign_in_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX users_last_active ON users (last_active_at);

CREATE TABLE access_tokens (
    id INTEGER PRIMARY KEY NOT NULL,
    -- SHA-256 of the token, base64url: the token itself is never stored.
    token_hash TEXT NOT NULL UNIQUE,
    application_id BIGINT REFERENCES applications (id) ON DELETE CASCADE,
    account_id BIGINT REFERENCES accounts (id) ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
);
CREATE INDEX access_tokens_account ON access_tokens (account_id);
CREATE INDEX access_tokens_application ON access_tokens (application_id);

CREATE TABLE authorization_codes (
    code_hash TEXT PRIMARY KEY NOT NULL,
    application_id BIGINT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    scopes TEXT NOT NULL,
    code_challenge TEXT,
    expires_at BIGINT NOT NULL,
    -- Set when exchanged; a second use revokes the token made by the first.
    used_at BIGINT,
    token_id BIGINT
);
CREATE INDEX authorization_codes_application ON authorization_codes (application_id);
CREATE INDEX authorization_codes_account ON authorization_codes (account_id);

CREATE TABLE web_sessions (
    id INTEGER PRIMARY KEY NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    user_agent TEXT NOT NULL DEFAULT '',
    ip TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL
);
CREATE INDEX web_sessions_account ON web_sessions (account_id);

CREATE TABLE follows (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    show_reblogs BOOLEAN NOT NULL DEFAULT TRUE,
    notify BOOLEAN NOT NULL DEFAULT FALSE,
    -- Comma-separated ISO 639 codes; NULL means every language.
    languages TEXT,
    uri TEXT,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, target_account_id)
);
CREATE INDEX follows_target ON follows (target_account_id, id);
CREATE INDEX follows_account ON follows (account_id, id);

CREATE TABLE follow_requests (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    show_reblogs BOOLEAN NOT NULL DEFAULT TRUE,
    notify BOOLEAN NOT NULL DEFAULT FALSE,
    languages TEXT,
    uri TEXT,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, target_account_id)
);
CREATE INDEX follow_requests_target ON follow_requests (target_account_id, id);

CREATE TABLE blocks (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    uri TEXT,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, target_account_id)
);
CREATE INDEX blocks_target ON blocks (target_account_id);

CREATE TABLE mutes (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    hide_notifications BOOLEAN NOT NULL DEFAULT TRUE,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, target_account_id)
);
CREATE INDEX mutes_target ON mutes (target_account_id);

CREATE TABLE statuses (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    uri TEXT NOT NULL UNIQUE,
    url TEXT,
    -- As typed; empty for a reblog.
    text TEXT NOT NULL DEFAULT '',
    -- Sanitised HTML, rendered from the text when it was written.
    content TEXT NOT NULL DEFAULT '',
    spoiler_text TEXT NOT NULL DEFAULT '',
    -- 0 public, 1 unlisted, 2 private, 3 direct
    visibility SMALLINT NOT NULL,
    sensitive BOOLEAN NOT NULL DEFAULT FALSE,
    language TEXT,
    -- No foreign keys, because a reply outlives its parent.
    in_reply_to_id BIGINT,
    in_reply_to_account_id BIGINT,
    -- The id of the first status of the thread.
    conversation_id BIGINT NOT NULL,
    reblog_of_id BIGINT REFERENCES statuses (id) ON DELETE CASCADE,
    application_id BIGINT REFERENCES applications (id) ON DELETE SET NULL,
    version BIGINT NOT NULL DEFAULT 0,
    edited_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX statuses_account ON statuses (account_id, id);
CREATE INDEX statuses_reply ON statuses (in_reply_to_id, id);
CREATE INDEX statuses_conversation ON statuses (conversation_id, id);
CREATE INDEX statuses_application ON statuses (application_id);
CREATE UNIQUE INDEX statuses_reblog ON statuses (reblog_of_id, account_id) WHERE reblog_of_id IS NOT NULL;
-- Index of the public timelines: statuses without reblogs.
CREATE INDEX statuses_public ON statuses (id) WHERE visibility = 0 AND reblog_of_id IS NULL;

CREATE TABLE status_stats (
    status_id INTEGER PRIMARY KEY NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    replies_count BIGINT NOT NULL DEFAULT 0,
    reblogs_count BIGINT NOT NULL DEFAULT 0,
    favourites_count BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE mentions (
    status_id BIGINT NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    PRIMARY KEY (status_id, account_id)
);
CREATE INDEX mentions_account ON mentions (account_id, status_id);

CREATE TABLE tags (
    id INTEGER PRIMARY KEY NOT NULL,
    -- Folded by the hashtag rule (crate `text`).
    name TEXT NOT NULL UNIQUE,
    -- Spelling at the first use.
    display_name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE statuses_tags (
    tag_id BIGINT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    status_id BIGINT NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    PRIMARY KEY (tag_id, status_id)
);
CREATE INDEX statuses_tags_status ON statuses_tags (status_id);

CREATE TABLE favourites (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    status_id BIGINT NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, status_id)
);
CREATE INDEX favourites_status ON favourites (status_id, id);
CREATE INDEX favourites_account ON favourites (account_id, id);

CREATE TABLE bookmarks (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    status_id BIGINT NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, status_id)
);
CREATE INDEX bookmarks_status ON bookmarks (status_id);
CREATE INDEX bookmarks_account ON bookmarks (account_id, id);

CREATE TABLE idempotency_keys (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    status_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

CREATE TABLE notifications (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    from_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    status_id BIGINT REFERENCES statuses (id) ON DELETE CASCADE,
    -- The status id of the notification, or 0. Makes duplicates impossible.
    subject_id BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, kind, from_account_id, subject_id)
);
CREATE INDEX notifications_account ON notifications (account_id, id);
CREATE INDEX notifications_status ON notifications (status_id);
CREATE INDEX notifications_from ON notifications (from_account_id);

CREATE TABLE markers (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    timeline TEXT NOT NULL,
    last_read_id BIGINT NOT NULL,
    version BIGINT NOT NULL DEFAULT 1,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, timeline)
);

CREATE TABLE rules (
    id INTEGER PRIMARY KEY NOT NULL,
    position INTEGER NOT NULL DEFAULT 0,
    text TEXT NOT NULL,
    hint TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL
);

CREATE TABLE settings (
    key TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Secrets of the instance (web push signing key, hash of the set-up link). Never listed.
CREATE TABLE instance_secrets (
    name TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE events (
    id INTEGER PRIMARY KEY NOT NULL,
    -- Without gaps, assigned by the relay after commit. NULL until then.
    position BIGINT UNIQUE,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX events_waiting ON events (id) WHERE position IS NULL;

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    run_at BIGINT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- End of the lease. An expired lease belongs to a worker that died.
    locked_until BIGINT,
    last_error TEXT,
    -- Set when the attempts are used up. The row stays for the operator.
    dead_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX jobs_due ON jobs (run_at) WHERE dead_at IS NULL;

-- Leases of the nodes: each node is a part of the per-millisecond id sequence of one process.
CREATE TABLE id_nodes (
    node INTEGER PRIMARY KEY NOT NULL,
    holder TEXT NOT NULL,
    leased_until BIGINT NOT NULL
);

INSERT INTO roles (id, name, color, permissions, position, highlighted, created_at) VALUES
    (1, 'Moderator', '', 1308, 10, TRUE, 0),
    (2, 'Admin', '', 1048572, 100, TRUE, 0),
    (3, 'Owner', '', 1, 1000, TRUE, 0);
