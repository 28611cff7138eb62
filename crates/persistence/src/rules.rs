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

/// Returns `true` if there is a rule.
pub fn any_exists(conn: &mut Conn) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::exists(rules::table.select(rules::id))).get_result(conn)?)
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

/// Loads the rule with this id.
pub fn find(conn: &mut Conn, id: RuleId) -> Result<Option<Rule>> {
    let found: Option<(String, String)> =
        rules::table.find(id).select((rules::text, rules::hint)).first(conn).optional()?;
    Ok(found.map(|(text, hint)| Rule { id, text, hint }))
}

/// Changes the text and the hint of a rule. Returns `false` if it has them already, or if there is
/// none with this id. Of several simultaneous callers with the same texts, one gets `true`.
pub fn update(tx: &mut Tx<'_>, rule: &Rule) -> Result<bool> {
    let differs = rules::text.ne(&rule.text).or(rules::hint.ne(&rule.hint));
    let changed = diesel::update(rules::table.find(rule.id).filter(differs))
        .set((rules::text.eq(&rule.text), rules::hint.eq(&rule.hint)))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Deletes a rule. Returns its text, or `None` if there is none with this id.
pub fn delete(tx: &mut Tx<'_>, id: RuleId) -> Result<Option<String>> {
    let text = rules::table.find(id).select(rules::text).first(&mut **tx).optional()?;
    let deleted = diesel::delete(rules::table.find(id)).execute(&mut **tx)?;
    Ok(text.filter(|_| deleted == 1))
}

/// Sets the position of a rule, starting at 0.
pub fn set_position(tx: &mut Tx<'_>, id: RuleId, position: i32) -> Result<()> {
    diesel::update(rules::table)
        .filter(rules::id.eq(id))
        .set(rules::position.eq(position))
        .execute(&mut **tx)?;
    Ok(())
}
