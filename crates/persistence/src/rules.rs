//! The rules of the instance.

use diesel::prelude::*;
use siskin_entities::Rule;
use siskin_ids::RuleId;

use crate::{Conn, Result, Tx, schema::rules};

/// A new rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRule {
    pub text: String,
    pub hint: String,
}

/// Loads all rules in their displayed order.
pub fn list(conn: &mut Conn) -> Result<Vec<Rule>> {
    let rows: Vec<(RuleId, String, String)> = rules::table
        .order((rules::position, rules::id))
        .select((rules::id, rules::text, rules::hint))
        .load(conn)?;
    Ok(rows.into_iter().map(|(id, text, hint)| Rule { id, text, hint }).collect())
}

/// Inserts a rule below the others.
pub fn add(tx: &mut Tx<'_>, new: &NewRule) -> Result<Rule> {
    let id = RuleId::new(tx.next_id());
    let last: Option<i32> =
        rules::table.select(diesel::dsl::max(rules::position)).first(&mut **tx)?;
    diesel::insert_into(rules::table)
        .values((
            rules::id.eq(id),
            rules::position.eq(last.map_or(0, |last| last.saturating_add(1))),
            rules::text.eq(&new.text),
            rules::hint.eq(&new.hint),
            rules::created_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(Rule { id, text: new.text.clone(), hint: new.hint.clone() })
}

/// Deletes a rule. Returns `false` if there is none with this id.
pub fn delete(tx: &mut Tx<'_>, id: RuleId) -> Result<bool> {
    let deleted = diesel::delete(rules::table).filter(rules::id.eq(id)).execute(&mut **tx)?;
    Ok(deleted == 1)
}

/// Sets the position of a rule, starting at 0.
pub fn set_position(tx: &mut Tx<'_>, id: RuleId, position: i32) -> Result<()> {
    diesel::update(rules::table)
        .filter(rules::id.eq(id))
        .set(rules::position.eq(position))
        .execute(&mut **tx)?;
    Ok(())
}
