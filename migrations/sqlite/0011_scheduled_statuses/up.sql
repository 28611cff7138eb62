-- Statuses to be published later. A row is deleted when its status is published.
CREATE TABLE scheduled_statuses (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Time of publication. In the past if publishing failed.
    scheduled_at BIGINT NOT NULL,
    -- As typed.
    text TEXT NOT NULL,
    spoiler_text TEXT NOT NULL,
    -- Chosen by the author, or the author's defaults at the time of writing, as in statuses.
    content_type SMALLINT NOT NULL,
    visibility SMALLINT NOT NULL,
    sensitive BOOLEAN NOT NULL,
    language TEXT,
    -- No foreign key, because the row outlives its parent status.
    in_reply_to_id BIGINT,
    application_id BIGINT REFERENCES applications (id) ON DELETE SET NULL,
    -- The poll as JSON. Null if there is none.
    poll TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX scheduled_statuses_account ON scheduled_statuses (account_id, id);
CREATE INDEX scheduled_statuses_time ON scheduled_statuses (account_id, scheduled_at);
CREATE INDEX scheduled_statuses_application ON scheduled_statuses (application_id);

-- Scheduled status that holds an attachment. No other status can use it meanwhile.
ALTER TABLE media_attachments
    ADD COLUMN scheduled_status_id BIGINT REFERENCES scheduled_statuses (id) ON DELETE SET NULL;
CREATE INDEX media_attachments_scheduled ON media_attachments (scheduled_status_id, position)
    WHERE scheduled_status_id IS NOT NULL;
DROP INDEX media_attachments_unattached;
CREATE INDEX media_attachments_unattached ON media_attachments (unattached_at, id)
    WHERE status_id IS NULL AND scheduled_status_id IS NULL;
