-- Indexes by age for the rows that upkeep deletes.
CREATE INDEX events_created ON events (created_at);
CREATE INDEX authorization_codes_expires ON authorization_codes (expires_at);
CREATE INDEX web_sessions_last_used ON web_sessions (last_used_at);
CREATE INDEX jobs_dead ON jobs (dead_at) WHERE dead_at IS NOT NULL;
CREATE INDEX users_unconfirmed ON users (confirmed_at, account_id) WHERE confirmed_at IS NULL;

-- Indexes for the query whether a row refers to a file.
CREATE INDEX accounts_avatar_file ON accounts (avatar_file) WHERE avatar_file IS NOT NULL;
CREATE INDEX accounts_avatar_still_file ON accounts (avatar_still_file)
    WHERE avatar_still_file IS NOT NULL;
CREATE INDEX accounts_header_file ON accounts (header_file) WHERE header_file IS NOT NULL;
CREATE INDEX accounts_header_still_file ON accounts (header_still_file)
    WHERE header_still_file IS NOT NULL;
CREATE INDEX custom_emojis_file ON custom_emojis (file) WHERE file IS NOT NULL;
CREATE INDEX custom_emojis_still_file ON custom_emojis (still_file) WHERE still_file IS NOT NULL;
CREATE INDEX media_attachments_file ON media_attachments (file) WHERE file IS NOT NULL;
CREATE INDEX media_attachments_preview_file ON media_attachments (preview_file)
    WHERE preview_file IS NOT NULL;
CREATE INDEX media_attachments_source_file ON media_attachments (source_file)
    WHERE source_file IS NOT NULL;
CREATE INDEX preview_cards_image_file ON preview_cards (image_file) WHERE image_file IS NOT NULL;
