-- What staff and the operator did. An entry outlives the accounts and records that it names.
CREATE TABLE audit_log (
    id BIGINT PRIMARY KEY NOT NULL,
    -- The member of staff; null for a command of the operator.
    account_id BIGINT,
    -- The name of the member of staff at that time; empty for a command of the operator.
    account_name TEXT NOT NULL,
    action TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id BIGINT,
    -- The name of the target at that time, such as "@bob" or a domain.
    target_name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX audit_log_account ON audit_log (account_id, id);
CREATE INDEX audit_log_target ON audit_log (target_kind, target_id, id);
