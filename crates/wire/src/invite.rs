//! Invites: an extension of the API.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::{AccountId, InviteId};

use crate::{time::Instant, urls::Urls};

/// Link by which a user lets others sign up.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Invite {
    /// Id of the invite.
    pub id: InviteId,
    /// Account that created it.
    pub account_id: AccountId,
    /// Secret that new accounts are created with.
    pub code: String,
    /// Address of the page on which people sign up with it.
    pub url: String,
    /// How many people may sign up with it; null if any number may.
    pub max_uses: Option<i64>,
    /// How many people signed up with it.
    pub uses: i64,
    /// Whether new accounts follow the account that invited them.
    pub autofollow: bool,
    /// Comment of its creator.
    pub comment: String,
    /// Time of its creation.
    pub created_at: Instant,
    /// Time from which on it is not valid; null if it never expires.
    pub expires_at: Option<Instant>,
}

/// Renders an invite for its creator or for staff.
#[must_use]
pub fn render(invite: &view::Invite, urls: &Urls) -> Invite {
    Invite {
        id: invite.id,
        account_id: invite.account,
        code: invite.code.clone(),
        url: urls.page(&format!("/invite/{}", invite.code)),
        max_uses: invite.max_uses,
        uses: invite.uses,
        autofollow: invite.autofollow,
        comment: invite.comment.clone(),
        created_at: Instant(invite.created_at),
        expires_at: invite.expires_at.map(Instant),
    }
}
