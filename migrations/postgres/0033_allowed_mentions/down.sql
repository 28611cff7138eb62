ALTER TABLE scheduled_statuses DROP COLUMN allowed_mentions;
