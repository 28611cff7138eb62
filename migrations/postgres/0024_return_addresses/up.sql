-- The page of this server that a person was on the way to when the mail was asked for: a path with
-- its query.
ALTER TABLE mailed_links ADD COLUMN return_to TEXT;
