-- Feeds contain exactly what their timelines show, so that pages need not apply the full rule to
-- each entry. Indexes serve the checks that a page makes once.

-- Counts the rebuilds. The result of an earlier rebuild is discarded.
ALTER TABLE feeds ADD COLUMN round BIGINT NOT NULL DEFAULT 0;

-- Existing feeds may contain more than their timelines show.
UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END;

-- Changes that can hide entries make the feeds of an account stale too. Pages check domain blocks
-- and silenced authors on read.
CREATE TRIGGER feeds_after_delete_tag_follows AFTER DELETE ON tag_follows BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage IN (1, 2, 4);
END;

-- Indexes for the check whether any account is suspended, silenced, unconfirmed or pending at all.
CREATE INDEX accounts_suspended ON accounts (suspended_at) WHERE suspended_at IS NOT NULL;
CREATE INDEX accounts_silenced ON accounts (silenced_at) WHERE silenced_at IS NOT NULL;
CREATE INDEX accounts_unreachable ON accounts (id) WHERE NOT reachable;
