ALTER TABLE users DROP COLUMN default_content_type;
ALTER TABLE statuses DROP COLUMN content_type;
