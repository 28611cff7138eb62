-- Terms of the full-text search for statuses. The rowid is the id of the status. The crate `text`
-- splits and folds the terms, so the tokenizer only separates them at spaces. A job indexes the
-- statuses that exist already; see docs/decisions/0035-status-search.md.
CREATE VIRTUAL TABLE status_terms USING fts5 (
    terms,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = "ascii tokenchars '='"
);
CREATE TRIGGER statuses_delete_terms AFTER DELETE ON statuses WHEN OLD.reblog_of_id IS NULL BEGIN
    DELETE FROM status_terms WHERE rowid = OLD.id;
END;

-- The statuses that an account reblogged.
CREATE INDEX statuses_reblogger ON statuses (account_id, reblog_of_id) WHERE reblog_of_id IS NOT NULL;
