-- Ended relationships, stored while events from before their end exist. A deletion event goes to
-- the accounts that had the status at that time. Their relationship to the author may have ended
-- before the event is resolved.
CREATE TABLE former_ties (
    -- 0 an account followed the source, 1 a list contained it, 2 an account followed it as a
    -- hashtag, 3 it blocked an account
    kind SMALLINT NOT NULL,
    source_id BIGINT NOT NULL,
    -- The account or the list.
    holder_id BIGINT NOT NULL,
    -- The last event before the end of the relationship, and the time of that event.
    last_event_id BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    PRIMARY KEY (kind, source_id, holder_id)
);
CREATE INDEX former_ties_time ON former_ties (ended_at);

CREATE TRIGGER former_ties_after_follows AFTER DELETE ON follows
WHEN EXISTS (SELECT 1 FROM users WHERE users.account_id = OLD.account_id)
BEGIN
    INSERT OR REPLACE INTO former_ties (kind, source_id, holder_id, last_event_id, ended_at)
    SELECT 0, OLD.target_account_id, OLD.account_id, events.id, events.created_at FROM events
    ORDER BY events.id DESC LIMIT 1;
END;

CREATE TRIGGER former_ties_after_list_accounts AFTER DELETE ON list_accounts
WHEN EXISTS (SELECT 1 FROM lists WHERE lists.id = OLD.list_id)
BEGIN
    INSERT OR REPLACE INTO former_ties (kind, source_id, holder_id, last_event_id, ended_at)
    SELECT 1, OLD.account_id, OLD.list_id, events.id, events.created_at FROM events
    ORDER BY events.id DESC LIMIT 1;
END;

CREATE TRIGGER former_ties_after_tag_follows AFTER DELETE ON tag_follows
WHEN EXISTS (SELECT 1 FROM users WHERE users.account_id = OLD.account_id)
BEGIN
    INSERT OR REPLACE INTO former_ties (kind, source_id, holder_id, last_event_id, ended_at)
    SELECT 2, OLD.tag_id, OLD.account_id, events.id, events.created_at FROM events
    ORDER BY events.id DESC LIMIT 1;
END;

CREATE TRIGGER former_ties_after_blocks AFTER DELETE ON blocks
WHEN EXISTS (SELECT 1 FROM users WHERE users.account_id = OLD.target_account_id)
BEGIN
    INSERT OR REPLACE INTO former_ties (kind, source_id, holder_id, last_event_id, ended_at)
    SELECT 3, OLD.account_id, OLD.target_account_id, events.id, events.created_at FROM events
    ORDER BY events.id DESC LIMIT 1;
END;
