-- What will be published, as one JSON text, so that a new field of a status needs no column here.
-- Numbers mean the same as in statuses. persistence/src/statuses/draft.rs writes and reads it.
ALTER TABLE scheduled_statuses ADD COLUMN draft TEXT;
UPDATE scheduled_statuses SET draft = json_build_object(
    'text', text,
    'spoiler_text', spoiler_text,
    'content_type', content_type,
    'visibility', visibility,
    'sensitive', sensitive,
    'language', language,
    'in_reply_to_id', in_reply_to_id::text,
    'poll', poll::json,
    'allowed_mentions', allowed_mentions::json
)::text;
ALTER TABLE scheduled_statuses
    ALTER COLUMN draft SET NOT NULL,
    DROP COLUMN text,
    DROP COLUMN spoiler_text,
    DROP COLUMN content_type,
    DROP COLUMN visibility,
    DROP COLUMN sensitive,
    DROP COLUMN language,
    DROP COLUMN in_reply_to_id,
    DROP COLUMN poll,
    DROP COLUMN allowed_mentions;
