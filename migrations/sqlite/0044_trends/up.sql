-- Reviews of what may trend, as numbers: see entities::Review. Those of hashtags are in
-- `tags.review`. The time of a request is null until the entry was reported to staff.
ALTER TABLE tags ADD COLUMN review_requested_at BIGINT;
ALTER TABLE preview_cards ADD COLUMN review SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE preview_cards ADD COLUMN review_requested_at BIGINT;
CREATE TABLE status_reviews (
    status_id INTEGER PRIMARY KEY NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    review SMALLINT NOT NULL DEFAULT 0,
    requested_at BIGINT
);
-- Websites with a decision about all their links that have none of their own.
CREATE TABLE link_publishers (
    domain TEXT PRIMARY KEY NOT NULL,
    review SMALLINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- What trends, as last counted. A few hundred rows each, replaced at every count.
CREATE TABLE trending_tags (
    tag_id INTEGER PRIMARY KEY NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    score DOUBLE PRECISION NOT NULL,
    -- The highest score so far, from which the score decays, and its time.
    peak DOUBLE PRECISION NOT NULL,
    peaked_at BIGINT NOT NULL
);
CREATE INDEX trending_tags_score ON trending_tags (score, tag_id);
CREATE TABLE trending_links (
    card_id INTEGER PRIMARY KEY NOT NULL REFERENCES preview_cards (id) ON DELETE CASCADE,
    score DOUBLE PRECISION NOT NULL,
    peak DOUBLE PRECISION NOT NULL,
    peaked_at BIGINT NOT NULL
);
CREATE INDEX trending_links_score ON trending_links (score, card_id);
CREATE TABLE trending_statuses (
    status_id INTEGER PRIMARY KEY NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    score DOUBLE PRECISION NOT NULL
);
CREATE INDEX trending_statuses_score ON trending_statuses (score, status_id);

-- When trends were last counted, and when staff last got an email about entries to review.
CREATE TABLE trend_rounds (
    singleton INTEGER PRIMARY KEY NOT NULL,
    counted_at BIGINT NOT NULL,
    reported_at BIGINT NOT NULL
);
INSERT INTO trend_rounds (singleton, counted_at, reported_at) VALUES (0, 0, 0);
