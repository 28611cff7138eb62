-- Lists of followed accounts, and followed hashtags.

CREATE TABLE lists (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    -- Replies that it shows: 0 to followed accounts, 1 to members, 2 none.
    replies_policy SMALLINT NOT NULL,
    -- Whether home leaves out the statuses of its members.
    exclusive BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX lists_account ON lists (account_id, id);

-- Members of lists. A membership lasts as long as the owner of the list follows the member.
CREATE TABLE list_accounts (
    id INTEGER PRIMARY KEY NOT NULL,
    list_id BIGINT NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    follow_id BIGINT NOT NULL REFERENCES follows (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    UNIQUE (list_id, account_id)
);
CREATE INDEX list_accounts_list ON list_accounts (list_id, id);
CREATE INDEX list_accounts_account ON list_accounts (account_id);
CREATE INDEX list_accounts_follow ON list_accounts (follow_id);

CREATE TABLE tag_follows (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, tag_id)
);
CREATE INDEX tag_follows_account ON tag_follows (account_id, id);
CREATE INDEX tag_follows_tag ON tag_follows (tag_id);
