-- Archives of accounts, emails about new terms of service, and texts for warnings.

-- An export is a file with all statuses, or an archive of everything. The archive is written in
-- stages, each in steps.
-- A name of entities::ExportKind.
ALTER TABLE exports ADD COLUMN kind TEXT NOT NULL DEFAULT 'posts';
-- The number of the stage. The last row of the stage is in last_status_id.
ALTER TABLE exports ADD COLUMN stage SMALLINT NOT NULL DEFAULT 0;
-- Number of steps that were stored.
ALTER TABLE exports ADD COLUMN step BIGINT NOT NULL DEFAULT 0;
-- Number of bytes and of entries of the collection that is being written.
ALTER TABLE exports ADD COLUMN entry_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE exports ADD COLUMN entry_items BIGINT NOT NULL DEFAULT 0;

ALTER TABLE export_parts RENAME COLUMN last_status_id TO position;
-- Size and CRC-32 of the part before compression, for archives.
ALTER TABLE export_parts ADD COLUMN raw_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE export_parts ADD COLUMN checksum BIGINT NOT NULL DEFAULT 0;

-- Time at which staff let the users know of the version by email; null if they did not.
ALTER TABLE terms_of_service ADD COLUMN announced_at BIGINT;

-- Texts that staff use again in warnings.
CREATE TABLE warning_presets (
    id INTEGER PRIMARY KEY NOT NULL,
    -- For staff only; may be empty.
    title TEXT NOT NULL,
    -- What an account gets to read, as plain text.
    text TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
