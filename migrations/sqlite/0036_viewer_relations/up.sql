-- What a viewer sees is decided by a function over the viewer's relations, which are cached by this
-- version. Triggers raise it with every change of such a relation. So feeds contain candidates:
-- statuses that a timeline may show. What hides an entry needs no trigger any more.
ALTER TABLE users ADD COLUMN relations_version BIGINT NOT NULL DEFAULT 0;

CREATE TRIGGER relations_after_insert_follows AFTER INSERT ON follows BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER relations_after_delete_follows AFTER DELETE ON follows BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = OLD.account_id;
END;
CREATE TRIGGER relations_after_update_follows AFTER UPDATE OF show_reblogs, languages ON follows BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER relations_after_insert_blocks AFTER INSERT ON blocks BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id IN (NEW.account_id, NEW.target_account_id);
END;
CREATE TRIGGER relations_after_delete_blocks AFTER DELETE ON blocks BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id IN (OLD.account_id, OLD.target_account_id);
END;
CREATE TRIGGER relations_after_insert_mutes AFTER INSERT ON mutes BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER relations_after_delete_mutes AFTER DELETE ON mutes BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = OLD.account_id;
END;
CREATE TRIGGER relations_after_update_mutes AFTER UPDATE OF hide_notifications, expires_at ON mutes BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER relations_after_insert_account_domain_blocks AFTER INSERT ON account_domain_blocks BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER relations_after_delete_account_domain_blocks AFTER DELETE ON account_domain_blocks BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = OLD.account_id;
END;
CREATE TRIGGER relations_after_update_lists AFTER UPDATE OF replies_policy, exclusive ON lists BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER relations_after_insert_lists AFTER INSERT ON lists BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER relations_after_delete_lists AFTER DELETE ON lists BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = OLD.account_id;
END;
CREATE TRIGGER relations_after_insert_list_accounts AFTER INSERT ON list_accounts BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = (SELECT account_id FROM lists WHERE id = NEW.list_id);
END;
CREATE TRIGGER relations_after_delete_list_accounts AFTER DELETE ON list_accounts BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = (SELECT account_id FROM lists WHERE id = OLD.list_id);
END;
CREATE TRIGGER relations_after_insert_tag_follows AFTER INSERT ON tag_follows BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER relations_after_delete_tag_follows AFTER DELETE ON tag_follows BEGIN
    UPDATE users SET relations_version = relations_version + 1
    WHERE account_id = OLD.account_id;
END;

-- The author of each entry, so that a page can leave out hidden authors without loading their
-- statuses. The entries are built again.
DELETE FROM feed_entries;
UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END;
ALTER TABLE feed_entries ADD COLUMN account_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE feeds DROP COLUMN valid_until;
DELETE FROM jobs WHERE kind = 'feeds.outdate';

-- Only changes that add candidates make feeds stale: a new follow, reblogs of a followed account, a
-- new member of a list, another policy of a list, a followed hashtag.
DROP TRIGGER feeds_after_delete_follows;
DROP TRIGGER feeds_after_insert_blocks;
DROP TRIGGER feeds_after_delete_blocks;
DROP TRIGGER feeds_after_insert_mutes;
DROP TRIGGER feeds_after_delete_mutes;
DROP TRIGGER feeds_after_update_mutes;
DROP TRIGGER feeds_after_delete_account_domain_blocks;
DROP TRIGGER feeds_after_update_lists;
DROP TRIGGER feeds_after_delete_lists;
DROP TRIGGER feeds_after_delete_list_accounts;
DROP TRIGGER feeds_after_delete_tag_follows;
DROP TRIGGER feeds_after_update_accounts;
DROP TRIGGER feeds_after_barred_accounts;
DROP TRIGGER feeds_after_limited_accounts;
DROP TRIGGER feeds_after_update_follows;
CREATE TRIGGER feeds_after_update_follows AFTER UPDATE OF show_reblogs ON follows
WHEN NEW.show_reblogs AND NOT OLD.show_reblogs BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE account_id = NEW.account_id AND stage IN (1, 2, 4);
END;
CREATE TRIGGER feeds_after_update_lists AFTER UPDATE OF replies_policy ON lists
WHEN NEW.replies_policy <> OLD.replies_policy BEGIN
    UPDATE feeds SET stage = CASE stage WHEN 4 THEN 3 ELSE 0 END
    WHERE feed_id = NEW.id AND stage IN (1, 2, 4);
END;
