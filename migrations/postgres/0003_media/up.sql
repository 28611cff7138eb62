-- First frames of animated pictures. NULL for still pictures.
ALTER TABLE accounts ADD COLUMN avatar_still_file TEXT;
ALTER TABLE accounts ADD COLUMN header_still_file TEXT;
-- Descriptions of the pictures.
ALTER TABLE accounts ADD COLUMN avatar_description TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN header_description TEXT NOT NULL DEFAULT '';

CREATE TABLE custom_emojis (
    id BIGINT PRIMARY KEY NOT NULL,
    -- Without the colons. Case-sensitive.
    shortcode TEXT NOT NULL,
    -- NULL for emojis of this server.
    domain TEXT,
    category TEXT,
    file TEXT NOT NULL,
    still_file TEXT,
    visible_in_picker BOOLEAN NOT NULL DEFAULT TRUE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
-- COALESCE because both engines treat NULLs as distinct.
CREATE UNIQUE INDEX custom_emojis_shortcode ON custom_emojis (shortcode, COALESCE(domain, ''));
