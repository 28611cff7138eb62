-- Names of local accounts that were deleted. No account gets one of them again, unless the operator
-- releases it.
CREATE TABLE retired_names (
    -- Folded as names are compared.
    username_key TEXT PRIMARY KEY NOT NULL,
    retired_at BIGINT NOT NULL
);
