ALTER TABLE scheduled_statuses ADD COLUMN text TEXT NOT NULL DEFAULT '';
ALTER TABLE scheduled_statuses ADD COLUMN spoiler_text TEXT NOT NULL DEFAULT '';
ALTER TABLE scheduled_statuses ADD COLUMN content_type SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE scheduled_statuses ADD COLUMN visibility SMALLINT NOT NULL DEFAULT 3;
ALTER TABLE scheduled_statuses ADD COLUMN sensitive BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE scheduled_statuses ADD COLUMN language TEXT;
ALTER TABLE scheduled_statuses ADD COLUMN in_reply_to_id BIGINT;
ALTER TABLE scheduled_statuses ADD COLUMN poll TEXT;
ALTER TABLE scheduled_statuses ADD COLUMN allowed_mentions TEXT;
UPDATE scheduled_statuses SET
    text = json_extract(draft, '$.text'),
    spoiler_text = json_extract(draft, '$.spoiler_text'),
    content_type = json_extract(draft, '$.content_type'),
    visibility = json_extract(draft, '$.visibility'),
    sensitive = json_extract(draft, '$.sensitive'),
    language = json_extract(draft, '$.language'),
    in_reply_to_id = CAST(json_extract(draft, '$.in_reply_to_id') AS INTEGER),
    poll = json_extract(draft, '$.poll'),
    allowed_mentions = json_extract(draft, '$.allowed_mentions');
ALTER TABLE scheduled_statuses DROP COLUMN draft;
