//! Static files in the binary: the style sheet, the icon, and the default avatar and header. A name
//! with a hash in it is cached for ever. The names of the default pictures are part of the API, and
//! are cached for a day.

use std::sync::LazyLock;

use actix_web::{HttpResponse, http::header::CACHE_CONTROL, web};

/// A static file.
#[derive(Debug, Clone, Copy)]
struct Asset {
    media_type: &'static str,
    cache_control: &'static str,
    content: &'static [u8],
}

const FOR_EVER: &str = "public, max-age=31536000, immutable";
const FOR_A_DAY: &str = "public, max-age=86400";

const STYLE: Asset = Asset {
    media_type: "text/css; charset=utf-8",
    cache_control: FOR_EVER,
    content: include_bytes!("../../assets/site.css"),
};

const ICON: Asset = Asset {
    media_type: "image/svg+xml",
    cache_control: FOR_A_DAY,
    content: include_bytes!("../../assets/icon.svg"),
};

/// Icon for browsers that request this path even if a page names another one.
const FAVICON: Asset = Asset {
    media_type: "image/x-icon",
    cache_control: FOR_A_DAY,
    content: include_bytes!("../../assets/favicon.ico"),
};

/// Crawlers must not visit the API and pages with forms. Profiles and statuses tell themselves
/// whether they may be indexed.
const ROBOTS: Asset = Asset {
    media_type: "text/plain; charset=utf-8",
    cache_control: FOR_A_DAY,
    content: include_bytes!("../../assets/robots.txt"),
};

/// Path of the icon.
pub(super) const ICON_PATH: &str = "/assets/icon.svg";

/// Returns the path of the style sheet. It changes with the content.
pub(super) fn style_path() -> &'static str {
    static PATH: LazyLock<String> =
        LazyLock::new(|| format!("/assets/site.{:016x}.css", fnv1a(STYLE.content)));
    &PATH
}

/// Returns the FNV-1a hash. It distinguishes contents, and need not resist attacks.
pub(super) fn fnv1a(content: &[u8]) -> u64 {
    content.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

const AVATAR: Asset = Asset {
    media_type: "image/png",
    cache_control: FOR_A_DAY,
    content: include_bytes!("../../assets/avatar.png"),
};

const HEADER: Asset = Asset {
    media_type: "image/png",
    cache_control: FOR_A_DAY,
    content: include_bytes!("../../assets/header.png"),
};

use crate::table::Table;

pub(crate) fn configure(table: &mut Table) {
    for (path, asset) in [
        (style_path(), STYLE),
        (ICON_PATH, ICON),
        ("/favicon.ico", FAVICON),
        ("/robots.txt", ROBOTS),
        ("/avatars/original/missing.png", AVATAR),
        ("/headers/original/missing.png", HEADER),
    ] {
        table.route(path, web::get().to(move || async move { asset.serve() }));
    }
}

impl Asset {
    fn serve(self) -> HttpResponse {
        HttpResponse::Ok()
            .content_type(self.media_type)
            .insert_header((CACHE_CONTROL, self.cache_control))
            .body(web::Bytes::from_static(self.content))
    }
}
