-- A status is delivered at once to all who have nothing against a server that it concerns.
CREATE INDEX account_domain_blocks_domain ON account_domain_blocks (domain);

-- Lists with somebody are delivered to in parts, in the order of their ids.
DROP INDEX list_accounts_account;
CREATE INDEX list_accounts_account ON list_accounts (account_id, list_id);
