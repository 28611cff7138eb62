//! The email about an archive that can be downloaded.

use siskin_ids::ExportId;
use siskin_persistence::exports as rows;

use super::{Composer, RenderedEmail, format_time};
use crate::Result;

impl Composer<'_, '_> {
    /// Writes the email to the owner of an archive. It links to the page with the archive, and not
    /// to the archive itself. Returns `None` if the archive is gone.
    pub(super) fn archive_ready(&mut self, id: ExportId) -> Result<Option<RenderedEmail>> {
        let now = self.tx.now();
        let found = rows::find(self.tx, id)?.filter(|archive| archive.is_ready(now));
        let Some(archive) = found else { return Ok(None) };
        let text = format!(
            "the archive of your account at {} is ready. Download it here until {}:\n\n{}\n\nIt \
             contains everything that you wrote, also direct messages. For the download, you must \
             have signed in within the last hour. If you did not request the archive, choose a new \
             password at once:\n\n{}",
            self.site_with_url(),
            format_time(archive.expires_at),
            self.instance.urls.page("/settings/export"),
            self.instance.urls.page("/auth/password/new"),
        );
        let to = self.recipient.email.clone();
        Ok(Some(self.letter(&to, "Your archive is ready", &text)))
    }
}
