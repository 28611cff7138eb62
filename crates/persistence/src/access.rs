//! The end of access: open authorization codes end with tokens, and streams and caches are notified.
//!
//! Everything that takes access from applications calls [`end`]; a code that outlived it could still
//! be exchanged for a new token.

use siskin_ids::{AccountId, ApplicationId, TokenId};

use crate::{
    Result, Tx, codes,
    events::{Access, Happened},
};

/// Whose access ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Access by one token.
    Token { id: TokenId, application: Option<ApplicationId>, account: Option<AccountId> },
    /// Access of every application to one account.
    Account(AccountId),
    /// Access of one application to every account.
    Application(ApplicationId),
}

/// Deletes the codes that could bring the access back, and writes the event.
pub(crate) fn end(tx: &mut Tx<'_>, ended: Ended) -> Result<()> {
    let access = match ended {
        Ended::Token { id, application, account } => {
            if let (Some(application), Some(account)) = (application, account) {
                codes::delete_of_grant(tx, account, application)?;
            }
            Access::Token(id)
        }
        Ended::Account(account) => {
            codes::delete_of_account(tx, account)?;
            Access::Account(account)
        }
        Ended::Application(application) => {
            codes::delete_of_application(tx, application)?;
            Access::Application(application)
        }
    };
    Happened::AccessEnded(access).write(tx)
}
