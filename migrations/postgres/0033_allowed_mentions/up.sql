-- The only accounts that a scheduled status may mention, as JSON; null if there is no such limit.
ALTER TABLE scheduled_statuses ADD COLUMN allowed_mentions TEXT;
