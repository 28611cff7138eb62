//! Pure decisions: who may see, who may act, what a token may call, and the limits.
