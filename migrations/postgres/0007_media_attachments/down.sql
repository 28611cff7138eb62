DROP TABLE media_attachments;
