//! Email that shows a member of staff that email works.

use siskin_ids::AccountId;
use siskin_persistence::{Conn, users};

use super::{RenderedEmail, letter, site_with_url};
use crate::{Error, Instance, Result};

/// Writes a test email to a user. It is sent at once and not by a job, so that the sender sees
/// whether that works.
///
/// # Errors
/// [`Error::NotFound`] if the account is not that of a user.
pub fn write_test(
    conn: &mut Conn,
    instance: &Instance,
    site: &str,
    account: AccountId,
) -> Result<RenderedEmail> {
    let recipient = users::recipient(conn, account)?.ok_or(Error::NotFound)?;
    let text = format!(
        "this email shows that {} can send email to you. You asked for it on the page about the \
         mail server. Look at its sender, and whether it arrived among the spam.",
        site_with_url(&instance.urls, site),
    );
    Ok(letter(&recipient, site, &recipient.email, "Test email", &text))
}
