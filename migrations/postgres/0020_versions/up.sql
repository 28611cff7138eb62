-- Snapshots of statuses and accounts are cached by version and by the generation, which all share.
-- A change of a snapshot raises one of them. These triggers do so for every cause, unless the same
-- statement has raised it already. Rows inserted with a new or edited status need no trigger: a new
-- status has no cached snapshot, and an edit raises the version.

-- Raised by changes that can affect any number of statuses or accounts at once.
CREATE TABLE shown_generation (
    singleton BIGINT PRIMARY KEY NOT NULL,
    count BIGINT NOT NULL
);
INSERT INTO shown_generation (singleton, count) VALUES (1, 0);

CREATE FUNCTION versions_raise_own() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_before_update_statuses BEFORE UPDATE OF
    account_id, uri, url, text, content, content_type, spoiler_text, visibility,
    sensitive, language, application_id, edited_at, created_at
ON statuses FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION versions_raise_own();
CREATE TRIGGER versions_before_update_accounts BEFORE UPDATE OF
    username, domain, display_name, note, note_html, fields, avatar_file,
    avatar_still_file, avatar_description, header_file, header_still_file,
    header_description, locked, bot, discoverable, indexable, hide_collections,
    show_media, show_media_replies, show_featured, attribution_domains, memorial, uri,
    url, protocol, moved_to_account_id, suspended_at, silenced_at, reachable, created_at
ON accounts FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION versions_raise_own();

CREATE FUNCTION versions_raise_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE accounts SET version = version + 1 WHERE id = NEW.account_id;
    RETURN NULL;
END $$;
CREATE TRIGGER versions_after_update_users AFTER UPDATE OF role_id ON users
    FOR EACH ROW WHEN (NEW.role_id IS DISTINCT FROM OLD.role_id)
    EXECUTE FUNCTION versions_raise_account();

CREATE FUNCTION versions_raise_old_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE statuses SET version = version + 1 WHERE id = OLD.status_id;
    RETURN NULL;
END $$;
CREATE FUNCTION versions_raise_both_statuses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE statuses SET version = version + 1 WHERE id IN (OLD.status_id, NEW.status_id);
    RETURN NULL;
END $$;
CREATE TRIGGER versions_after_delete_mentions AFTER DELETE ON mentions
    FOR EACH ROW EXECUTE FUNCTION versions_raise_old_status();
CREATE TRIGGER versions_after_update_mentions AFTER UPDATE ON mentions
    FOR EACH ROW EXECUTE FUNCTION versions_raise_both_statuses();
CREATE TRIGGER versions_after_delete_statuses_tags AFTER DELETE ON statuses_tags
    FOR EACH ROW EXECUTE FUNCTION versions_raise_old_status();
CREATE TRIGGER versions_after_update_statuses_tags AFTER UPDATE ON statuses_tags
    FOR EACH ROW EXECUTE FUNCTION versions_raise_both_statuses();
CREATE TRIGGER versions_after_delete_status_cards AFTER DELETE ON status_cards
    FOR EACH ROW EXECUTE FUNCTION versions_raise_old_status();
CREATE TRIGGER versions_after_update_status_cards AFTER UPDATE ON status_cards
    FOR EACH ROW EXECUTE FUNCTION versions_raise_both_statuses();
CREATE TRIGGER versions_after_delete_polls AFTER DELETE ON polls
    FOR EACH ROW EXECUTE FUNCTION versions_raise_old_status();
CREATE TRIGGER versions_after_update_polls AFTER UPDATE OF status_id ON polls
    FOR EACH ROW EXECUTE FUNCTION versions_raise_both_statuses();
CREATE TRIGGER versions_after_delete_media_attachments AFTER DELETE ON media_attachments
    FOR EACH ROW WHEN (OLD.status_id IS NOT NULL) EXECUTE FUNCTION versions_raise_old_status();
CREATE TRIGGER versions_after_update_media_attachments AFTER UPDATE ON media_attachments
    FOR EACH ROW WHEN (OLD.status_id IS NOT NULL OR NEW.status_id IS NOT NULL)
    EXECUTE FUNCTION versions_raise_both_statuses();

-- Emojis of other servers are not shown. Names and addresses of accounts occur in mentions of them.
CREATE FUNCTION generation_raise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shown_generation SET count = count + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER generation_after_insert_custom_emojis AFTER INSERT ON custom_emojis
    FOR EACH ROW WHEN (
        NEW.domain IS NULL
    ) EXECUTE FUNCTION generation_raise();
CREATE TRIGGER generation_after_update_custom_emojis AFTER UPDATE ON custom_emojis
    FOR EACH ROW WHEN (
        OLD.domain IS NULL OR NEW.domain IS NULL
    ) EXECUTE FUNCTION generation_raise();
CREATE TRIGGER generation_after_delete_custom_emojis AFTER DELETE ON custom_emojis
    FOR EACH ROW WHEN (
        OLD.domain IS NULL
    ) EXECUTE FUNCTION generation_raise();
CREATE TRIGGER generation_after_update_applications AFTER UPDATE OF name, website ON applications
    FOR EACH ROW WHEN (
        NEW.name IS DISTINCT FROM OLD.name OR NEW.website IS DISTINCT FROM OLD.website
    ) EXECUTE FUNCTION generation_raise();
CREATE TRIGGER generation_after_update_roles AFTER UPDATE ON roles
    FOR EACH ROW EXECUTE FUNCTION generation_raise();
CREATE TRIGGER generation_after_update_tags AFTER UPDATE OF name ON tags
    FOR EACH ROW WHEN (
        NEW.name IS DISTINCT FROM OLD.name
    ) EXECUTE FUNCTION generation_raise();
CREATE TRIGGER generation_after_update_accounts AFTER UPDATE OF username, domain, uri, url ON accounts
    FOR EACH ROW WHEN (
        NEW.username IS DISTINCT FROM OLD.username OR NEW.domain IS DISTINCT FROM OLD.domain
        OR NEW.uri IS DISTINCT FROM OLD.uri OR NEW.url IS DISTINCT FROM OLD.url
    ) EXECUTE FUNCTION generation_raise();
