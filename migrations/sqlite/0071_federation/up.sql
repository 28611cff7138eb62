-- Keys of local actors. They sign what is sent to other servers.
CREATE TABLE account_keys (
    id INTEGER PRIMARY KEY NOT NULL,
    -- NULL: the actor of the whole server.
    account_id BIGINT REFERENCES accounts (id) ON DELETE CASCADE,
    -- rsa | ed25519
    kind TEXT NOT NULL,
    -- An RSA key as PEM, an Ed25519 key as Multibase.
    public TEXT NOT NULL,
    -- PEM, encrypted.
    private TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Time at which another key replaced it; NULL for the present key.
    ended_at BIGINT
);
CREATE INDEX account_keys_account ON account_keys (account_id);
-- One present key of each kind. COALESCE because both engines treat NULLs as distinct.
CREATE UNIQUE INDEX account_keys_present ON account_keys (COALESCE(account_id, 0), kind)
WHERE ended_at IS NULL;

-- Addresses of deleted local accounts, and of deleted public and unlisted statuses. Rows stay for
-- ever, so they are short.
CREATE TABLE tombstones (
    -- First 16 bytes of the SHA-256 of the address.
    uri_key BLOB PRIMARY KEY NOT NULL,
    -- Type of the document before: Person, Service, Note or Question.
    former_type TEXT NOT NULL,
    deleted_at BIGINT NOT NULL
) WITHOUT ROWID;

-- Nothing used them.
ALTER TABLE accounts DROP COLUMN public_key;
ALTER TABLE accounts DROP COLUMN private_key;
