-- Addresses from which users signed up and signed in.
CREATE TABLE account_ips (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- 32 hexadecimal digits of the IPv6 form. An IPv4 address is mapped to ::ffff:0:0/96.
    ip TEXT COLLATE "C" NOT NULL,
    -- The last sign-up or sign-in from this address.
    used_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, ip)
);
CREATE INDEX account_ips_ip ON account_ips (ip, account_id);

-- The addresses that are known. The first four bytes of the binary form are a header.
INSERT INTO account_ips (account_id, ip, used_at)
SELECT account_id, ip, MAX(used_at) FROM (
    SELECT account_id, used_at, CASE
        WHEN ip ~ '^[0-9]+([.][0-9]+){3}$'
        THEN '00000000000000000000ffff' || encode(substring(inet_send(CAST(ip AS inet)) FROM 5), 'hex')
        WHEN ip ~ '^[0-9a-f]*:[0-9a-f]*:[0-9a-f:]*$'
        THEN encode(substring(inet_send(CAST(ip AS inet)) FROM 5), 'hex')
    END AS ip
    FROM (
        SELECT account_id, sign_up_ip AS ip, created_at AS used_at FROM users
        UNION ALL SELECT account_id, ip, created_at FROM web_sessions
    ) AS stored
) AS known
WHERE length(ip) = 32
GROUP BY account_id, ip;

-- When staff rejected the sign-up. The account is hidden, its name and email address are free, and
-- it is deleted some time later. Until then the rejection can be undone.
ALTER TABLE users ADD COLUMN rejected_at BIGINT;
CREATE INDEX users_rejected ON users (rejected_at, account_id) WHERE rejected_at IS NOT NULL;

-- When staff last got an email about sign-ups that wait for approval, and when the next one is due.
CREATE TABLE sign_up_notices (
    singleton BIGINT PRIMARY KEY NOT NULL,
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
-- Parts of names and email addresses are compared in byte order, as on SQLite.
CREATE INDEX accounts_username_bytes ON accounts (username_key COLLATE "C");
CREATE INDEX users_email_bytes ON users (email_key COLLATE "C");
