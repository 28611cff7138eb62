-- Blocks and allows of other servers by staff, and the accounts that the blocks limit.

-- A block of a domain and its subdomains. Several may cover a domain; then the longest one rules.
CREATE TABLE instance_domain_blocks (
    id INTEGER PRIMARY KEY NOT NULL,
    domain TEXT NOT NULL UNIQUE,
    -- SHA-256 of the domain in hexadecimal digits.
    digest TEXT NOT NULL,
    -- A number of entities::DomainSeverity.
    severity SMALLINT NOT NULL,
    reject_media BOOLEAN NOT NULL,
    reject_reports BOOLEAN NOT NULL,
    private_comment TEXT,
    public_comment TEXT,
    obfuscate BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX instance_domain_blocks_severity ON instance_domain_blocks (severity, domain);

CREATE TABLE instance_domain_allows (
    id INTEGER PRIMARY KEY NOT NULL,
    domain TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

-- Accounts that a domain block limits. While there is a row, `accounts.suspended_at` and
-- `accounts.silenced_at` combine it with what staff decided about the account itself. When it goes,
-- they get the latter back.
CREATE TABLE domain_limits (
    account_id INTEGER PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Severity of the block that rules the domain of the account.
    severity SMALLINT NOT NULL,
    limited_at BIGINT NOT NULL,
    -- What staff decided about the account itself.
    own_suspended_at BIGINT,
    own_silenced_at BIGINT
);
