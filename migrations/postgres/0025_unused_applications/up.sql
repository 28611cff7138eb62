-- Indexes for upkeep: tokens without a user by last use, applications by registration, and users by
-- the application of their sign-up.
CREATE INDEX access_tokens_of_applications
    ON access_tokens (COALESCE(last_used_at, created_at)) WHERE account_id IS NULL;
CREATE INDEX applications_created ON applications (created_at);
CREATE INDEX users_created_by_application
    ON users (created_by_application_id) WHERE created_by_application_id IS NOT NULL;
