//! Ends access of applications: deletes open authorization codes along with tokens, and notifies
//! streams and caches.
//!
//! Every function that takes access from applications calls [`end`]. A code that outlived the
//! access could still be exchanged for a new token.

use siskin_ids::{AccountId, ApplicationId, TokenId};

use crate::{
    Result, Tx, codes,
    events::{Access, DomainEvent},
};

/// The access that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Access by one token.
    Token { id: TokenId, application: Option<ApplicationId>, account: Option<AccountId> },
    /// Access of every application to one account.
    Account(AccountId),
    /// Access of one application to every account.
    Application(ApplicationId),
}

/// Deletes the codes that could restore the access, and writes the event.
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
    DomainEvent::AccessEnded(access).write(tx)
}
