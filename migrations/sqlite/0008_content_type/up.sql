-- What a status was written in, and what its author writes in: 0 plain text, 1 Markdown, 2 HTML.
ALTER TABLE statuses ADD COLUMN content_type SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN default_content_type SMALLINT NOT NULL DEFAULT 0;
