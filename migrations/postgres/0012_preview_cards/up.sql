-- Metadata of linked pages: one row for each address, shared by all statuses with that link. The
-- row is inserted with the first status, before the page is fetched.
CREATE TABLE preview_cards (
    id BIGINT PRIMARY KEY NOT NULL,
    -- The linked address without its fragment.
    address TEXT NOT NULL UNIQUE,
    -- Whether the page was fetched successfully.
    shown BOOLEAN NOT NULL DEFAULT FALSE,
    -- Canonical address according to the page.
    url TEXT NOT NULL DEFAULT '',
    -- 0 link, 1 photo, 2 video, 3 rich
    kind SMALLINT NOT NULL DEFAULT 0,
    title TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    author_name TEXT NOT NULL DEFAULT '',
    author_url TEXT NOT NULL DEFAULT '',
    provider_name TEXT NOT NULL DEFAULT '',
    provider_url TEXT NOT NULL DEFAULT '',
    embed_url TEXT NOT NULL DEFAULT '',
    width INTEGER NOT NULL DEFAULT 0,
    height INTEGER NOT NULL DEFAULT 0,
    -- Source of its image, and the stored file.
    image_source TEXT,
    image_file TEXT,
    blurhash TEXT,
    is_article BOOLEAN NOT NULL DEFAULT FALSE,
    published_at BIGINT,
    -- Time after which the next status with this address triggers a new fetch.
    look_after BIGINT NOT NULL,
    -- Since when no status has linked to it. Null while one does.
    unused_since BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX preview_cards_unused ON preview_cards (unused_since, id)
    WHERE unused_since IS NOT NULL;

CREATE TABLE status_cards (
    status_id BIGINT PRIMARY KEY NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    card_id BIGINT NOT NULL REFERENCES preview_cards (id)
);
CREATE INDEX status_cards_card ON status_cards (card_id, status_id);
