//! The only crate that queries: schema, migrations, rows, batches of domain views, the writer lane.
