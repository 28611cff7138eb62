-- What a viewer sees is decided by a function over the viewer's relations, which are cached by this
-- version. Triggers raise it with every change of such a relation. So feeds contain candidates:
-- statuses that a timeline may show. What hides an entry needs no trigger any more.
ALTER TABLE users ADD COLUMN relations_version BIGINT NOT NULL DEFAULT 0;

-- Raises the versions of these accounts. Locks the rows in one order, so that two transactions that
-- affect the same accounts cannot deadlock.
CREATE FUNCTION raise_relations(accounts BIGINT[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM users WHERE account_id = ANY (accounts)
        ORDER BY account_id FOR NO KEY UPDATE;
    UPDATE users SET relations_version = relations_version + 1 WHERE account_id = ANY (accounts);
END $$;

-- The arguments of the trigger name the columns that contain the accounts.
CREATE FUNCTION relations_after() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed JSONB;
BEGIN
    IF TG_OP = 'DELETE' THEN changed := to_jsonb(OLD); ELSE changed := to_jsonb(NEW); END IF;
    PERFORM raise_relations(ARRAY(
        SELECT CAST(changed ->> named AS BIGINT) FROM unnest(TG_ARGV) AS named
    ));
    RETURN NULL;
END $$;
CREATE TRIGGER relations_after_insert_follows AFTER INSERT ON follows
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_delete_follows AFTER DELETE ON follows
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_update_follows AFTER UPDATE OF show_reblogs, languages ON follows
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_insert_blocks AFTER INSERT ON blocks
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id', 'target_account_id');
CREATE TRIGGER relations_after_delete_blocks AFTER DELETE ON blocks
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id', 'target_account_id');
CREATE TRIGGER relations_after_insert_mutes AFTER INSERT ON mutes
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_delete_mutes AFTER DELETE ON mutes
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_update_mutes AFTER UPDATE OF hide_notifications, expires_at ON mutes
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_insert_account_domain_blocks AFTER INSERT ON account_domain_blocks
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_delete_account_domain_blocks AFTER DELETE ON account_domain_blocks
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_update_lists AFTER UPDATE OF replies_policy, exclusive ON lists
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_insert_lists AFTER INSERT ON lists
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_delete_lists AFTER DELETE ON lists
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_insert_tag_follows AFTER INSERT ON tag_follows
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');
CREATE TRIGGER relations_after_delete_tag_follows AFTER DELETE ON tag_follows
    FOR EACH ROW EXECUTE FUNCTION relations_after('account_id');

-- A member's row names the owner of its list only indirectly, by the list.
CREATE FUNCTION relations_after_list_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    list BIGINT;
BEGIN
    IF TG_OP = 'DELETE' THEN list := OLD.list_id; ELSE list := NEW.list_id; END IF;
    PERFORM raise_relations(ARRAY(SELECT account_id FROM lists WHERE id = list));
    RETURN NULL;
END $$;
CREATE TRIGGER relations_after_insert_list_accounts AFTER INSERT ON list_accounts
    FOR EACH ROW EXECUTE FUNCTION relations_after_list_accounts();
CREATE TRIGGER relations_after_delete_list_accounts AFTER DELETE ON list_accounts
    FOR EACH ROW EXECUTE FUNCTION relations_after_list_accounts();

-- The author of each entry, so that a page can leave out hidden authors without loading their
-- statuses. The entries are built again.
DELETE FROM feed_entries;
UPDATE feeds SET stage = CASE WHEN stage IN (3, 4) THEN 3 ELSE 0 END;
ALTER TABLE feed_entries ADD COLUMN account_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE feeds DROP COLUMN valid_until;
DELETE FROM jobs WHERE kind = 'feeds.outdate';

-- Only changes that add candidates make feeds stale: a new follow, reblogs of a followed account, a
-- new member of a list, another policy of a list, a followed hashtag.
DROP TRIGGER feeds_after_delete_follows ON follows;
DROP TRIGGER feeds_after_insert_blocks ON blocks;
DROP TRIGGER feeds_after_delete_blocks ON blocks;
DROP TRIGGER feeds_after_insert_mutes ON mutes;
DROP TRIGGER feeds_after_delete_mutes ON mutes;
DROP TRIGGER feeds_after_update_mutes ON mutes;
DROP TRIGGER feeds_after_delete_account_domain_blocks ON account_domain_blocks;
DROP TRIGGER feeds_after_update_lists ON lists;
DROP TRIGGER feeds_after_delete_lists ON lists;
DROP TRIGGER feeds_after_delete_list_accounts ON list_accounts;
DROP TRIGGER feeds_after_delete_tag_follows ON tag_follows;
DROP TRIGGER feeds_after_update_accounts ON accounts;
DROP TRIGGER feeds_after_barred_accounts ON accounts;
DROP TRIGGER feeds_after_limited_accounts ON accounts;
DROP TRIGGER feeds_after_update_follows ON follows;
DROP FUNCTION feeds_after_update_accounts();
DROP FUNCTION feeds_after_barred_accounts();
DROP FUNCTION feeds_after_limited_accounts();
CREATE TRIGGER feeds_after_update_follows AFTER UPDATE OF show_reblogs ON follows
    FOR EACH ROW WHEN (NEW.show_reblogs AND NOT OLD.show_reblogs)
    EXECUTE FUNCTION feeds_after('account_id');
CREATE TRIGGER feeds_after_update_lists AFTER UPDATE OF replies_policy ON lists
    FOR EACH ROW WHEN (NEW.replies_policy <> OLD.replies_policy)
    EXECUTE FUNCTION feeds_after('account_id');
