-- Result of the review of a hashtag, as a number: see entities::Review.
ALTER TABLE tags ADD COLUMN review SMALLINT NOT NULL DEFAULT 0;
