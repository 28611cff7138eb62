DROP TRIGGER feeds_after_update_lists ON lists;
DROP TRIGGER feeds_after_update_follows ON follows;
CREATE TRIGGER feeds_after_delete_follows AFTER DELETE ON follows
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
CREATE TRIGGER feeds_after_delete_list_accounts AFTER DELETE ON list_accounts
    FOR EACH ROW EXECUTE FUNCTION feeds_after_list_accounts();
CREATE TRIGGER feeds_after_delete_tag_follows AFTER DELETE ON tag_follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
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
CREATE TRIGGER feeds_after_update_follows AFTER UPDATE OF show_reblogs, languages ON follows
    FOR EACH ROW EXECUTE FUNCTION feeds_after('account_id');
ALTER TABLE feeds ADD COLUMN valid_until BIGINT;
ALTER TABLE feed_entries DROP COLUMN account_id;
DELETE FROM feed_entries;
UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END;
DROP TRIGGER relations_after_insert_follows ON follows;
DROP TRIGGER relations_after_delete_follows ON follows;
DROP TRIGGER relations_after_update_follows ON follows;
DROP TRIGGER relations_after_insert_blocks ON blocks;
DROP TRIGGER relations_after_delete_blocks ON blocks;
DROP TRIGGER relations_after_insert_mutes ON mutes;
DROP TRIGGER relations_after_delete_mutes ON mutes;
DROP TRIGGER relations_after_update_mutes ON mutes;
DROP TRIGGER relations_after_insert_account_domain_blocks ON account_domain_blocks;
DROP TRIGGER relations_after_delete_account_domain_blocks ON account_domain_blocks;
DROP TRIGGER relations_after_update_lists ON lists;
DROP TRIGGER relations_after_insert_lists ON lists;
DROP TRIGGER relations_after_delete_lists ON lists;
DROP TRIGGER relations_after_insert_list_accounts ON list_accounts;
DROP TRIGGER relations_after_delete_list_accounts ON list_accounts;
DROP TRIGGER relations_after_insert_tag_follows ON tag_follows;
DROP TRIGGER relations_after_delete_tag_follows ON tag_follows;
DROP FUNCTION relations_after_list_accounts();
DROP FUNCTION relations_after();
DROP FUNCTION raise_relations(BIGINT[]);
ALTER TABLE users DROP COLUMN relations_version;
