-- Reports of accounts to the staff, and the private notes of staff on them.

-- A report goes with its reporter and with the reported account. It names statuses, rules and staff
-- even after their deletion.
CREATE TABLE reports (
    id BIGINT PRIMARY KEY NOT NULL,
    -- The reporter.
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- A name of entities::ReportCategory.
    category TEXT NOT NULL,
    -- What the reporter wrote, as plain text.
    comment TEXT NOT NULL,
    -- Whether the reporter wants the server of a remote account to get the report.
    forwarded BOOLEAN NOT NULL,
    -- Ids as a JSON array; null if the reporter named no rules.
    status_ids TEXT NOT NULL,
    rule_ids TEXT,
    -- The member of staff that works on it.
    assigned_account_id BIGINT,
    -- Null while it is open. Without the account, the operator resolved it.
    action_taken_at BIGINT,
    action_taken_by_account_id BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX reports_account ON reports (account_id, id);
CREATE INDEX reports_target ON reports (target_account_id, id);
CREATE INDEX reports_open ON reports (id) WHERE action_taken_at IS NULL;
CREATE INDEX reports_open_target ON reports (target_account_id, id) WHERE action_taken_at IS NULL;
CREATE INDEX reports_assigned ON reports (assigned_account_id, id)
    WHERE assigned_account_id IS NOT NULL;
-- The notifications about a report, which have its id as their subject.
CREATE INDEX notifications_report ON notifications (subject_id) WHERE kind = 'admin.report';

CREATE TABLE report_notes (
    id BIGINT PRIMARY KEY NOT NULL,
    report_id BIGINT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    -- The member of staff that wrote it, even after the deletion of that account.
    account_id BIGINT NOT NULL,
    content TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX report_notes_report ON report_notes (report_id, id);
