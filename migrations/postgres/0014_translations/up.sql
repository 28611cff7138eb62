-- What a service that translates answered, so that it is not asked twice for the same. It is what
-- strangers wrote, and is cleaned each time it is shown.
CREATE TABLE translations (
    -- The hash of who translates, from and into what, and of the texts.
    key TEXT PRIMARY KEY NOT NULL,
    -- A JSON array of texts.
    texts TEXT NOT NULL,
    -- The language that the service found out; null where it was told.
    detected TEXT,
    expires_at BIGINT NOT NULL
);
CREATE INDEX translations_expires ON translations (expires_at);
