-- Attachments of statuses. The upload comes first. The status follows later, if at all.
CREATE TABLE media_attachments (
    id BIGINT PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    status_id BIGINT REFERENCES statuses (id) ON DELETE SET NULL,
    -- Position among the attachments of the status.
    position SMALLINT NOT NULL DEFAULT 0,
    -- 0 unknown, 1 image, 2 gifv, 3 video, 4 audio
    kind SMALLINT NOT NULL,
    -- 0 waiting or in processing, 1 ready, 2 failed
    stage SMALLINT NOT NULL DEFAULT 0,
    -- Reason for the failure.
    failure TEXT NOT NULL DEFAULT '',
    -- The original upload, until it is processed.
    source_file TEXT,
    file TEXT,
    preview_file TEXT,
    description TEXT NOT NULL DEFAULT '',
    -- Millionths, from -1000000 to 1000000.
    focus_x INTEGER,
    focus_y INTEGER,
    blurhash TEXT,
    -- Measured metadata as JSON.
    meta TEXT NOT NULL DEFAULT '{}',
    -- Since when it has belonged to no status. For an attached one, the time before that.
    unattached_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX media_attachments_status ON media_attachments (status_id, position)
    WHERE status_id IS NOT NULL;
CREATE INDEX media_attachments_account ON media_attachments (account_id, id);
CREATE INDEX media_attachments_unattached ON media_attachments (unattached_at, id)
    WHERE status_id IS NULL;
