DROP TABLE mailed_links;
