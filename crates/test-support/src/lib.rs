//! For tests only: temporary databases on both engines and builders.
