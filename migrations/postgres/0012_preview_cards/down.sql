DROP TABLE status_cards;
DROP TABLE preview_cards;
