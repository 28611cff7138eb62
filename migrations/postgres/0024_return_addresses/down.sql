ALTER TABLE mailed_links DROP COLUMN return_to;
