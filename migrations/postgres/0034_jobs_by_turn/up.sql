-- A worker claims the due job with the earliest turn. It walks this index from there and stops at
-- the first job that can start, however many jobs are due. A turn is never earlier than `run_at`.
DROP INDEX jobs_due;
CREATE INDEX jobs_turns ON jobs (turn_at, id) WHERE dead_at IS NULL;
