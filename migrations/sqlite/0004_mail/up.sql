-- Single-use links in emails. Their secrets are stored as hashes, like those of tokens.
CREATE TABLE mailed_links (
    token_hash TEXT PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- confirmation | password | email
    purpose TEXT NOT NULL,
    -- Recipient address of the email.
    email TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX mailed_links_account ON mailed_links (account_id);
CREATE INDEX mailed_links_expires ON mailed_links (expires_at);
