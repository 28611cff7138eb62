-- Hashtags on profiles, and what people say to each other directly.

CREATE TABLE featured_tags (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    -- The account's public and unlisted statuses with the hashtag, and when the latest was written.
    statuses_count BIGINT NOT NULL,
    last_status_at BIGINT,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, tag_id)
);
CREATE INDEX featured_tags_tag ON featured_tags (tag_id);

-- What one local account and the same others said to each other directly in one thread.
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- As in statuses.conversation_id.
    thread_id BIGINT NOT NULL,
    -- The ids of the others, ascending, with commas between them.
    participants TEXT NOT NULL,
    -- The newest of its statuses.
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
