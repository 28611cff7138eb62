//! The flag that hides the media of a status at first.

use diesel::prelude::*;
use siskin_ids::StatusId;

use crate::{Result, Tx, equals_any::IdExpression as _, schema::statuses};

/// Marks these statuses as sensitive, or ends that. The caller locked them. A trigger raises their
/// versions.
pub fn set_sensitive(tx: &mut Tx<'_>, ids: &[StatusId], sensitive: bool) -> Result<()> {
    diesel::update(statuses::table.filter(statuses::id.equals_any(ids)))
        .set(statuses::sensitive.eq(sensitive))
        .execute(&mut **tx)?;
    Ok(())
}
