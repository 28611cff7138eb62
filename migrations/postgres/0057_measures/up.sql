-- What statistics for staff need and other tables do not tell.

-- Days on which users were active, as the midnight (UTC) that begins the day. A row is written with
-- the first recorded activity of the day, and kept for thirteen months.
CREATE TABLE active_days (
    day BIGINT NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    PRIMARY KEY (day, account_id)
);
CREATE INDEX active_days_account ON active_days (account_id, day);
INSERT INTO active_days (day, account_id)
SELECT last_active_at - last_active_at % 86400000, account_id FROM users
WHERE last_active_at IS NOT NULL;

-- Numbers of days that are over. They are counted once, because a request must not read the rows of
-- a whole year.
CREATE TABLE daily_counts (
    -- A name of entities::MeasureKey.
    key TEXT NOT NULL,
    -- The midnight (UTC) that begins the day.
    day BIGINT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (key, day)
);

-- The files in the storage, by the first byte of their names. The daily search for unreferenced
-- files lists them anyway, and writes their numbers and sizes here.
CREATE TABLE stored_files (
    prefix SMALLINT NOT NULL,
    -- A name of entities::usage::FileKind.
    kind TEXT NOT NULL,
    files BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    listed_at BIGINT NOT NULL,
    PRIMARY KEY (prefix, kind)
);

CREATE INDEX reports_resolved_at ON reports (action_taken_at) WHERE action_taken_at IS NOT NULL;
-- The list of dead letters.
CREATE INDEX jobs_dead_by_id ON jobs (id) WHERE dead_at IS NOT NULL;
