DROP INDEX jobs_turns;
CREATE INDEX jobs_due ON jobs (run_at) WHERE dead_at IS NULL;
