-- Logins at external providers by which users sign in. An account has at most one at each provider.
CREATE TABLE external_identities (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Identifier of the provider, to which the subject belongs. The name of the provider in the
    -- configuration may change.
    issuer TEXT NOT NULL,
    -- Identifier of the person at the provider.
    subject TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, issuer)
);
CREATE UNIQUE INDEX external_identities_subject ON external_identities (issuer, subject);
