DROP TABLE filter_statuses;
DROP TABLE filter_keywords;
DROP TABLE filters;
