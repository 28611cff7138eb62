DROP INDEX statuses_reblogs;
