//! The emails that an account chooses to get.

use siskin_entities::EmailTopic;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, emails as rows};

use crate::Result;

/// Loads the topics that an account chose, in the order of [`EmailTopic::all`].
///
/// # Errors
/// Storage errors only.
pub fn topics(conn: &mut Conn, account: AccountId) -> Result<Vec<EmailTopic>> {
    Ok(rows::topics(conn, account)?)
}

/// Replaces the topics of an account. Ignores unknown names.
///
/// # Errors
/// Storage errors only.
pub fn set_topics(tx: &mut Tx<'_>, account: AccountId, names: &[String]) -> Result<()> {
    let chosen: Vec<EmailTopic> =
        EmailTopic::all().filter(|topic| names.iter().any(|name| name == topic.as_str())).collect();
    Ok(rows::set_topics(tx, account, &chosen)?)
}
