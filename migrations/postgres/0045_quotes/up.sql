-- A quote embeds another status. quote_state is the decision of the quoted author, as a number (see
-- entities::QuoteState); NULL if the status is no quote. quote_of_id is NULL, too, if the quoted
-- status was deleted.
ALTER TABLE statuses ADD COLUMN quote_of_id BIGINT REFERENCES statuses (id) ON DELETE SET NULL;
ALTER TABLE statuses ADD COLUMN quote_state SMALLINT;
-- Accounts that may quote the status, as a number: see entities::QuotePolicy. The authors of older
-- statuses were not asked, so only they may quote them.
ALTER TABLE statuses ADD COLUMN quote_policy SMALLINT NOT NULL DEFAULT 2;
CREATE INDEX statuses_quotes ON statuses (quote_of_id, id) WHERE quote_of_id IS NOT NULL;

-- Number of accepted quotes that are public or unlisted.
ALTER TABLE status_stats ADD COLUMN quotes_count BIGINT NOT NULL DEFAULT 0;
-- The policy of new statuses.
ALTER TABLE users ADD COLUMN default_quote_policy SMALLINT NOT NULL DEFAULT 0;
