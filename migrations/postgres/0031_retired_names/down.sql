DROP TABLE retired_names;
