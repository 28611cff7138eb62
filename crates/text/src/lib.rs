//! Status text to HTML, mentions, hashtags, links, counting and language. Pure.
