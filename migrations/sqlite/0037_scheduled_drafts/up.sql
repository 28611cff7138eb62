-- What will be published, as one JSON text, so that a new field of a status needs no column here.
-- Numbers mean the same as in statuses. persistence/src/statuses/draft.rs writes and reads it.
-- Its default is never used: SQLite requires one for a new column.
ALTER TABLE scheduled_statuses ADD COLUMN draft TEXT NOT NULL DEFAULT '';
UPDATE scheduled_statuses SET draft = json_object(
    'text', text,
    'spoiler_text', spoiler_text,
    'content_type', content_type,
    'visibility', visibility,
    'sensitive', json(CASE WHEN sensitive THEN 'true' ELSE 'false' END),
    'language', language,
    'in_reply_to_id', CAST(in_reply_to_id AS TEXT),
    'poll', json(poll),
    'allowed_mentions', json(allowed_mentions)
);
ALTER TABLE scheduled_statuses DROP COLUMN text;
ALTER TABLE scheduled_statuses DROP COLUMN spoiler_text;
ALTER TABLE scheduled_statuses DROP COLUMN content_type;
ALTER TABLE scheduled_statuses DROP COLUMN visibility;
ALTER TABLE scheduled_statuses DROP COLUMN sensitive;
ALTER TABLE scheduled_statuses DROP COLUMN language;
ALTER TABLE scheduled_statuses DROP COLUMN in_reply_to_id;
ALTER TABLE scheduled_statuses DROP COLUMN poll;
ALTER TABLE scheduled_statuses DROP COLUMN allowed_mentions;
