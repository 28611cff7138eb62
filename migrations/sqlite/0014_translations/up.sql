-- Cached answers of the translation service. Their content is untrusted, and is sanitised whenever
-- it is shown.
CREATE TABLE translations (
    -- Hash of the service, of both languages, and of the texts.
    key TEXT PRIMARY KEY NOT NULL,
    -- A JSON array of texts.
    texts TEXT NOT NULL,
    -- Language that the service detected. Null if the request specified it.
    detected TEXT,
    expires_at BIGINT NOT NULL
);
CREATE INDEX translations_expires ON translations (expires_at);
