DROP INDEX users_created_by_application;
DROP INDEX applications_created;
DROP INDEX access_tokens_of_applications;
