-- Feeds hold what their timelines show and no more, so that pages need not ask the whole rule of
-- each entry; and what pages ask once, they find by an index.

-- How often building began: what was built for an earlier time is not kept.
ALTER TABLE feeds ADD COLUMN round BIGINT NOT NULL DEFAULT 0;

-- Those of before may hold more.
UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END;

-- Whatever can take something away makes the feeds of an account stale too; servers that are blocked
-- and limits by moderators are asked by pages.
CREATE TRIGGER feeds_after_delete_tag_follows AFTER DELETE ON tag_follows BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage IN (1, 2, 4);
END;

-- Whether there is anybody suspended, limited or out of reach at all.
CREATE INDEX accounts_suspended ON accounts (suspended_at) WHERE suspended_at IS NOT NULL;
CREATE INDEX accounts_silenced ON accounts (silenced_at) WHERE silenced_at IS NOT NULL;
CREATE INDEX accounts_unreachable ON accounts (id) WHERE NOT reachable;
