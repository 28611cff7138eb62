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

-- Whatever can let more through makes the feeds of an account stale.
CREATE FUNCTION feeds_after_insert_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_insert_follows AFTER INSERT ON follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after_insert_follows();
CREATE FUNCTION feeds_after_delete_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_delete_follows AFTER DELETE ON follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after_delete_follows();
CREATE FUNCTION feeds_after_update_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_update_follows AFTER UPDATE OF show_reblogs, languages ON follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after_update_follows();
CREATE FUNCTION feeds_after_insert_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id IN (NEW.account_id, NEW.target_account_id) AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_insert_blocks AFTER INSERT ON blocks
    FOR EACH ROW EXECUTE FUNCTION feeds_after_insert_blocks();
CREATE FUNCTION feeds_after_delete_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id IN (OLD.account_id, OLD.target_account_id) AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_delete_blocks AFTER DELETE ON blocks
    FOR EACH ROW EXECUTE FUNCTION feeds_after_delete_blocks();
CREATE FUNCTION feeds_after_insert_mutes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_insert_mutes AFTER INSERT ON mutes
    FOR EACH ROW EXECUTE FUNCTION feeds_after_insert_mutes();
CREATE FUNCTION feeds_after_delete_mutes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_delete_mutes AFTER DELETE ON mutes
    FOR EACH ROW EXECUTE FUNCTION feeds_after_delete_mutes();
CREATE FUNCTION feeds_after_update_mutes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_update_mutes AFTER UPDATE OF expires_at ON mutes
    FOR EACH ROW EXECUTE FUNCTION feeds_after_update_mutes();
CREATE FUNCTION feeds_after_delete_account_domain_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_delete_account_domain_blocks AFTER DELETE ON account_domain_blocks
    FOR EACH ROW EXECUTE FUNCTION feeds_after_delete_account_domain_blocks();
CREATE FUNCTION feeds_after_update_lists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_update_lists AFTER UPDATE OF replies_policy, exclusive ON lists
    FOR EACH ROW EXECUTE FUNCTION feeds_after_update_lists();
CREATE FUNCTION feeds_after_delete_lists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_delete_lists AFTER DELETE ON lists
    FOR EACH ROW EXECUTE FUNCTION feeds_after_delete_lists();
CREATE FUNCTION feeds_after_insert_list_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = (SELECT account_id FROM lists WHERE id = NEW.list_id) AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_insert_list_accounts AFTER INSERT ON list_accounts
    FOR EACH ROW EXECUTE FUNCTION feeds_after_insert_list_accounts();
CREATE FUNCTION feeds_after_delete_list_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = (SELECT account_id FROM lists WHERE id = OLD.list_id) AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_delete_list_accounts AFTER DELETE ON list_accounts
    FOR EACH ROW EXECUTE FUNCTION feeds_after_delete_list_accounts();
CREATE FUNCTION feeds_after_insert_tag_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_insert_tag_follows AFTER INSERT ON tag_follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after_insert_tag_follows();

-- What an account in good standing again wrote may be missing anywhere.
CREATE FUNCTION feeds_after_update_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END
    WHERE EXISTS (SELECT 1 FROM statuses WHERE statuses.account_id = NEW.id) AND stage <> 3;
    RETURN NULL;
END $$;
CREATE TRIGGER feeds_after_update_accounts AFTER UPDATE OF suspended_at, silenced_at, reachable ON accounts
    FOR EACH ROW WHEN (
        (OLD.suspended_at IS NOT NULL AND NEW.suspended_at IS NULL)
        OR (OLD.silenced_at IS NOT NULL AND NEW.silenced_at IS NULL)
        OR (NOT OLD.reachable AND NEW.reachable)
    ) EXECUTE FUNCTION feeds_after_update_accounts();
