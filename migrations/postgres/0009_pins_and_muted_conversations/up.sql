-- Statuses that accounts pinned to their profiles.
CREATE TABLE status_pins (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    status_id BIGINT NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, status_id)
);
CREATE INDEX status_pins_status ON status_pins (status_id);

-- Conversations that accounts muted.
CREATE TABLE muted_conversations (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- No foreign key, because a conversation outlives its first status.
    conversation_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, conversation_id)
);
