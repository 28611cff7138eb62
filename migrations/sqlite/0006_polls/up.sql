-- Polls of statuses.
CREATE TABLE polls (
    id INTEGER PRIMARY KEY NOT NULL,
    status_id BIGINT NOT NULL UNIQUE REFERENCES statuses (id) ON DELETE CASCADE,
    multiple BOOLEAN NOT NULL,
    hide_totals BOOLEAN NOT NULL,
    -- Null if the poll never ends.
    expires_at BIGINT,
    -- Time at which the end was processed. No vote is accepted after that, even if a clock is
    -- behind.
    closed_at BIGINT,
    -- Number of voters, each counted once. The number of votes is the sum over the options.
    voters_count BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);

CREATE TABLE poll_options (
    id INTEGER PRIMARY KEY NOT NULL,
    poll_id BIGINT NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    title TEXT NOT NULL,
    votes_count BIGINT NOT NULL DEFAULT 0,
    UNIQUE (poll_id, position),
    UNIQUE (poll_id, title)
);

-- A vote names its option by title, because an option may change its position.
CREATE TABLE poll_votes (
    poll_id BIGINT NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    option_title TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (poll_id, account_id, option_title)
);
CREATE INDEX poll_votes_account ON poll_votes (account_id, poll_id);

-- Accounts that were notified of the end of a poll. Each is notified only once, even if the
-- notification was dismissed or the poll was opened again.
CREATE TABLE poll_announcements (
    poll_id BIGINT NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (poll_id, account_id)
);
CREATE INDEX poll_announcements_account ON poll_announcements (account_id);
