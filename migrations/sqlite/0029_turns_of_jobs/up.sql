-- Jobs that wait for other servers or occupy a processor take turns: between accounts, and between
-- the hosts that they ask. Other jobs have neither owner nor host.
ALTER TABLE jobs ADD COLUMN owner_id BIGINT;
ALTER TABLE jobs ADD COLUMN host TEXT;
-- Due jobs run in this order. It is `run_at`, and later the more jobs of the same owner or host wait.
ALTER TABLE jobs ADD COLUMN turn_at BIGINT NOT NULL DEFAULT 0;
UPDATE jobs SET turn_at = run_at;

CREATE INDEX jobs_owner ON jobs (owner_id, kind) WHERE owner_id IS NOT NULL;
CREATE INDEX jobs_host ON jobs (host) WHERE host IS NOT NULL;
