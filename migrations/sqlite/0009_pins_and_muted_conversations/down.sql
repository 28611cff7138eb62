DROP TABLE muted_conversations;
DROP TABLE status_pins;
