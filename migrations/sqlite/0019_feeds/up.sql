-- Feeds: the newest part of home and list timelines as rows. Can be rebuilt from other tables.

CREATE TABLE feeds (
    -- The id of the account for a home timeline, otherwise the id of the list.
    feed_id INTEGER PRIMARY KEY NOT NULL,
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
) WITHOUT ROWID;

CREATE TRIGGER feeds_gone AFTER DELETE ON feeds BEGIN
    DELETE FROM feed_entries WHERE feed_id = OLD.feed_id;
END;

-- Changes that can add entries make the feeds of an account stale.
CREATE TRIGGER feeds_after_insert_follows AFTER INSERT ON follows BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_delete_follows AFTER DELETE ON follows BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_update_follows AFTER UPDATE OF show_reblogs, languages ON follows BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_insert_blocks AFTER INSERT ON blocks BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id IN (NEW.account_id, NEW.target_account_id) AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_delete_blocks AFTER DELETE ON blocks BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id IN (OLD.account_id, OLD.target_account_id) AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_insert_mutes AFTER INSERT ON mutes BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_delete_mutes AFTER DELETE ON mutes BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_update_mutes AFTER UPDATE OF expires_at ON mutes BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_delete_account_domain_blocks AFTER DELETE ON account_domain_blocks BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_update_lists AFTER UPDATE OF replies_policy, exclusive ON lists BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_delete_lists AFTER DELETE ON lists BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_insert_list_accounts AFTER INSERT ON list_accounts BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = (SELECT account_id FROM lists WHERE id = NEW.list_id) AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_delete_list_accounts AFTER DELETE ON list_accounts BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = (SELECT account_id FROM lists WHERE id = OLD.list_id) AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_insert_tag_follows AFTER INSERT ON tag_follows BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage IN (1, 2, 4);
END;

-- Statuses of an account that is active again may be missing in any feed.
CREATE TRIGGER feeds_after_update_accounts AFTER UPDATE OF suspended_at, silenced_at, reachable ON accounts
WHEN (OLD.suspended_at IS NOT NULL AND NEW.suspended_at IS NULL)
    OR (OLD.silenced_at IS NOT NULL AND NEW.silenced_at IS NULL)
    OR (NOT OLD.reachable AND NEW.reachable)
BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE EXISTS (SELECT 1 FROM statuses WHERE statuses.account_id = NEW.id) AND stage IN (1, 2, 4);
END;
