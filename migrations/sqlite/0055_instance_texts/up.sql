-- Texts about the instance that staff wrote, by their names. A missing row means the default.
CREATE TABLE instance_texts (
    name TEXT PRIMARY KEY NOT NULL,
    -- Markdown.
    text TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Versions of the terms of service.
CREATE TABLE terms_of_service (
    -- The midnight (UTC) that begins the first day of the version.
    effective_date INTEGER PRIMARY KEY NOT NULL,
    -- Markdown.
    text TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- When the user accepted the terms of service; null if there were none at the sign-up.
ALTER TABLE users ADD COLUMN terms_accepted_at BIGINT;

-- Numbers of each week. A job counts the statuses, the first activity of a user in the week counts
-- the user.
CREATE TABLE activity_weeks (
    -- The Monday, at midnight (UTC), that begins the week.
    week INTEGER PRIMARY KEY NOT NULL,
    statuses BIGINT NOT NULL,
    -- The statuses of the week with lower ids are counted.
    counted_to BIGINT NOT NULL,
    logins BIGINT NOT NULL
);
