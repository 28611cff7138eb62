-- Decisions of moderators against accounts, their appeals, and the marking of all media of an account
-- as sensitive.

-- Time since which the media of the account are shown as sensitive.
ALTER TABLE accounts ADD COLUMN sensitized_at BIGINT;
CREATE INDEX accounts_sensitized_by_id ON accounts (id) WHERE sensitized_at IS NOT NULL;
-- The snapshot of an account contains it.
CREATE TRIGGER versions_before_sensitize_accounts BEFORE UPDATE OF sensitized_at ON accounts
    FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION versions_raise_own();
-- Time since which the account is being deleted. From then on its suspension cannot be undone.
ALTER TABLE accounts ADD COLUMN deleting_since BIGINT;

-- What a moderator did against an account.
CREATE TABLE strikes (
    id BIGINT PRIMARY KEY NOT NULL,
    -- The account that it is against.
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- The moderator, even after the deletion of that account; null for a command of the operator.
    account_id BIGINT,
    -- A name of entities::StrikeAction.
    action TEXT NOT NULL,
    -- What the moderator wrote to the account, as plain text.
    text TEXT NOT NULL,
    -- The report that led to it, even after its deletion.
    report_id BIGINT,
    -- Time at which the moderators took it back.
    overruled_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX strikes_target ON strikes (target_account_id, id);

-- The statuses that a strike is about, even after their deletion.
CREATE TABLE strike_statuses (
    strike_id BIGINT NOT NULL REFERENCES strikes (id) ON DELETE CASCADE,
    status_id BIGINT NOT NULL,
    -- Whether the strike marked it as sensitive, and its author had not.
    marked BOOLEAN NOT NULL,
    -- The beginning of its text at that time.
    excerpt TEXT NOT NULL,
    PRIMARY KEY (strike_id, status_id)
);

-- Appeals of accounts against strikes: at most one against each.
CREATE TABLE appeals (
    id BIGINT PRIMARY KEY NOT NULL,
    strike_id BIGINT NOT NULL UNIQUE REFERENCES strikes (id) ON DELETE CASCADE,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    -- A name of entities::AppealState.
    state TEXT NOT NULL,
    -- Who decided, even after the deletion of that account; null before, and for the operator.
    decided_by_account_id BIGINT,
    decided_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX appeals_account ON appeals (account_id, id);
CREATE INDEX appeals_state ON appeals (state, id);
