-- Web Push subscriptions of clients: at most one for each access token, deleted with it.
CREATE TABLE push_subscriptions (
    id INTEGER PRIMARY KEY NOT NULL,
    access_token_id BIGINT NOT NULL UNIQUE REFERENCES access_tokens (id) ON DELETE CASCADE,
    -- The account of the token.
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Address of the client at its push service. Only the client and this server know it.
    endpoint TEXT NOT NULL,
    -- Public key and authentication secret of the client, base64url without padding.
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    -- Whether messages are encrypted as in RFC 8291, otherwise as in its early draft.
    standard BOOLEAN NOT NULL,
    -- Senders whose notifications are pushed: all, followed, follower or none.
    policy TEXT NOT NULL,
    -- Types of notifications that are pushed, separated by spaces.
    alerts TEXT NOT NULL,
    -- The access token, encrypted; see docs/decisions/0033-push-payload-token.md.
    sealed_token TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX push_subscriptions_account ON push_subscriptions (account_id, id);

-- A thousand messages may wait for one push service. A claim finds the running jobs of an owner and
-- the busy hosts here, without reading the jobs that wait.
CREATE INDEX jobs_running_host ON jobs (host, locked_until)
    WHERE host IS NOT NULL AND locked_until IS NOT NULL;
CREATE INDEX jobs_running_owner ON jobs (owner_id, kind, locked_until)
    WHERE owner_id IS NOT NULL AND locked_until IS NOT NULL;
