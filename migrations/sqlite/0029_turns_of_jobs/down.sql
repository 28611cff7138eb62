DROP INDEX jobs_owner;
DROP INDEX jobs_host;
ALTER TABLE jobs DROP COLUMN turn_at;
ALTER TABLE jobs DROP COLUMN host;
ALTER TABLE jobs DROP COLUMN owner_id;
