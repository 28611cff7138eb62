DROP TABLE tag_follows;
DROP TABLE list_accounts;
DROP TABLE lists;
