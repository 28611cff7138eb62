DROP TABLE poll_announcements;
DROP TABLE poll_votes;
DROP TABLE poll_options;
DROP TABLE polls;
