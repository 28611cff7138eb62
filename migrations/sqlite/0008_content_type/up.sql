-- Format of a status's text, and default format of its author: 0 plain text, 1 Markdown, 2 HTML.
ALTER TABLE statuses ADD COLUMN content_type SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN default_content_type SMALLINT NOT NULL DEFAULT 0;
