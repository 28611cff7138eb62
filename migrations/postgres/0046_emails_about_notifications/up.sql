-- Emails that an account chose to get: names of entities::EmailTopic.
CREATE TABLE email_topics (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    topic TEXT NOT NULL,
    PRIMARY KEY (account_id, topic)
);
CREATE INDEX email_topics_topic ON email_topics (topic, account_id);

-- Accounts that will get an email about their notifications from this one on. A job sends it.
CREATE TABLE waiting_emails (
    account_id BIGINT PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    first_notification_id BIGINT NOT NULL
);

-- Time of the last digest.
ALTER TABLE users ADD COLUMN digest_at BIGINT;
