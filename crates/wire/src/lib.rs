//! The JSON that clients see: serde structs and pure rendering from domain views.
