-- Previous versions of edited statuses. The present version is in statuses.
CREATE TABLE status_edits (
    status_id BIGINT NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    -- Value of statuses.version.
    version BIGINT NOT NULL,
    text TEXT NOT NULL,
    content TEXT NOT NULL,
    spoiler_text TEXT NOT NULL,
    sensitive BOOLEAN NOT NULL,
    -- Options of the poll as a JSON array of texts. Null if the version had no poll.
    poll_options TEXT,
    -- Time at which this version was written.
    created_at BIGINT NOT NULL,
    PRIMARY KEY (status_id, version)
);

-- Silent mentions: accounts that an earlier version mentioned and the present one does not. They
-- can still see the status, but are not shown as mentioned.
ALTER TABLE mentions ADD COLUMN silent BOOLEAN NOT NULL DEFAULT FALSE;
