-- The base role of all users. The role of a user without another one is null, not this id.
INSERT INTO roles (id, name, color, permissions, position, highlighted, created_at)
VALUES (-99, '', '', 0, 0, FALSE, 0);
