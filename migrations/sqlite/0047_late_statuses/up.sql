-- Statuses with an id of a time more than an hour after their own. Other statuses of a period are
-- found by their ids, see docs/decisions/0035-status-search.md.
CREATE INDEX statuses_late ON statuses (created_at, id) WHERE id / 65536 - created_at > 3600000;
