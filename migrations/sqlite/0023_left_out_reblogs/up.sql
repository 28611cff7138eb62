-- An entry in a feed suppresses reblogs of the same status close above it. If the entry goes and
-- the reblogs stay, the feed must be rebuilt.

-- Existing feeds may lack such reblogs.
UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END;

-- Reblogs by a suspended or unreachable account disappear, so they must not suppress others. Its
-- own statuses disappear too, but so do all reblogs of them.
CREATE TRIGGER feeds_after_barred_accounts AFTER UPDATE OF suspended_at, reachable ON accounts
WHEN (OLD.suspended_at IS NULL AND NEW.suspended_at IS NOT NULL) OR (OLD.reachable AND NOT NEW.reachable)
BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id IN (SELECT account_id FROM follows WHERE target_account_id = NEW.id)
    AND stage IN (1, 2, 4)
    AND EXISTS (
        SELECT 1 FROM statuses WHERE statuses.account_id = NEW.id AND reblog_of_id IS NOT NULL
    );
END;

-- A silenced author is not shown by hashtags any more. Followers of a reblogger still get the
-- reblog.
CREATE TRIGGER feeds_after_limited_accounts AFTER UPDATE OF silenced_at ON accounts
WHEN OLD.silenced_at IS NULL AND NEW.silenced_at IS NOT NULL
BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id IN (
        SELECT tag_follows.account_id FROM statuses
        CROSS JOIN statuses_tags CROSS JOIN tag_follows
        WHERE statuses.account_id = NEW.id AND statuses_tags.status_id = statuses.id
        AND tag_follows.tag_id = statuses_tags.tag_id
    )
    AND stage IN (1, 2, 4);
END;
