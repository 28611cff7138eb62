-- Terms of the full-text search for statuses. The crate `text` splits and folds the terms, so no
-- text search configuration is involved. A job indexes the statuses that exist already; see
-- docs/decisions/0035-status-search.md.
CREATE TABLE status_terms (
    status_id BIGINT PRIMARY KEY NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    terms TSVECTOR NOT NULL
);
CREATE INDEX status_terms_terms ON status_terms USING gin (terms);

-- The statuses that an account reblogged.
CREATE INDEX statuses_reblogger ON statuses (account_id, reblog_of_id) WHERE reblog_of_id IS NOT NULL;

-- Search reads the names that begin with a text, as a range in byte order. SQLite has the index
-- already, because it compares texts so.
CREATE INDEX tags_name_bytes ON tags (name COLLATE "C");
