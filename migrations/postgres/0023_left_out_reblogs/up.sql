-- An entry in a feed suppresses reblogs of the same status close above it. If the entry goes and
-- the reblogs stay, the feed must be rebuilt.

-- Existing feeds may lack such reblogs.
UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END;

-- Reblogs by a suspended or unreachable account disappear, so they must not suppress others. Its
-- own statuses disappear too, but so do all reblogs of them.
CREATE FUNCTION feeds_after_barred_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM statuses WHERE statuses.account_id = NEW.id AND reblog_of_id IS NOT NULL
    ) THEN
        PERFORM outdate_feeds(ARRAY(
            SELECT account_id FROM follows WHERE target_account_id = NEW.id
        ));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_barred_accounts AFTER UPDATE OF suspended_at, reachable ON accounts
    FOR EACH ROW WHEN (
        (OLD.suspended_at IS NULL AND NEW.suspended_at IS NOT NULL)
        OR (OLD.reachable AND NOT NEW.reachable)
    ) EXECUTE FUNCTION feeds_after_barred_accounts();

-- A silenced author is not shown by hashtags any more. Followers of a reblogger still get the
-- reblog.
CREATE FUNCTION feeds_after_limited_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM outdate_feeds(ARRAY(
        SELECT DISTINCT tag_follows.account_id FROM statuses
        JOIN statuses_tags ON statuses_tags.status_id = statuses.id
        JOIN tag_follows ON tag_follows.tag_id = statuses_tags.tag_id
        WHERE statuses.account_id = NEW.id
    ));
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_limited_accounts AFTER UPDATE OF silenced_at ON accounts
    FOR EACH ROW WHEN (OLD.silenced_at IS NULL AND NEW.silenced_at IS NOT NULL)
    EXECUTE FUNCTION feeds_after_limited_accounts();
