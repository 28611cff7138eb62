-- The reblogs of a status in order, for pages and for the deletion of a popular status. Without it,
-- each page sorts all of them.
CREATE INDEX statuses_reblogs ON statuses (reblog_of_id, id) WHERE reblog_of_id IS NOT NULL;
