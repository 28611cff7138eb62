//! The domain as pure values: accounts, statuses, relationships, notifications, settings.
