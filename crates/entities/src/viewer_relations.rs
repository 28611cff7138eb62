//! Relations of one viewer that decide what the viewer sees: follows, blocks, mutes, lists,
//! followed hashtags. `siskin-policy` contains the rules; this module answers the questions that
//! they ask.

use std::collections::HashMap;

use siskin_ids::{AccountId, ListId};

use crate::{
    list::RepliesPolicy,
    relationship::{Follow, Mute},
    time::Timestamp,
};

/// Relations of a viewer at one moment. An anonymous viewer has none.
///
/// Every question is answered by a search in sorted ids, so a viewer with 50,000 blocks costs as
/// little as one with none, and 8 bytes for each block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ViewerRelations {
    viewer: Option<AccountId>,
    /// Followed accounts, sorted.
    follows: Vec<AccountId>,
    /// Follows that do not show everything. Most follows have the default options.
    restricted_follows: HashMap<AccountId, Follow>,
    /// Blocked accounts, sorted.
    blocks: Vec<AccountId>,
    /// Accounts that block the viewer, sorted.
    blocked_by: Vec<AccountId>,
    /// Mutes, sorted by account. Some may have expired.
    mutes: Vec<(AccountId, Mute)>,
    /// Blocked domains, sorted.
    domains: Vec<String>,
    /// Lists of the viewer, sorted by id.
    lists: Vec<ListMembers>,
    /// Members of exclusive lists, sorted.
    exclusive: Vec<AccountId>,
    /// Names of followed hashtags, in the folded form of the hashtag rule, sorted.
    tags: Vec<String>,
}

/// Relations of a viewer in no particular order, to build [`ViewerRelations`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RelationParts {
    /// Followed accounts with the options of each follow. Pending requests do not count.
    pub follows: Vec<(AccountId, Follow)>,
    /// Blocked accounts.
    pub blocks: Vec<AccountId>,
    /// Accounts that block the viewer.
    pub blocked_by: Vec<AccountId>,
    /// Muted accounts with the options of each mute. Some may have expired.
    pub mutes: Vec<(AccountId, Mute)>,
    /// Blocked domains.
    pub domains: Vec<String>,
    /// Lists of the viewer.
    pub lists: Vec<ListMembers>,
    /// Names of followed hashtags, in the folded form of the hashtag rule.
    pub tags: Vec<String>,
}

/// A list of the viewer with its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListMembers {
    /// Id of the list.
    pub id: ListId,
    /// Which replies the timeline of the list shows.
    pub replies_policy: RepliesPolicy,
    /// Whether the home timeline omits statuses of the members.
    pub exclusive: bool,
    /// Members. The viewer follows all of them.
    pub members: Vec<AccountId>,
}

impl ListMembers {
    /// Returns `true` if the account is a member.
    #[must_use]
    pub fn contains(&self, account: AccountId) -> bool {
        self.members.binary_search(&account).is_ok()
    }
}

impl ViewerRelations {
    /// Builds the relations of `viewer`.
    #[must_use]
    pub fn of(viewer: AccountId, parts: RelationParts) -> Self {
        let RelationParts { follows, blocks, blocked_by, mut mutes, domains, mut lists, tags } =
            parts;
        for list in &mut lists {
            list.members.sort_unstable();
        }
        lists.sort_unstable_by_key(|list| list.id);
        mutes.sort_unstable_by_key(|(account, _)| *account);
        let exclusive = lists.iter().filter(|list| list.exclusive);
        let is_restricted = |follow: &Follow| !follow.reblogs || follow.languages.is_some();
        Self {
            viewer: Some(viewer),
            exclusive: sorted(exclusive.flat_map(|list| list.members.iter().copied())),
            lists,
            follows: sorted(follows.iter().map(|(account, _)| *account)),
            restricted_follows: follows
                .into_iter()
                .filter(|(_, follow)| is_restricted(follow))
                .collect(),
            blocks: sorted(blocks),
            blocked_by: sorted(blocked_by),
            mutes,
            domains: sorted(domains),
            tags: sorted(tags),
        }
    }

    /// Returns the viewer. `None` stands for an anonymous viewer.
    #[must_use]
    pub const fn viewer(&self) -> Option<AccountId> {
        self.viewer
    }

    /// Returns `true` if the account is the viewer.
    #[must_use]
    pub fn is_viewer(&self, account: AccountId) -> bool {
        self.viewer == Some(account)
    }

    /// Returns `true` if the viewer follows the account. A pending request does not count.
    #[must_use]
    pub fn follows(&self, account: AccountId) -> bool {
        self.follows.binary_search(&account).is_ok()
    }

    /// Returns `true` if the viewer follows the account and the options of the follow include
    /// reblogs.
    #[must_use]
    pub fn follows_reblogs_of(&self, account: AccountId) -> bool {
        self.follows(account)
            && self.restricted_follows.get(&account).is_none_or(|follow| follow.reblogs)
    }

    /// Returns `true` if the viewer follows the account and the options of the follow include this
    /// language. They always include statuses without a language.
    #[must_use]
    pub fn follows_in_language(&self, account: AccountId, language: Option<&str>) -> bool {
        let languages =
            self.restricted_follows.get(&account).and_then(|follow| follow.languages.as_ref());
        let is_included = match (languages, language) {
            (Some(languages), Some(language)) => languages.iter().any(|one| one == language),
            _ => true,
        };
        is_included && self.follows(account)
    }

    /// Returns the followed accounts, sorted.
    #[must_use]
    pub fn followed_accounts(&self) -> &[AccountId] {
        &self.follows
    }

    /// Returns `true` if the viewer blocks the account or its domain. A local account has no
    /// domain.
    #[must_use]
    pub fn blocks(&self, account: AccountId, domain: Option<&str>) -> bool {
        let blocks_domain = |domain: &str| {
            self.domains.binary_search_by(|blocked| blocked.as_str().cmp(domain)).is_ok()
        };
        self.blocks.binary_search(&account).is_ok() || domain.is_some_and(blocks_domain)
    }

    /// Returns `true` if the account blocks the viewer.
    #[must_use]
    pub fn is_blocked_by(&self, account: AccountId) -> bool {
        self.blocked_by.binary_search(&account).is_ok()
    }

    /// Returns the mute of the account that is in force at `now`.
    #[must_use]
    pub fn mute(&self, account: AccountId, now: Timestamp) -> Option<Mute> {
        let place = self.mutes.binary_search_by_key(&account, |(muted, _)| *muted).ok()?;
        let (_, mute) = self.mutes.get(place)?;
        mute.until.is_none_or(|until| until > now).then_some(*mute)
    }

    /// Returns the viewer's list with this id. Returns `None` for a list of another account.
    #[must_use]
    pub fn list(&self, id: ListId) -> Option<&ListMembers> {
        let place = self.lists.binary_search_by_key(&id, |list| list.id).ok()?;
        self.lists.get(place)
    }

    /// Returns `true` if the account is a member of an exclusive list of the viewer.
    #[must_use]
    pub fn is_in_exclusive_list(&self, account: AccountId) -> bool {
        self.exclusive.binary_search(&account).is_ok()
    }

    /// Returns `true` if the viewer follows the hashtag with this name in folded form.
    #[must_use]
    pub fn follows_tag(&self, name: &str) -> bool {
        self.tags.binary_search_by(|tag| tag.as_str().cmp(name)).is_ok()
    }

    /// Returns the approximate memory use in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let members: usize = self.lists.iter().map(|list| list.members.len()).sum();
        let ids = self.follows.len()
            + self.blocks.len()
            + self.blocked_by.len()
            + self.exclusive.len()
            + members;
        let texts = self.domains.iter().chain(&self.tags);
        let texts: usize = texts.map(|text| size_of::<String>() + text.len()).sum();
        size_of::<Self>()
            + ids * size_of::<AccountId>()
            + self.mutes.len() * size_of::<(AccountId, Mute)>()
            + self.lists.len() * size_of::<ListMembers>()
            + self.restricted_follows.len() * RESTRICTED_FOLLOW
            + texts
    }
}

/// Assumed memory use of a follow with options, in bytes.
const RESTRICTED_FOLLOW: usize = 256;

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort_unstable();
    items.dedup();
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEWER: AccountId = AccountId::new(1);

    fn account(id: i64) -> AccountId {
        AccountId::new(id)
    }

    #[test]
    fn an_anonymous_viewer_has_no_relations() {
        let anonymous = ViewerRelations::default();
        assert_eq!(anonymous.viewer(), None);
        assert!(!anonymous.is_viewer(VIEWER) && !anonymous.follows(VIEWER));
        assert!(!anonymous.blocks(VIEWER, Some("far.example")) && !anonymous.is_blocked_by(VIEWER));
    }

    #[test]
    fn the_options_of_a_follow_limit_what_it_includes() {
        let in_french = Follow { languages: Some(vec!["fr".to_owned()]), ..Follow::default() };
        let no_reblogs = Follow { reblogs: false, ..Follow::default() };
        let follows = vec![
            (account(4), in_french),
            (account(3), no_reblogs),
            (account(2), Follow::default()),
        ];
        let relations =
            ViewerRelations::of(VIEWER, RelationParts { follows, ..RelationParts::default() });
        assert_eq!(relations.followed_accounts(), [2, 3, 4].map(account));
        let reblogs = [2, 3, 4, 5].map(|id| relations.follows_reblogs_of(account(id)));
        assert_eq!(reblogs, [true, false, true, false]);
        let german = [2, 4, 5].map(|id| relations.follows_in_language(account(id), Some("de")));
        assert_eq!(german, [true, false, false]);
        assert!(relations.follows_in_language(account(4), Some("fr")));
        assert!(relations.follows_in_language(account(4), None));
        assert!(!relations.follows_in_language(account(5), None));
    }

    #[test]
    fn a_mute_ends_at_its_time() {
        let until = Some(Timestamp::from_unix_ms(100));
        let mutes = vec![
            (account(3), Mute { notifications: true, until }),
            (account(2), Mute { notifications: false, until: None }),
        ];
        let relations =
            ViewerRelations::of(VIEWER, RelationParts { mutes, ..RelationParts::default() });
        let mute = |id, now| relations.mute(account(id), Timestamp::from_unix_ms(now));
        assert!(mute(3, 99).is_some_and(|mute| mute.notifications));
        assert_eq!(mute(3, 100), None);
        assert!(mute(2, i64::MAX).is_some());
        assert_eq!(mute(4, 0), None);
    }

    #[test]
    fn accounts_are_blocked_by_themselves_or_by_their_domain() {
        let parts = RelationParts {
            blocks: vec![account(9), account(2)],
            blocked_by: vec![account(3)],
            domains: vec!["z.example".to_owned(), "far.example".to_owned()],
            ..RelationParts::default()
        };
        let relations = ViewerRelations::of(VIEWER, parts);
        assert!(relations.blocks(account(2), None) && relations.blocks(account(9), None));
        assert!(relations.blocks(account(5), Some("far.example")));
        assert!(!relations.blocks(account(5), Some("near.example")));
        assert!(!relations.blocks(account(3), None) && relations.is_blocked_by(account(3)));
    }

    #[test]
    fn lists_are_found_by_id_and_know_their_members() {
        let list = |id, exclusive, members: &[i64]| ListMembers {
            id: ListId::new(id),
            replies_policy: RepliesPolicy::List,
            exclusive,
            members: members.iter().copied().map(account).collect(),
        };
        let parts = RelationParts {
            lists: vec![list(8, true, &[5, 3]), list(7, false, &[4])],
            tags: vec!["walk".to_owned(), "art".to_owned()],
            ..RelationParts::default()
        };
        let relations = ViewerRelations::of(VIEWER, parts);
        let found = relations.list(ListId::new(8)).unwrap();
        assert!(found.contains(account(3)) && !found.contains(account(4)));
        assert_eq!(relations.list(ListId::new(9)), None);
        let exclusive = [3, 4, 5].map(|id| relations.is_in_exclusive_list(account(id)));
        assert_eq!(exclusive, [true, false, true]);
        assert!(relations.follows_tag("art") && !relations.follows_tag("Art"));
    }

    #[test]
    fn memory_grows_with_the_relations() {
        let blocks = (0..50_000).map(account).collect();
        let parts = RelationParts { blocks, ..RelationParts::default() };
        let memory = ViewerRelations::of(VIEWER, parts).memory();
        assert!((400_000..500_000).contains(&memory), "{memory}");
    }
}
