//! `/api/v1/push/subscription`.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::PushAlerts;
use siskin_persistence::Tx;
use siskin_policy::scopes::Push;
use siskin_services::push::{self, Subscribed, Subscriber, SubscriptionRequest};
use siskin_wire::{empty::Empty, push as wire};

use crate::{Authorized, Result, auth::PresentedToken, params::Form, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/push/subscription", web::get().to(show))
        .route("/api/v1/push/subscription", web::post().to(subscribe))
        .route("/api/v1/push/subscription", web::put().to(change))
        .route("/api/v1/push/subscription", web::delete().to(unsubscribe));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SubscribeParams {
    subscription: SubscriptionParams,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SubscriptionParams {
    endpoint: String,
    keys: KeysParams,
    standard: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct KeysParams {
    p256dh: String,
    auth: String,
}

impl std::fmt::Debug for SubscriptionParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SubscriptionParams")
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChoiceParams {
    data: DataParams,
    /// An update has the policy here, or in `data`.
    policy: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DataParams {
    alerts: Option<BTreeMap<String, Option<bool>>>,
    policy: Option<String>,
}

impl ChoiceParams {
    fn alerts(&self) -> Option<PushAlerts> {
        let named = |alerts: &BTreeMap<String, Option<bool>>| {
            let given = alerts.iter().filter_map(|(name, on)| Some((name.as_str(), (*on)?)));
            push::parse_alerts(given)
        };
        self.data.alerts.as_ref().map(named)
    }

    fn policy(self) -> Option<String> {
        self.data.policy.or(self.policy).filter(|policy| !policy.is_empty())
    }
}

async fn show(app: web::Data<App>, caller: Authorized<Push>) -> Result<HttpResponse> {
    let found = app.read(move |conn| push::find(conn, caller.token)).await?;
    Ok(response(&found))
}

async fn subscribe(
    app: web::Data<App>,
    caller: Authorized<Push>,
    PresentedToken(secret): PresentedToken,
    Form(SubscribeParams { subscription }): Form<SubscribeParams>,
    Form(choice): Form<ChoiceParams>,
) -> Result<HttpResponse> {
    let request = SubscriptionRequest {
        endpoint: subscription.endpoint,
        p256dh: subscription.keys.p256dh,
        auth: subscription.keys.auth,
        standard: subscription.standard,
        alerts: choice.alerts().unwrap_or_default(),
        policy: choice.policy(),
    };
    let valid = push::prepare(app.http(), request)?;
    let subscriber = Subscriber { account: caller.account, token: caller.token, secret };
    let subscribed = app.write(move |tx| push::subscribe(tx, &subscriber, &valid)).await?;
    Ok(response(&subscribed))
}

async fn change(
    app: web::Data<App>,
    caller: Authorized<Push>,
    Form(choice): Form<ChoiceParams>,
) -> Result<HttpResponse> {
    let alerts = choice.alerts();
    let policy = choice.policy().as_deref().map(push::parse_policy).transpose()?;
    let change = move |tx: &mut Tx<'_>| push::change(tx, caller.token, alerts.as_ref(), policy);
    Ok(response(&app.write(change).await?))
}

async fn unsubscribe(app: web::Data<App>, caller: Authorized<Push>) -> Result<HttpResponse> {
    app.write(move |tx| push::unsubscribe(tx, caller.token)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

fn response(subscribed: &Subscribed) -> HttpResponse {
    let Subscribed { subscription, server_key } = subscribed;
    HttpResponse::Ok().json(wire::render(subscription, server_key))
}
