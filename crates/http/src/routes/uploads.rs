//! Routes that accept files, with their size limits. All other routes refuse files.

use std::io;

use actix_web::{HttpRequest, web::Data};
use siskin_app::App;
use siskin_policy::limits;
use siskin_services::{follow_list, instance_domains};

use crate::params::{Limits, UploadPolicy, UploadTarget};

/// Returns the policy for uploads: which routes accept files, their size limits, and the staging
/// directory.
pub(super) fn upload_policy() -> UploadPolicy {
    UploadPolicy(target)
}

fn target(request: &HttpRequest, usual: Limits) -> Option<io::Result<UploadTarget>> {
    let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let (video, picture) = (bytes(limits::MAX_VIDEO_BYTES), bytes(limits::MAX_IMAGE_BYTES));
    let (file, files) = match request.match_pattern()?.as_str() {
        // A video and its thumbnail.
        "/api/v1/media" | "/api/v2/media" => (video, video + picture),
        "/api/v1/media/{id}" => (picture, picture),
        // An avatar and a header.
        "/api/v1/accounts/update_credentials" | "/api/v1/profile" | "/settings/profile" => {
            (picture, 2 * picture)
        }
        // Accepts four times the maximum, so that the use case can refuse a list that is too long
        // with a message of its own.
        "/settings/follows/import" => (4 * follow_list::MAX_BYTES, 4 * follow_list::MAX_BYTES),
        "/api/v1/admin/domain_blocks/import"
        | "/admin/domains/import"
        | "/admin/domains/import/preview" => {
            (4 * instance_domains::MAX_BYTES, 4 * instance_domains::MAX_BYTES)
        }
        "/admin/emojis" | "/admin/first-steps/picture" => (picture, picture),
        _ => return None,
    };
    let app = request.app_data::<Data<App>>()?;
    let limits = Limits { file, multipart: files + usual.text, ..usual };
    Some(app.media().storage().staging_dir().map(|folder| UploadTarget { folder, limits }))
}
