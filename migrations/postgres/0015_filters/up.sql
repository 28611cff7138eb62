-- Filters of accounts, with the contexts in which they apply.
CREATE TABLE filters (
    id BIGINT PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    -- One bit for each context in which it applies.
    contexts SMALLINT NOT NULL,
    action SMALLINT NOT NULL,
    -- Time at which it expires. Null if never.
    expires_at BIGINT
);
CREATE INDEX filters_account ON filters (account_id, id);

CREATE TABLE filter_keywords (
    id BIGINT PRIMARY KEY NOT NULL,
    filter_id BIGINT NOT NULL REFERENCES filters (id) ON DELETE CASCADE,
    -- As typed.
    keyword TEXT NOT NULL,
    whole_word BOOLEAN NOT NULL
);
CREATE INDEX filter_keywords_filter ON filter_keywords (filter_id, id);

CREATE TABLE filter_statuses (
    id BIGINT PRIMARY KEY NOT NULL,
    filter_id BIGINT NOT NULL REFERENCES filters (id) ON DELETE CASCADE,
    status_id BIGINT NOT NULL REFERENCES statuses (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX filter_statuses_once ON filter_statuses (filter_id, status_id);
CREATE INDEX filter_statuses_status ON filter_statuses (status_id);
