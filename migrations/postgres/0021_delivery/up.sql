-- Fan-out finds viewers that block the domain of a participant.
CREATE INDEX account_domain_blocks_domain ON account_domain_blocks (domain);

-- Fan-out to lists with an author works in steps, in the order of the list ids.
DROP INDEX list_accounts_account;
CREATE INDEX list_accounts_account ON list_accounts (account_id, list_id);
