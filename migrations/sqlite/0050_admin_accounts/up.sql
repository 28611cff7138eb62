-- Addresses from which users signed up and signed in.
CREATE TABLE account_ips (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- 32 hexadecimal digits of the IPv6 form. An IPv4 address is mapped to ::ffff:0:0/96.
    ip TEXT NOT NULL,
    -- The last sign-up or sign-in from this address.
    used_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, ip)
);
CREATE INDEX account_ips_ip ON account_ips (ip, account_id);

-- The addresses that are known. The parts of an address become a JSON array.
INSERT INTO account_ips (account_id, ip, used_at)
SELECT account_id, ip, MAX(used_at) FROM (
    SELECT account_id, used_at, printf(
        '00000000000000000000ffff%02x%02x%02x%02x', json_extract(parts, '$[0]'),
        json_extract(parts, '$[1]'), json_extract(parts, '$[2]'), json_extract(parts, '$[3]')
    ) AS ip
    FROM (
        SELECT account_id, used_at, '[' || replace(ip, '.', ',') || ']' AS parts FROM (
            SELECT account_id, sign_up_ip AS ip, created_at AS used_at FROM users
            UNION ALL SELECT account_id, ip, created_at FROM web_sessions
        )
        WHERE ip LIKE '%.%.%.%' AND ip NOT GLOB '*[^0-9.]*'
    )
    WHERE json_valid(parts)
    UNION ALL
    SELECT account_id, used_at, substr('0000' || json_extract(parts, '$[0]'), -4)
        || substr('0000' || json_extract(parts, '$[1]'), -4)
        || substr('0000' || json_extract(parts, '$[2]'), -4)
        || substr('0000' || json_extract(parts, '$[3]'), -4)
        || substr('0000' || json_extract(parts, '$[4]'), -4)
        || substr('0000' || json_extract(parts, '$[5]'), -4)
        || substr('0000' || json_extract(parts, '$[6]'), -4)
        || substr('0000' || json_extract(parts, '$[7]'), -4) AS ip
    FROM (
        -- "::" stands for the parts that are missing.
        SELECT account_id, used_at, '["' || replace(replace(ip, '::', ':' || substr(
            '0:0:0:0:0:0:0:', 1, 2 * (8 - (length(ip) - length(replace(ip, ':', ''))))
        )), ':', '","') || '"]' AS parts
        FROM (
            SELECT account_id, used_at, CASE WHEN ip LIKE '::%' THEN '0' ELSE '' END || lower(ip)
                || CASE WHEN ip LIKE '%::' THEN '0' ELSE '' END AS ip
            FROM (
                SELECT account_id, sign_up_ip AS ip, created_at AS used_at FROM users
                UNION ALL SELECT account_id, ip, created_at FROM web_sessions
            )
            WHERE ip LIKE '%:%:%' AND ip NOT GLOB '*[^0-9a-fA-F:]*'
        )
    )
    WHERE json_valid(parts)
) AS known
WHERE length(ip) = 32
GROUP BY account_id, ip;

-- When staff rejected the sign-up. The account is hidden, its name and email address are free, and
-- it is deleted some time later. Until then the rejection can be undone.
ALTER TABLE users ADD COLUMN rejected_at BIGINT;
CREATE INDEX users_rejected ON users (rejected_at, account_id) WHERE rejected_at IS NOT NULL;

-- When staff last got an email about sign-ups that wait for approval, and when the next one is due.
CREATE TABLE sign_up_notices (
    singleton INTEGER PRIMARY KEY NOT NULL,
    mailed_at BIGINT NOT NULL,
    -- Null if no job is enqueued.
    due_at BIGINT
);
INSERT INTO sign_up_notices (singleton, mailed_at) VALUES (0, 0);

-- The filters of the lists of accounts for staff, each in the order of the ids.
CREATE INDEX accounts_local ON accounts (id) WHERE domain IS NULL;
CREATE INDEX accounts_of_domain ON accounts (domain, id) WHERE domain IS NOT NULL;
CREATE INDEX accounts_suspended_by_id ON accounts (id) WHERE suspended_at IS NOT NULL;
CREATE INDEX accounts_silenced_by_id ON accounts (id) WHERE silenced_at IS NOT NULL;
CREATE INDEX users_pending ON users (account_id) WHERE NOT approved AND rejected_at IS NULL;
CREATE INDEX users_disabled ON users (account_id) WHERE disabled;
CREATE INDEX users_with_role ON users (role_id, account_id) WHERE role_id IS NOT NULL;
