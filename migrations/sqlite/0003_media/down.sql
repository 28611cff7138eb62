DROP TABLE custom_emojis;
ALTER TABLE accounts DROP COLUMN header_description;
ALTER TABLE accounts DROP COLUMN avatar_description;
ALTER TABLE accounts DROP COLUMN header_still_file;
ALTER TABLE accounts DROP COLUMN avatar_still_file;
