-- Second factors of users: the secret that an authenticator app shares with this server.
CREATE TABLE second_factors (
    account_id INTEGER PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Encrypted; see docs/decisions/0048-second-factor.md.
    sealed_secret TEXT NOT NULL,
    -- Number of the last time step with a used code (RFC 6238). Codes up to it are not accepted.
    last_step BIGINT NOT NULL,
    enabled_at BIGINT NOT NULL,
    -- Time of the last email about wrong codes.
    warned_at BIGINT
);

-- Codes for people who lost their authenticator app. Each is deleted when it is used.
CREATE TABLE recovery_codes (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    PRIMARY KEY (account_id, code_hash)
);

-- Sign-ins between the password and the code. The secret is in a cookie of the browser.
CREATE TABLE pending_sign_ins (
    token_hash TEXT PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Number of codes that were tried.
    tries BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX pending_sign_ins_account ON pending_sign_ins (account_id);
CREATE INDEX pending_sign_ins_expires ON pending_sign_ins (expires_at);
