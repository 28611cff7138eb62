-- The picture of the instance: a row for each size of it. Squares are icons.
CREATE TABLE instance_pictures (
    file TEXT PRIMARY KEY NOT NULL,
    -- In pixels.
    width BIGINT NOT NULL,
    height BIGINT NOT NULL,
    blurhash TEXT
);

-- Steps of the set-up that were done or skipped. A step without a row may still be done, if what it
-- is about differs from the default.
CREATE TABLE first_steps (
    step TEXT PRIMARY KEY NOT NULL,
    skipped BOOLEAN NOT NULL
);
