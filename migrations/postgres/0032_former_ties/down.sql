DROP TRIGGER former_ties_after_blocks ON blocks;
DROP FUNCTION former_ties_after_blocks();
DROP TRIGGER former_ties_after_follows ON follows;
DROP FUNCTION former_ties_after_follows();
DROP TRIGGER former_ties_after_list_accounts ON list_accounts;
DROP FUNCTION former_ties_after_list_accounts();
DROP TRIGGER former_ties_after_tag_follows ON tag_follows;
DROP FUNCTION former_ties_after_tag_follows();
DROP TABLE former_ties;
