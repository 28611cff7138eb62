-- What people attach to statuses. The upload comes first, the status later, if ever.
CREATE TABLE media_attachments (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    status_id BIGINT REFERENCES statuses (id) ON DELETE SET NULL,
    -- Its place among the attachments of the status.
    position SMALLINT NOT NULL DEFAULT 0,
    -- 0 unknown, 1 image, 2 gifv, 3 video, 4 audio
    kind SMALLINT NOT NULL,
    -- 0 is being worked on, 1 is ready, 2 cannot be used
    stage SMALLINT NOT NULL DEFAULT 0,
    -- Why it cannot be used.
    failure TEXT NOT NULL DEFAULT '',
    -- The upload as it came, until it has been worked on.
    source_file TEXT,
    file TEXT,
    preview_file TEXT,
    description TEXT NOT NULL DEFAULT '',
    -- Millionths, from -1000000 to 1000000.
    focus_x INTEGER,
    focus_y INTEGER,
    blurhash TEXT,
    -- JSON: what was measured.
    meta TEXT NOT NULL DEFAULT '{}',
    -- Since when it has belonged to no status, or would belong to none if it were taken away.
    unattached_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX media_attachments_status ON media_attachments (status_id, position)
    WHERE status_id IS NOT NULL;
CREATE INDEX media_attachments_account ON media_attachments (account_id, id);
CREATE INDEX media_attachments_unattached ON media_attachments (unattached_at, id)
    WHERE status_id IS NULL;
