//! Decisions about many sign-ups at once: an extension of the interface.

use std::collections::{HashMap, HashSet};

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{SignUpAction, SignUpResult};
use siskin_ids::AccountId;
use siskin_policy::{limits::MAX_BULK_ACCOUNTS, roles::Authority};
use siskin_services::{
    Error as Domain,
    moderation::{act::Decider, sign_ups},
};
use siskin_wire::admin_account::render_result;

use super::Writer;
use crate::{
    Result,
    params::{Form, chosen, chosen_list},
    table::Table,
};

/// Number of decisions in one transaction, so that other writers get their turn.
const BATCH_SIZE: usize = 20;

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/accounts/bulk", web::post().to(decide));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BulkForm {
    action: Option<String>,
    #[serde(deserialize_with = "chosen_list")]
    account_ids: Vec<String>,
}

impl BulkForm {
    fn action(&self) -> Result<SignUpAction, Domain> {
        let action = chosen(self.action.as_deref()).and_then(|name| name.parse().ok());
        action.ok_or_else(|| Domain::validation("Action is not included in the list"))
    }

    /// Returns the ids as sent, without duplicates.
    fn ids(self) -> Result<Vec<String>, Domain> {
        if self.account_ids.len() > MAX_BULK_ACCOUNTS {
            return Err(Domain::validation(format!(
                "There are too many accounts (maximum is {MAX_BULK_ACCOUNTS})"
            )));
        }
        let mut seen = HashSet::new();
        let mut ids = self.account_ids;
        ids.retain(|id| seen.insert(id.clone()));
        Ok(ids)
    }
}

async fn decide(app: Data<App>, staff: Writer, Form(form): Form<BulkForm>) -> Result<HttpResponse> {
    let action = form.action()?;
    let sent = form.ids()?;
    let ids: Vec<AccountId> = sent.iter().filter_map(|id| id.parse().ok()).collect();
    let results = decide_all(&app, staff.authority, &ids, action).await?;
    let result = |id: &String| {
        let found = id.parse().ok().and_then(|account: AccountId| results.get(&account));
        render_result(id, found.copied().unwrap_or(SignUpResult::NotFound))
    };
    Ok(HttpResponse::Ok().json(sent.iter().map(result).collect::<Vec<_>>()))
}

/// Decides about sign-ups in batches, each in a transaction, and returns what happened to each.
pub(in crate::routes) async fn decide_all(
    app: &App,
    staff: Authority,
    ids: &[AccountId],
    action: SignUpAction,
) -> Result<HashMap<AccountId, SignUpResult>> {
    let decider = Decider::Staff(staff);
    let mut results = HashMap::new();
    for some in ids.chunks(BATCH_SIZE) {
        let (some, instance) = (some.to_vec(), app.instance().clone());
        let batch = some.clone();
        let decided = app
            .write(move |tx| sign_ups::decide_some(tx, &instance, decider, &batch, action))
            .await?;
        results.extend(some.into_iter().zip(decided));
    }
    Ok(results)
}
