//! The HTTP adapter: routes, extractors, pages and the error table.
