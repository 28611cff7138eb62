-- Jobs that wait for remote servers or need much processor time take turns between accounts, and
-- between remote hosts. Other jobs have neither owner nor host.
ALTER TABLE jobs ADD COLUMN owner_id BIGINT;
ALTER TABLE jobs ADD COLUMN host TEXT;
-- Due jobs run in this order. It is `run_at`, plus a delay for each waiting job of the same owner
-- or host.
ALTER TABLE jobs ADD COLUMN turn_at BIGINT NOT NULL DEFAULT 0;
UPDATE jobs SET turn_at = run_at;

CREATE INDEX jobs_owner ON jobs (owner_id, kind) WHERE owner_id IS NOT NULL;
CREATE INDEX jobs_host ON jobs (host) WHERE host IS NOT NULL;
