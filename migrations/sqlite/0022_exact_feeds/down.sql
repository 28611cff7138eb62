DROP INDEX accounts_unreachable;
DROP INDEX accounts_silenced;
DROP INDEX accounts_suspended;
DROP TRIGGER feeds_after_delete_tag_follows;
ALTER TABLE feeds DROP COLUMN round;
