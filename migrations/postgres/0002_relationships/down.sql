DROP INDEX mutes_expiry;
DROP INDEX mutes_account;
DROP INDEX blocks_account;
DROP TABLE account_notes;
DROP TABLE endorsements;
DROP TABLE account_domain_blocks;
