//! Decisions about several accounts at once: an extension of the interface.

use std::collections::{HashMap, HashSet};

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::DecisionResult;
use siskin_ids::AccountId;
use siskin_policy::{limits::MAX_BULK_ACCOUNTS, roles::Authority};
use siskin_services::{
    Error as Domain,
    moderation::{
        act::AccountAction,
        bulk::{self, AT_ONCE, BulkAction},
    },
};
use siskin_wire::admin_account::render_result;

use super::Writer;
use crate::{
    Result,
    params::{Form, chosen, chosen_list},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/accounts/bulk", web::post().to(decide));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BulkForm {
    action: Option<String>,
    #[serde(deserialize_with = "chosen_list")]
    account_ids: Vec<String>,
    /// What belongs to an action with a strike, as in the action about one account.
    warning_preset_id: Option<String>,
    text: String,
    send_email_notification: Option<bool>,
}

impl BulkForm {
    fn action(&self) -> Result<BulkAction, Domain> {
        let sent = AccountAction {
            text: self.text.clone(),
            preset: chosen(self.warning_preset_id.clone()),
            by_email: self.send_email_notification.unwrap_or(true),
            ..AccountAction::default()
        };
        BulkAction::parse(self.action.as_deref().unwrap_or_default().trim(), sent)
    }

    /// Returns the ids as sent, without duplicates.
    fn ids(self) -> Result<Vec<String>, Domain> {
        if self.account_ids.len() > MAX_BULK_ACCOUNTS {
            return Err(Domain::validation(format!(
                "There are too many accounts (maximum is {MAX_BULK_ACCOUNTS})"
            )));
        }
        Ok(without_duplicates(self.account_ids))
    }
}

/// Removes repeated ids from a list, and keeps the order.
pub(in crate::routes::admin) fn without_duplicates(mut ids: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    ids
}

async fn decide(app: Data<App>, staff: Writer, Form(form): Form<BulkForm>) -> Result<HttpResponse> {
    let action = form.action()?;
    let sent = form.ids()?;
    let ids: Vec<AccountId> = sent.iter().filter_map(|id| id.parse().ok()).collect();
    let results = decide_all(&app, staff.authority, &ids, &action).await?;
    let result = |id: &String| {
        let found = id.parse().ok().and_then(|account: AccountId| results.get(&account));
        render_result(id, found.copied().unwrap_or(DecisionResult::NotFound))
    };
    Ok(HttpResponse::Ok().json(sent.iter().map(result).collect::<Vec<_>>()))
}

/// Decides about accounts in batches, each in a transaction, and returns what happened to each.
///
/// # Errors
/// Those of [`BulkAction::check`]; then nothing changes.
pub(in crate::routes) async fn decide_all(
    app: &App,
    staff: Authority,
    ids: &[AccountId],
    action: &BulkAction,
) -> Result<HashMap<AccountId, DecisionResult>, Domain> {
    let checked = action.clone();
    app.read(move |conn| checked.check(conn)).await?;
    let mut results = HashMap::new();
    for some in ids.chunks(AT_ONCE) {
        let (batch, action, instance) = (some.to_vec(), action.clone(), app.instance().clone());
        let decided =
            app.write(move |tx| bulk::decide_some(tx, &instance, staff, &batch, &action)).await?;
        results.extend(some.iter().copied().zip(decided));
    }
    Ok(results)
}
