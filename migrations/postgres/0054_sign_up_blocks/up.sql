-- Email domains that no new account may use. A domain includes its subdomains.
CREATE TABLE email_domain_blocks (
    id BIGINT PRIMARY KEY NOT NULL,
    -- In lower-case ASCII (punycode), without a port.
    domain TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

-- Sign-ups that an email domain block refused, by day. Rows of deleted blocks stay until they
-- expire.
CREATE TABLE email_domain_block_days (
    block_id BIGINT NOT NULL,
    -- The midnight (UTC) that begins the day.
    day BIGINT NOT NULL,
    -- Number of different networks that the sign-ups came from.
    accounts BIGINT NOT NULL,
    uses BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (block_id, day)
);
CREATE INDEX email_domain_block_days_expires_at ON email_domain_block_days (expires_at);

-- The networks that were counted on a day, as hashes, so that each counts once.
CREATE TABLE email_domain_block_sources (
    block_id BIGINT NOT NULL,
    day BIGINT NOT NULL,
    source_hash TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (block_id, day, source_hash)
);
CREATE INDEX email_domain_block_sources_expires_at ON email_domain_block_sources (expires_at);

-- Email addresses that no new account may use, in any spelling that reaches the same mailbox.
CREATE TABLE canonical_email_blocks (
    id BIGINT PRIMARY KEY NOT NULL,
    -- SHA-256 of the canonical address, in lower-case hexadecimal digits.
    canonical_email_hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

-- Networks of clients with restrictions.
CREATE TABLE ip_blocks (
    id BIGINT PRIMARY KEY NOT NULL,
    -- The first address and the number of its bits that count: "192.0.2.0/24".
    network TEXT NOT NULL UNIQUE,
    -- sign_up_requires_approval | sign_up_block | no_access
    severity TEXT NOT NULL,
    comment TEXT NOT NULL,
    -- Null if it never expires. An expired block has no effect, but is still listed.
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX ip_blocks_severity ON ip_blocks (severity, id);

-- Links by which users let others sign up.
CREATE TABLE invites (
    id BIGINT PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    code TEXT NOT NULL UNIQUE,
    -- Null if any number of people may use it.
    max_uses BIGINT,
    uses BIGINT NOT NULL DEFAULT 0,
    -- Null if it never expires.
    expires_at BIGINT,
    -- Whether new accounts follow the account that invited them.
    autofollow BOOLEAN NOT NULL,
    comment TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX invites_account ON invites (account_id, id);

-- The account that invited the user. It may have been deleted since.
ALTER TABLE users ADD COLUMN invited_by_account_id BIGINT;
CREATE INDEX users_invited_by ON users (invited_by_account_id, account_id)
    WHERE invited_by_account_id IS NOT NULL;
-- Whether the account will follow the one that invited it, as soon as it is admitted.
ALTER TABLE users ADD COLUMN follows_inviter BOOLEAN NOT NULL DEFAULT FALSE;
