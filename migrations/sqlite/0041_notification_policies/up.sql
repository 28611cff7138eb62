-- Notifications that the recipient's policy filters. They are stored apart from the others, so that
-- a page reads only those that it shows.
ALTER TABLE notifications ADD COLUMN filtered BOOLEAN NOT NULL DEFAULT FALSE;
DROP INDEX notifications_account;
CREATE INDEX notifications_account ON notifications (account_id, filtered, id);
-- The notifications of a group: those of one kind about one status, in a range of ids.
CREATE INDEX notifications_group ON notifications (account_id, kind, subject_id, id) WHERE NOT filtered;
-- The filtered notifications by one sender.
CREATE INDEX notifications_filtered ON notifications (account_id, from_account_id, id) WHERE filtered;

-- What happens to notifications by senders of a kind, where it differs from the default. Rules and
-- actions are numbers: see entities::PolicyRule and entities::PolicyAction.
CREATE TABLE notification_policies (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    rule SMALLINT NOT NULL,
    action SMALLINT NOT NULL,
    PRIMARY KEY (account_id, rule)
);

-- Senders whose notifications are accepted in spite of the policy.
CREATE TABLE notification_permissions (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    from_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, from_account_id)
);
CREATE INDEX notification_permissions_from ON notification_permissions (from_account_id);

-- Senders of filtered notifications that the recipient has neither accepted nor dismissed.
CREATE TABLE notification_requests (
    id INTEGER PRIMARY KEY NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    from_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (account_id, from_account_id)
);
CREATE INDEX notification_requests_account ON notification_requests (account_id, id);
CREATE INDEX notification_requests_from ON notification_requests (from_account_id);
