DROP INDEX media_attachments_unattached;
CREATE INDEX media_attachments_unattached ON media_attachments (unattached_at, id)
    WHERE status_id IS NULL;
DROP INDEX media_attachments_scheduled;
ALTER TABLE media_attachments DROP COLUMN scheduled_status_id;
DROP TABLE scheduled_statuses;
