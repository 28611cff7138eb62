DROP INDEX list_accounts_account;
CREATE INDEX list_accounts_account ON list_accounts (account_id);
DROP INDEX account_domain_blocks_domain;
