-- What accounts do to each other beside follows, blocks and mutes.

-- The servers whose accounts a local account does not want to see.
CREATE TABLE account_domain_blocks (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- As in accounts.domain.
    domain TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, domain)
);
CREATE INDEX account_domain_blocks_account ON account_domain_blocks (account_id, id);

-- Whom an account shows on its profile; each goes together with a follow.
CREATE TABLE endorsements (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, target_account_id)
);
CREATE INDEX endorsements_account ON endorsements (account_id, id);
CREATE INDEX endorsements_target ON endorsements (target_account_id);

-- What an account wrote about another for itself alone.
CREATE TABLE account_notes (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    comment TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, target_account_id)
);
CREATE INDEX account_notes_target ON account_notes (target_account_id);

-- What their lists walk.
CREATE INDEX blocks_account ON blocks (account_id, id);
CREATE INDEX mutes_account ON mutes (account_id, id);
-- What lifts mutes whose time is over.
CREATE INDEX mutes_expiry ON mutes (expires_at) WHERE expires_at IS NOT NULL;
