-- What an edit replaced: one row for each version of a status but the one it has now.
CREATE TABLE status_edits (
    status_id BIGINT NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    -- As it stood in statuses.version.
    version BIGINT NOT NULL,
    text TEXT NOT NULL,
    content TEXT NOT NULL,
    spoiler_text TEXT NOT NULL,
    sensitive BOOLEAN NOT NULL,
    -- The options of its poll as a JSON array of texts; null where it had none.
    poll_options TEXT,
    -- When this version was written.
    created_at BIGINT NOT NULL,
    PRIMARY KEY (status_id, version)
);

-- Whom an earlier version named and the present one does not: they go on seeing the status, and
-- are not shown among those whom it names.
ALTER TABLE mentions ADD COLUMN silent BOOLEAN NOT NULL DEFAULT FALSE;
