-- Relationships between accounts besides follows, blocks and mutes.

-- Domain blocks of local accounts.
CREATE TABLE account_domain_blocks (
    id BIGINT PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- As in accounts.domain.
    domain TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, domain)
);
CREATE INDEX account_domain_blocks_account ON account_domain_blocks (account_id, id);

-- Accounts that an account endorses on its profile. Each endorsement requires a follow.
CREATE TABLE endorsements (
    id BIGINT PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, target_account_id)
);
CREATE INDEX endorsements_account ON endorsements (account_id, id);
CREATE INDEX endorsements_target ON endorsements (target_account_id);

-- Private notes of an account about other accounts.
CREATE TABLE account_notes (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    comment TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, target_account_id)
);
CREATE INDEX account_notes_target ON account_notes (target_account_id);

-- Indexes of the lists of blocks and mutes.
CREATE INDEX blocks_account ON blocks (account_id, id);
CREATE INDEX mutes_account ON mutes (account_id, id);
-- Index for deleting expired mutes.
CREATE INDEX mutes_expiry ON mutes (expires_at) WHERE expires_at IS NOT NULL;
