DROP TRIGGER feeds_after_limited_accounts ON accounts;
DROP FUNCTION feeds_after_limited_accounts();
DROP TRIGGER feeds_after_barred_accounts ON accounts;
DROP FUNCTION feeds_after_barred_accounts();
