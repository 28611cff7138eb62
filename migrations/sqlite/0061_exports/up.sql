-- Exports of the statuses of accounts, and sessions of people who may not act.

-- Whether the session began while its user was disabled or suspended. It reaches only a few pages,
-- also after the restriction.
ALTER TABLE web_sessions ADD COLUMN restricted BOOLEAN NOT NULL DEFAULT FALSE;

-- Files with all statuses of an account, which a job writes in parts.
CREATE TABLE exports (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- The last status that was written; 0 for none.
    last_status_id BIGINT NOT NULL,
    -- Number of statuses and bytes that were written so far.
    statuses BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    -- Time at which all was written.
    completed_at BIGINT,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX exports_account ON exports (account_id, id);
CREATE INDEX exports_expiry ON exports (expires_at);

CREATE TABLE export_parts (
    export_id BIGINT NOT NULL REFERENCES exports (id) ON DELETE CASCADE,
    -- The last status of the part, which orders the parts.
    last_status_id BIGINT NOT NULL,
    file TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (export_id, last_status_id)
);
CREATE INDEX export_parts_file ON export_parts (file);
