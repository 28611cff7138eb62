-- The newest part of home and list timelines as rows; made anew of the other tables at any time.

CREATE TABLE feeds (
    -- The id of the account, of its home timeline; else the id of the list.
    feed_id BIGINT PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    list_id BIGINT REFERENCES lists (id) ON DELETE CASCADE,
    -- 0 stale, 1 being built, 2 ready, 3 dropped as nobody read it, 4 being built after that.
    stage SMALLINT NOT NULL,
    -- What the timeline shows of statuses with this id or a greater one are entries.
    floor BIGINT NOT NULL,
    -- When a mute ends, and with it what the entries are complete of.
    valid_until BIGINT,
    -- When it was last looked for, to the day.
    wanted_at BIGINT NOT NULL
);
CREATE INDEX feeds_account ON feeds (account_id);
CREATE INDEX feeds_list ON feeds (list_id) WHERE list_id IS NOT NULL;
CREATE INDEX feeds_wanted ON feeds (wanted_at);

-- No reference to statuses and no second index: both would make each delivery dearer by half.
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

-- What of these accounts is kept or being built is as it was no longer. Its rows are locked in one
-- order, so that two who change what concerns the same accounts wait for each other and not crosswise.
CREATE FUNCTION outdate_feeds(accounts BIGINT[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM feeds WHERE account_id = ANY (accounts) AND stage IN (1, 2, 4)
        ORDER BY feed_id FOR NO KEY UPDATE;
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
        WHERE account_id = ANY (accounts) AND stage IN (1, 2, 4);
END $$;

-- Whatever can let more through makes the feeds of an account stale: those that the columns name
-- which are the arguments of the trigger.
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

-- The members of a list say whose it is only there.
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

-- What an account in good standing again wrote may be missing anywhere.
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
