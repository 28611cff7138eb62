-- Featured hashtags of profiles, and direct conversations.

CREATE TABLE featured_tags (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    -- Number of the account's public and unlisted statuses with the hashtag, and time of the
    -- latest.
    statuses_count BIGINT NOT NULL,
    last_status_at BIGINT,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, tag_id)
);
CREATE INDEX featured_tags_tag ON featured_tags (tag_id);

-- Direct conversation of one local account with the same others in one thread.
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- As in statuses.conversation_id.
    thread_id BIGINT NOT NULL,
    -- Ids of the other participants, ascending, separated by commas.
    participants TEXT NOT NULL,
    -- Id of its newest status.
    last_status_id BIGINT NOT NULL,
    unread BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, thread_id, participants)
);
CREATE INDEX conversations_account ON conversations (account_id, last_status_id);

CREATE TABLE conversation_statuses (
    conversation_id BIGINT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    status_id BIGINT NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    PRIMARY KEY (conversation_id, status_id)
);
CREATE INDEX conversation_statuses_status ON conversation_statuses (status_id);
