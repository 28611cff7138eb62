-- Names of deleted local accounts. No account can get one again unless the operator releases it.
CREATE TABLE retired_names (
    -- Folded for comparison.
    username_key TEXT PRIMARY KEY NOT NULL,
    retired_at BIGINT NOT NULL
);
