//! Email about the deletion of an account by its owner.

use super::{RenderedEmail, letter, sign_up::addressee, site_with_url};
use crate::Instance;

/// Writes the email to a person that deleted the account. The account is no longer needed for it.
pub(super) fn deleted(
    instance: &Instance,
    site: &str,
    username: &str,
    email: &str,
) -> RenderedEmail {
    let text = format!(
        "your account at {} was deleted at your request. It is no longer visible, and all access \
         to it has ended. Your posts, your media and all other data of the account are being \
         deleted permanently. The user name will not be given to another account.\n\nIf you did \
         not delete the account, contact the operators of the server.",
        site_with_url(&instance.urls, site),
    );
    letter(&addressee(username, email), site, email, "Your account was deleted", &text)
}
