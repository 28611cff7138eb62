DROP TRIGGER feeds_after_update_lists;
DROP TRIGGER feeds_after_update_follows;
CREATE TRIGGER feeds_after_delete_follows AFTER DELETE ON follows BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage IN (1, 2, 4);
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
CREATE TRIGGER feeds_after_delete_list_accounts AFTER DELETE ON list_accounts BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = (SELECT account_id FROM lists WHERE id = OLD.list_id) AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_delete_tag_follows AFTER DELETE ON tag_follows BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = OLD.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_update_accounts AFTER UPDATE OF suspended_at, silenced_at, reachable ON accounts
WHEN (OLD.suspended_at IS NOT NULL AND NEW.suspended_at IS NULL)
    OR (OLD.silenced_at IS NOT NULL AND NEW.silenced_at IS NULL)
    OR (NOT OLD.reachable AND NEW.reachable)
BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE EXISTS (SELECT 1 FROM statuses WHERE statuses.account_id = NEW.id) AND stage IN (1, 2, 4);
END;
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
CREATE TRIGGER feeds_after_update_follows AFTER UPDATE OF show_reblogs, languages ON follows BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage IN (1, 2, 4);
END;
ALTER TABLE feeds ADD COLUMN valid_until BIGINT;
ALTER TABLE feed_entries DROP COLUMN account_id;
DELETE FROM feed_entries;
UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END;
DROP TRIGGER relations_after_insert_follows;
DROP TRIGGER relations_after_delete_follows;
DROP TRIGGER relations_after_update_follows;
DROP TRIGGER relations_after_insert_blocks;
DROP TRIGGER relations_after_delete_blocks;
DROP TRIGGER relations_after_insert_mutes;
DROP TRIGGER relations_after_delete_mutes;
DROP TRIGGER relations_after_update_mutes;
DROP TRIGGER relations_after_insert_account_domain_blocks;
DROP TRIGGER relations_after_delete_account_domain_blocks;
DROP TRIGGER relations_after_update_lists;
DROP TRIGGER relations_after_insert_lists;
DROP TRIGGER relations_after_delete_lists;
DROP TRIGGER relations_after_insert_list_accounts;
DROP TRIGGER relations_after_delete_list_accounts;
DROP TRIGGER relations_after_insert_tag_follows;
DROP TRIGGER relations_after_delete_tag_follows;
ALTER TABLE users DROP COLUMN relations_version;
