-- What somebody wrote to be published at a time of its own. The row goes when that has happened.
CREATE TABLE scheduled_statuses (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- When it is to be published; past where it could not be.
    scheduled_at BIGINT NOT NULL,
    -- As typed.
    text TEXT NOT NULL,
    spoiler_text TEXT NOT NULL,
    -- What its author chose when it was written, or always chose then, as in statuses.
    content_type SMALLINT NOT NULL,
    visibility SMALLINT NOT NULL,
    sensitive BOOLEAN NOT NULL,
    language TEXT,
    -- No foreign key: it outlives what it replies to.
    in_reply_to_id BIGINT,
    application_id BIGINT REFERENCES applications (id) ON DELETE SET NULL,
    -- What it asks, as JSON; null where it has no poll.
    poll TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX scheduled_statuses_account ON scheduled_statuses (account_id, id);
CREATE INDEX scheduled_statuses_time ON scheduled_statuses (account_id, scheduled_at);
CREATE INDEX scheduled_statuses_application ON scheduled_statuses (application_id);

-- What holds an attachment that belongs to no status yet: nobody else takes it meanwhile.
ALTER TABLE media_attachments
    ADD COLUMN scheduled_status_id BIGINT REFERENCES scheduled_statuses (id) ON DELETE SET NULL;
CREATE INDEX media_attachments_scheduled ON media_attachments (scheduled_status_id, position)
    WHERE scheduled_status_id IS NOT NULL;
DROP INDEX media_attachments_unattached;
CREATE INDEX media_attachments_unattached ON media_attachments (unattached_at, id)
    WHERE status_id IS NULL AND scheduled_status_id IS NULL;
