DROP TRIGGER former_ties_after_blocks;
DROP TRIGGER former_ties_after_follows;
DROP TRIGGER former_ties_after_list_accounts;
DROP TRIGGER former_ties_after_tag_follows;
DROP TABLE former_ties;
