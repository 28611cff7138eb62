-- Announcements of the operator to all users.
CREATE TABLE announcements (
    id BIGINT PRIMARY KEY NOT NULL,
    text TEXT NOT NULL,
    -- Period of the announced event: either both times or none. If all_day, only their dates count.
    all_day BOOLEAN NOT NULL,
    starts_at BIGINT,
    ends_at BIGINT,
    -- Time at which a job will publish it.
    scheduled_at BIGINT,
    -- Null if it is not published.
    published_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX announcements_published ON announcements (published_at, id);

-- Announcements that an account has read.
CREATE TABLE announcement_dismissals (
    announcement_id BIGINT NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (announcement_id, account_id)
);
CREATE INDEX announcement_dismissals_account
    ON announcement_dismissals (account_id, announcement_id);

-- Reactions of accounts. The name is a Unicode emoji or the shortcode of a custom emoji.
CREATE TABLE announcement_reactions (
    announcement_id BIGINT NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (announcement_id, name, account_id)
);
CREATE INDEX announcement_reactions_account
    ON announcement_reactions (account_id, announcement_id);
