-- Email has no ports, so addresses that differ only in them are the same. Accounts that share an
-- address in this way keep the former keys.
UPDATE users SET email_key = substr(email_key, 1, instr(email_key, ':') - 1)
WHERE email_key LIKE '%@%:%' AND NOT EXISTS (
    SELECT 1 FROM users AS others
    WHERE others.account_id <> users.account_id AND (
        others.email_key = substr(users.email_key, 1, instr(users.email_key, ':') - 1)
        OR (others.email_key LIKE '%@%:%'
            AND substr(others.email_key, 1, instr(others.email_key, ':') - 1) = substr(users.email_key, 1, instr(users.email_key, ':') - 1))
    )
);
