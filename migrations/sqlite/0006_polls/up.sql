-- What the readers of a status can vote on.
CREATE TABLE polls (
    id INTEGER PRIMARY KEY NOT NULL,
    status_id BIGINT NOT NULL UNIQUE REFERENCES statuses (id) ON DELETE CASCADE,
    multiple BOOLEAN NOT NULL,
    hide_totals BOOLEAN NOT NULL,
    -- Null: it never ends.
    expires_at BIGINT,
    -- When its end was noticed; nobody votes after that, whatever their clock says.
    closed_at BIGINT,
    -- People, each once. How many votes there are is the sum over the options.
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

-- A vote names its option by title: that is what was voted for, wherever it stands.
CREATE TABLE poll_votes (
    poll_id BIGINT NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    option_title TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (poll_id, account_id, option_title)
);
CREATE INDEX poll_votes_account ON poll_votes (account_id, poll_id);

-- Who was told of the end of a poll: once for ever, even where the notification was put away or
-- the poll was opened anew.
CREATE TABLE poll_announcements (
    poll_id BIGINT NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (poll_id, account_id)
);
CREATE INDEX poll_announcements_account ON poll_announcements (account_id);
