-- The first frames of pictures that move; NULL where the picture itself stands still.
ALTER TABLE accounts ADD COLUMN avatar_still_file TEXT;
ALTER TABLE accounts ADD COLUMN header_still_file TEXT;
-- What the pictures show, in words.
ALTER TABLE accounts ADD COLUMN avatar_description TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN header_description TEXT NOT NULL DEFAULT '';

CREATE TABLE custom_emojis (
    id INTEGER PRIMARY KEY NOT NULL,
    -- Without the colons; upper and lower case are two names.
    shortcode TEXT NOT NULL,
    -- NULL for those of this server.
    domain TEXT,
    category TEXT,
    file TEXT NOT NULL,
    still_file TEXT,
    visible_in_picker BOOLEAN NOT NULL DEFAULT TRUE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
-- COALESCE: both engines hold NULLs to be distinct.
CREATE UNIQUE INDEX custom_emojis_shortcode ON custom_emojis (shortcode, COALESCE(domain, ''));
