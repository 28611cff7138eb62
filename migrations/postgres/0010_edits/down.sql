ALTER TABLE mentions DROP COLUMN silent;
DROP TABLE status_edits;
