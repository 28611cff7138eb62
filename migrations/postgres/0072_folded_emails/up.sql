-- The folded form of the address in `email`, which may be that of several users until one of them
-- confirms it. The program folds it: what lower() does depends on the locale of the database.
ALTER TABLE users ADD COLUMN folded_email TEXT NOT NULL DEFAULT '';
-- Users without the address (their key is '#' and the id) have not confirmed it, and are found as
-- before. Another confirmation email folds their address; the others are usually deleted soon.
UPDATE users SET folded_email = CASE
    WHEN email_key = '#' || account_id THEN lower(email) ELSE email_key
END;
-- Email has no ports.
UPDATE users SET folded_email = split_part(folded_email, ':', 1)
WHERE folded_email LIKE '%@%:%';
CREATE INDEX users_folded_email ON users (folded_email, account_id) WHERE confirmed_at IS NULL;
