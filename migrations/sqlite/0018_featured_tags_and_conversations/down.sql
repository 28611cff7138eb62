DROP TABLE conversation_statuses;
DROP TABLE conversations;
DROP TABLE featured_tags;
