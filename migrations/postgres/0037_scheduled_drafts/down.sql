ALTER TABLE scheduled_statuses
    ADD COLUMN text TEXT,
    ADD COLUMN spoiler_text TEXT,
    ADD COLUMN content_type SMALLINT,
    ADD COLUMN visibility SMALLINT,
    ADD COLUMN sensitive BOOLEAN,
    ADD COLUMN language TEXT,
    ADD COLUMN in_reply_to_id BIGINT,
    ADD COLUMN poll TEXT,
    ADD COLUMN allowed_mentions TEXT;
UPDATE scheduled_statuses SET
    text = draft::json ->> 'text',
    spoiler_text = draft::json ->> 'spoiler_text',
    content_type = (draft::json ->> 'content_type')::smallint,
    visibility = (draft::json ->> 'visibility')::smallint,
    sensitive = (draft::json ->> 'sensitive')::boolean,
    language = draft::json ->> 'language',
    in_reply_to_id = (draft::json ->> 'in_reply_to_id')::bigint,
    poll = draft::json ->> 'poll',
    allowed_mentions = draft::json ->> 'allowed_mentions';
ALTER TABLE scheduled_statuses
    ALTER COLUMN text SET NOT NULL,
    ALTER COLUMN spoiler_text SET NOT NULL,
    ALTER COLUMN content_type SET NOT NULL,
    ALTER COLUMN visibility SET NOT NULL,
    ALTER COLUMN sensitive SET NOT NULL,
    DROP COLUMN draft;
