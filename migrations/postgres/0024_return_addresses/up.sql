-- Page of this server to return to after the link was used: a path with its query.
ALTER TABLE mailed_links ADD COLUMN return_to TEXT;
