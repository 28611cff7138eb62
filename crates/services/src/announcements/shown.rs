//! Announcements as users see them. The text is rendered for each response, so that its mentions
//! and links fit the present state of the accounts and statuses.

use std::collections::{BTreeSet, HashMap, HashSet};

use siskin_entities::{
    Announcement, AnnouncementReaction, CustomEmoji, ShownAnnouncement, Timestamp, Urls, acct,
    announcement::LinkedStatus,
    status::{Mention, StatusTag},
};
use siskin_ids::{AccountId, AnnouncementId, StatusId};
use siskin_persistence::{
    Conn, announcements as rows,
    announcements::CountedReaction,
    emojis,
    statuses::{self, visible_ids},
};
use siskin_policy::{
    announcements::{is_shown, sort},
    limits::MAX_ANNOUNCEMENTS_SHOWN,
};
use siskin_text::{
    Token, hashtags, links, mentions, parse, render, shortcodes, username_key, valid_shortcode,
};

use crate::{
    Result,
    addresses::{self, Local},
    named::Mentionables,
};

/// Returns the announcements that users see now, for a viewer, in the order of display. The number
/// of statements does not depend on their number.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    urls: &Urls,
    viewer: AccountId,
    now: Timestamp,
) -> Result<Vec<ShownAnnouncement>> {
    let mut found = rows::published(conn, MAX_ANNOUNCEMENTS_SHOWN)?;
    found.retain(|announcement| is_shown(announcement, now));
    sort(&mut found);
    show(conn, urls, found, Some(viewer))
}

/// Returns those of these announcements that users see now, as they are the same for all viewers.
///
/// # Errors
/// Storage errors only.
pub fn of_ids(
    conn: &mut Conn,
    urls: &Urls,
    ids: &[AnnouncementId],
    now: Timestamp,
) -> Result<Vec<ShownAnnouncement>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = rows::load(conn, ids)?;
    found.retain(|announcement| is_shown(announcement, now));
    show(conn, urls, found, None)
}

fn show(
    conn: &mut Conn,
    urls: &Urls,
    announcements: Vec<Announcement>,
    viewer: Option<AccountId>,
) -> Result<Vec<ShownAnnouncement>> {
    if announcements.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<AnnouncementId> =
        announcements.iter().map(|announcement| announcement.id).collect();
    let read = viewer.map(|viewer| rows::dismissed(conn, viewer, &ids)).transpose()?;
    let parsed: Vec<Vec<Token>> =
        announcements.iter().map(|announcement| parse(&announcement.text)).collect();
    let parts = Parts::load(conn, urls, &announcements, &parsed, viewer)?;
    let shown = announcements.into_iter().zip(&parsed).map(|(announcement, tokens)| {
        let id = announcement.id;
        ShownAnnouncement {
            content: render(tokens, &parts.accounts),
            mentions: parts.mentions(tokens),
            statuses: parts.statuses(urls, tokens),
            tags: hashtags(tokens)
                .into_iter()
                .map(|tag| StatusTag { name: tag.name.clone() })
                .collect(),
            emojis: parts.emojis_of(&announcement.text),
            reactions: parts.reactions_of(id, viewer),
            read: read.as_ref().map(|read| read.contains(&id)),
            announcement,
        }
    });
    Ok(shown.collect())
}

/// Everything to which a batch of announcements refers.
struct Parts {
    accounts: Mentionables,
    /// Public statuses, with the user names of their authors.
    statuses: HashMap<StatusId, String>,
    emojis: HashMap<String, CustomEmoji>,
    reactions: Vec<CountedReaction>,
}

impl Parts {
    fn load(
        conn: &mut Conn,
        urls: &Urls,
        announcements: &[Announcement],
        parsed: &[Vec<Token>],
        viewer: Option<AccountId>,
    ) -> Result<Self> {
        let ids: Vec<AnnouncementId> = announcements.iter().map(|one| one.id).collect();
        let handles: Vec<_> = parsed.iter().flat_map(|tokens| mentions(tokens)).collect();
        let linked = parsed.iter().flat_map(|tokens| linked_statuses(urls, tokens));
        let linked: Vec<StatusId> = linked.map(|(_, id)| id).collect();
        let reactions = rows::reactions(conn, &ids, viewer)?;
        let texts = announcements.iter().flat_map(|one| shortcodes(&one.text));
        let names = reactions.iter().map(|reaction| reaction.name.as_str());
        let names: BTreeSet<&str> =
            texts.chain(names.filter(|name| valid_shortcode(name))).collect();
        Ok(Self {
            accounts: Mentionables::find_for_instance(conn, urls, &handles)?,
            statuses: public_statuses(conn, &linked)?,
            emojis: emojis::named(conn, &names)?,
            reactions,
        })
    }

    fn mentions(&self, tokens: &[Token]) -> Vec<Mention> {
        let mut seen = HashSet::new();
        let found = mentions(tokens).into_iter().filter_map(|handle| self.accounts.account(handle));
        let found = found.filter(|account| seen.insert(account.id));
        let mention = |account: &siskin_persistence::accounts::Mentionable| Mention {
            account_id: account.id,
            username: account.username.clone(),
            acct: acct(&account.username, account.domain.as_deref()),
            url: self.accounts.url(account),
        };
        found.map(mention).collect()
    }

    fn statuses(&self, urls: &Urls, tokens: &[Token]) -> Vec<LinkedStatus> {
        let mut seen = HashSet::new();
        let found = linked_statuses(urls, tokens).into_iter().filter_map(|(typed, id)| {
            let username = self.statuses.get(&id)?;
            let is_theirs = username_key(username) == username_key(&typed);
            (is_theirs && seen.insert(id)).then(|| LinkedStatus { id, username: username.clone() })
        });
        found.collect()
    }

    fn emojis_of(&self, text: &str) -> Vec<CustomEmoji> {
        let mut seen = HashSet::new();
        let names = shortcodes(text).into_iter().filter(|name| seen.insert(*name));
        names.filter_map(|name| self.emojis.get(name).cloned()).collect()
    }

    /// Returns the reactions to an announcement, without those with a deleted custom emoji.
    fn reactions_of(
        &self,
        id: AnnouncementId,
        viewer: Option<AccountId>,
    ) -> Vec<AnnouncementReaction> {
        let reactions = self.reactions.iter().filter(|reaction| reaction.announcement == id);
        let shown = reactions.filter_map(|reaction| {
            let emoji = self.emojis.get(&reaction.name).cloned();
            (emoji.is_some() || !valid_shortcode(&reaction.name)).then(|| AnnouncementReaction {
                name: reaction.name.clone(),
                count: reaction.count,
                me: viewer.map(|_| reaction.me),
                emoji,
            })
        });
        shown.collect()
    }
}

/// Returns the statuses of this server to which a text links, with the typed user names.
fn linked_statuses(urls: &Urls, tokens: &[Token]) -> Vec<(String, StatusId)> {
    let found = links(tokens).into_iter().filter_map(|link| match addresses::local(urls, link) {
        Some(Local::Status(username, id)) => Some((username, id)),
        _ => None,
    });
    found.collect()
}

/// Loads those of these statuses that an anonymous viewer sees, with the user names of their
/// authors. Only local ones, because the addresses are those of this server.
fn public_statuses(conn: &mut Conn, ids: &[StatusId]) -> Result<HashMap<StatusId, String>> {
    let visible = visible_ids(conn, ids, None)?;
    let statuses = statuses::load(conn, &visible, None)?;
    let local = statuses.into_iter().filter(|status| status.body.account.is_local());
    Ok(local.map(|status| (status.body.id, status.body.account.username.clone())).collect())
}
