//! The time between the moment a person leaves for a provider and the moment they come back.

use serde::{Deserialize, Serialize};
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, SessionId};
use siskin_outbound::openid::FlowSecrets;
use siskin_persistence::Conn;
use siskin_policy::external_login::{FLOW_PERIOD, is_within};
use subtle::ConstantTimeEq;

use super::{MAX_SEALED, open, seal};
use crate::Result;

const CONTEXT: &[u8] = b"sign-in at a provider";

/// Why a person goes to a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To sign in here, or to sign up.
    SignIn {
        /// Page of this server to return to.
        return_to: Option<String>,
        invite_code: Option<String>,
    },
    /// To link the login to the account of this session.
    Link { account: AccountId, session: SessionId },
    /// To prove in this session that they own its account.
    Prove { account: AccountId, session: SessionId, return_to: Option<String> },
}

/// A sign-in at a provider that is not finished. Only the browser that began it has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Id of the provider.
    pub provider: String,
    pub secrets: FlowSecrets,
    pub purpose: Purpose,
    /// Unix time in milliseconds.
    began_at: i64,
}

impl Flow {
    /// Builds a flow that begins now.
    #[must_use]
    pub const fn new(
        provider: String,
        secrets: FlowSecrets,
        purpose: Purpose,
        now: Timestamp,
    ) -> Self {
        Self { provider, secrets, purpose, began_at: now.unix_ms() }
    }

    /// Returns when the person left for the provider.
    #[must_use]
    pub const fn began_at(&self) -> Timestamp {
        Timestamp::from_unix_ms(self.began_at)
    }

    /// Returns `true` if the person came back from this sign-in, and not from one that others
    /// began.
    #[must_use]
    pub fn is_answered_by(&self, state: &str) -> bool {
        self.secrets.state.as_bytes().ct_eq(state.as_bytes()).into()
    }

    /// Returns the flow without the page to return to, which may be too long for a cookie.
    fn without_page(&self) -> Self {
        let mut flow = self.clone();
        match &mut flow.purpose {
            Purpose::SignIn { return_to, .. } | Purpose::Prove { return_to, .. } => {
                *return_to = None;
            }
            Purpose::Link { .. } => {}
        }
        flow
    }
}

/// Encrypts a flow for the cookie of the browser. Leaves out the page to return to if the browser
/// would drop the cookie because of it.
///
/// # Errors
/// Storage errors only.
pub fn seal_flow(conn: &mut Conn, flow: &Flow) -> Result<String> {
    let sealed = seal(conn, CONTEXT, flow)?;
    if sealed.len() <= MAX_SEALED { Ok(sealed) } else { seal(conn, CONTEXT, &flow.without_page()) }
}

/// Returns the flow in a cookie. Returns `None` if it is damaged, or the person was away for too
/// long.
///
/// # Errors
/// Storage errors only.
pub fn open_flow(conn: &mut Conn, sealed: &str, now: Timestamp) -> Result<Option<Flow>> {
    let flow: Option<Flow> = open(conn, CONTEXT, sealed)?;
    Ok(flow.filter(|flow| is_within(FLOW_PERIOD, flow.began_at(), now)))
}
