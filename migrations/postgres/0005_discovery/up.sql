-- Tabs that the owner shows on the profile.
ALTER TABLE accounts ADD COLUMN show_media BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE accounts ADD COLUMN show_media_replies BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE accounts ADD COLUMN show_featured BOOLEAN NOT NULL DEFAULT TRUE;
-- Domains with articles that may name the account as their author, separated by commas.
ALTER TABLE accounts ADD COLUMN attribution_domains TEXT NOT NULL DEFAULT '';

-- Accounts that moved to an account that is being deleted.
CREATE INDEX accounts_moved ON accounts (moved_to_account_id) WHERE moved_to_account_id IS NOT NULL;
-- Accounts by the address of their profile page.
CREATE INDEX accounts_url ON accounts (url) WHERE url IS NOT NULL;

-- Index of the account search. For each position of accounts.search_text, a term holds the first
-- characters from there on, in byte order. A part of a name is therefore the prefix of a term on
-- both engines.
CREATE TABLE account_terms (
    term TEXT COLLATE "C" NOT NULL,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    PRIMARY KEY (term, account_id)
);
CREATE INDEX account_terms_account ON account_terms (account_id);

-- Whether the directory lists an account: 0 not, 1 as a remote account, 2 as a local account.
ALTER TABLE account_stats ADD COLUMN listed SMALLINT NOT NULL DEFAULT 0;
CREATE INDEX account_stats_active ON account_stats (COALESCE(last_status_at, 0), account_id)
    WHERE listed > 0;
CREATE INDEX account_stats_active_local ON account_stats (COALESCE(last_status_at, 0), account_id)
    WHERE listed = 2;
CREATE INDEX account_stats_new ON account_stats (account_id) WHERE listed > 0;
CREATE INDEX account_stats_new_local ON account_stats (account_id) WHERE listed = 2;

-- Follow suggestions that an account dismissed.
CREATE TABLE suggestion_dismissals (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    target_account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, target_account_id)
);
CREATE INDEX suggestion_dismissals_target ON suggestion_dismissals (target_account_id);

INSERT INTO account_terms (term, account_id)
WITH RECURSIVE places (place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM places WHERE place < 400)
SELECT DISTINCT substr(search_text, place, 32), id FROM accounts CROSS JOIN places
WHERE place <= length(search_text)
    AND substr(search_text, place, 1) NOT IN (' ', '
')
    AND (place <= length(username) + 2
        OR place > length(username) + 1 + COALESCE(length(domain) + 1, 0));

UPDATE account_stats SET listed = (
    SELECT CASE WHEN domain IS NULL THEN 2 ELSE 1 END FROM accounts WHERE id = account_id
) WHERE account_id IN (
    SELECT id FROM accounts WHERE discoverable AND reachable AND suspended_at IS NULL
        AND silenced_at IS NULL AND moved_to_account_id IS NULL
);
