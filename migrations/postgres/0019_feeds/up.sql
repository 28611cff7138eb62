-- Feeds: the newest part of home and list timelines as rows. Can be rebuilt from other tables.

CREATE TABLE feeds (
    -- The id of the account for a home timeline, otherwise the id of the list.
    feed_id BIGINT PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    list_id BIGINT REFERENCES lists (id) ON DELETE CASCADE,
    -- 0 stale, 1 being built, 2 ready, 3 dropped because it was not read, 4 being built after that.
    stage SMALLINT NOT NULL,
    -- Statuses with this id or a greater one are entries, if the timeline shows them.
    floor BIGINT NOT NULL,
    -- End of the first mute to expire. The entries may be incomplete after that.
    valid_until BIGINT,
    -- Time of the last request, to the day.
    wanted_at BIGINT NOT NULL
);
CREATE INDEX feeds_account ON feeds (account_id);
CREATE INDEX feeds_list ON feeds (list_id) WHERE list_id IS NOT NULL;
CREATE INDEX feeds_wanted ON feeds (wanted_at);

-- No foreign key to statuses and no second index: both would raise the cost of fan-out by half.
CREATE TABLE feed_entries (
    feed_id BIGINT NOT NULL,
    status_id BIGINT NOT NULL,
    reblog_of_id BIGINT,
    PRIMARY KEY (feed_id, status_id)
);

CREATE FUNCTION feeds_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM feed_entries WHERE feed_id = OLD.feed_id;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_gone AFTER DELETE ON feeds FOR EACH ROW EXECUTE FUNCTION feeds_gone();

-- Marks the feeds of these accounts stale. Locks the rows in one order, so that two transactions
-- that affect the same accounts cannot deadlock.
CREATE FUNCTION outdate_feeds(accounts BIGINT[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM feeds WHERE account_id = ANY (accounts) AND stage IN (1, 2, 4)
        ORDER BY feed_id FOR NO KEY UPDATE;
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
        WHERE account_id = ANY (accounts) AND stage IN (1, 2, 4);
END $$;

-- Changes that can add entries make the feeds of an account stale. The arguments of the trigger
-- name the columns that contain the accounts.
CREATE FUNCTION feeds_after() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed JSONB;
BEGIN
    IF TG_OP = 'DELETE' THEN changed := to_jsonb(OLD); ELSE changed := to_jsonb(NEW); END IF;
    PERFORM outdate_feeds(ARRAY(
        SELECT CAST(changed ->> named AS BIGINT) FROM unnest(TG_ARGV) AS named
    ));
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_insert_follows AFTER INSERT ON follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_delete_follows AFTER DELETE ON follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_update_follows AFTER UPDATE OF show_reblogs, languages ON follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_insert_blocks AFTER INSERT ON blocks
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id', 'target_account_id');
CREATE TRIGGER feeds_after_delete_blocks AFTER DELETE ON blocks
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id', 'target_account_id');
CREATE TRIGGER feeds_after_insert_mutes AFTER INSERT ON mutes
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_delete_mutes AFTER DELETE ON mutes
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_update_mutes AFTER UPDATE OF expires_at ON mutes
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_delete_account_domain_blocks AFTER DELETE ON account_domain_blocks
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_update_lists AFTER UPDATE OF replies_policy, exclusive ON lists
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_delete_lists AFTER DELETE ON lists
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_insert_tag_follows AFTER INSERT ON tag_follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');

-- A member's row names the owner of its list only indirectly, by the list.
CREATE FUNCTION feeds_after_list_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    list BIGINT;
BEGIN
    IF TG_OP = 'DELETE' THEN list := OLD.list_id; ELSE list := NEW.list_id; END IF;
    PERFORM outdate_feeds(ARRAY(SELECT account_id FROM lists WHERE id = list));
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_insert_list_accounts AFTER INSERT ON list_accounts
    FOR EACH ROW EXECUTE FUNCTION feeds_after_list_accounts();
CREATE TRIGGER feeds_after_delete_list_accounts AFTER DELETE ON list_accounts
    FOR EACH ROW EXECUTE FUNCTION feeds_after_list_accounts();

-- Statuses of an account that is active again may be missing in any feed.
CREATE FUNCTION feeds_after_update_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM statuses WHERE statuses.account_id = NEW.id) THEN
        PERFORM outdate_feeds(ARRAY(SELECT account_id FROM feeds WHERE stage IN (1, 2, 4)));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_update_accounts AFTER UPDATE OF suspended_at, silenced_at, reachable ON accounts
    FOR EACH ROW WHEN (
        (OLD.suspended_at IS NOT NULL AND NEW.suspended_at IS NULL)
        OR (OLD.silenced_at IS NOT NULL AND NEW.silenced_at IS NULL)
        OR (NOT OLD.reachable AND NEW.reachable)
    ) EXECUTE FUNCTION feeds_after_update_accounts();
