-- Spent parts of those rate limits that protect passwords, codes, emails and sign-ups, so that they
-- survive a restart. The key is a hash of the limit and of whom it is for.
CREATE TABLE spent_budgets (
    key_hash TEXT PRIMARY KEY NOT NULL,
    spent BIGINT NOT NULL,
    -- End of the window, at which the budget is full again.
    expires_at BIGINT NOT NULL
);
CREATE INDEX spent_budgets_expires ON spent_budgets (expires_at);
