-- Sessions that a provider began without asking the person who it is: it knew the browser already.
-- They do not count as fresh sign-ins.
ALTER TABLE web_sessions ADD COLUMN silent BOOLEAN NOT NULL DEFAULT FALSE;
