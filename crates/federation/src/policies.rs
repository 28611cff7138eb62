//! Interaction policies: who may quote, answer, like or announce an object (FEP-044f,
//! `GoToSocial`).
//!
//! Policies of others are only read here. What follows from them for an account depends on facts
//! that the caller knows.

use crate::{
    address::Uri,
    audience::is_public,
    json::{Members, Value},
    read::Reader,
};

/// Number of accounts that are read of each list of a policy.
pub const MAX_GRANTS: usize = 200;

/// Accounts that a policy admits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Grant {
    /// Everyone.
    Public,
    /// An account, or a collection of the author.
    Id(Uri),
}

/// Policy of one kind of interaction. An empty one admits only the author.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// Those that are admitted at once (`automaticApproval`; before: `always`).
    pub automatic: Vec<Grant>,
    /// Those about which the author decides (`manualApproval`; before: `approvalRequired`).
    pub manual: Vec<Grant>,
}

/// Policies of an object; `None` if it says nothing about a kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InteractionPolicy {
    /// Who may quote it.
    pub can_quote: Option<Rule>,
    /// Who may answer it.
    pub can_reply: Option<Rule>,
    /// Who may like it.
    pub can_like: Option<Rule>,
    /// Who may announce it.
    pub can_announce: Option<Rule>,
}

/// Kind of an interaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interaction {
    /// A quote, which needs the consent of the author if the object says nothing.
    Quote,
    /// An answer.
    Reply,
    /// A like.
    Like,
    /// A reblog.
    Announce,
}

/// What a policy says to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// It may not interact.
    Denied,
    /// The author decides.
    Manual,
    /// It may interact at once.
    Automatic,
}

/// Author of an object, with the collections that its actor document names.
#[derive(Debug, Clone, Copy)]
pub struct PolicyAuthor<'a> {
    /// Id of the author.
    pub id: &'a Uri,
    /// Collection of the author's followers.
    pub followers: Option<&'a Uri>,
    /// Collection of those that the author follows.
    pub following: Option<&'a Uri>,
}

/// Account that wants to interact.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// Id of the account.
    pub id: &'a Uri,
    /// Whether it follows the author.
    pub is_follower: bool,
    /// Whether the author follows it.
    pub is_followed: bool,
}

impl InteractionPolicy {
    /// Returns the policy of one kind, if the object says something about it.
    #[must_use]
    pub const fn rule(&self, interaction: Interaction) -> Option<&Rule> {
        match interaction {
            Interaction::Quote => self.can_quote.as_ref(),
            Interaction::Reply => self.can_reply.as_ref(),
            Interaction::Like => self.can_like.as_ref(),
            Interaction::Announce => self.can_announce.as_ref(),
        }
    }

    /// Returns what the policy of an object says to an account. Authors may always interact with
    /// what is theirs. An object without a policy is open, but quotes ask.
    #[must_use]
    pub fn permission(
        policy: Option<&Self>,
        interaction: Interaction,
        author: PolicyAuthor<'_>,
        asker: Asker<'_>,
    ) -> Permission {
        if asker.id == author.id {
            return Permission::Automatic;
        }
        match policy.and_then(|policy| policy.rule(interaction)) {
            Some(rule) => rule.permission(author, asker),
            None if interaction == Interaction::Quote => Permission::Manual,
            None => Permission::Automatic,
        }
    }
}

impl Rule {
    fn permission(&self, author: PolicyAuthor<'_>, asker: Asker<'_>) -> Permission {
        let admits = |grant: &Grant| match grant {
            Grant::Public => true,
            Grant::Id(id) => {
                id == asker.id
                    || (asker.is_follower && author.followers == Some(id))
                    || (asker.is_followed && author.following == Some(id))
            }
        };
        if self.automatic.iter().any(admits) {
            Permission::Automatic
        } else if self.manual.iter().any(admits) {
            Permission::Manual
        } else {
            Permission::Denied
        }
    }
}

impl Reader {
    /// Returns the interaction policy of an object.
    pub(crate) fn policy(self, members: Members<'_>) -> Option<InteractionPolicy> {
        let policy = members.object("interactionPolicy")?;
        let rule = |name| policy.object(name).map(|it| self.rule(it));
        Some(InteractionPolicy {
            can_quote: rule("canQuote"),
            can_reply: rule("canReply"),
            can_like: rule("canLike"),
            can_announce: rule("canAnnounce"),
        })
    }

    fn rule(self, members: Members<'_>) -> Rule {
        let grants = |name: &str, older: &str| {
            let name = if members.get(name).is_some() { name } else { older };
            members.items(name).filter_map(|it| self.grant(it)).take(MAX_GRANTS).collect()
        };
        Rule {
            automatic: grants("automaticApproval", "always"),
            manual: grants("manualApproval", "approvalRequired"),
        }
    }

    fn grant(self, value: &Value) -> Option<Grant> {
        if is_public(value) { Some(Grant::Public) } else { self.uri(value).map(Grant::Id) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        Interaction::{Like, Quote, Reply},
        Permission::{Automatic, Denied, Manual},
        *,
    };
    use crate::{address::Schemes, audience::PUBLIC};

    fn uri(text: &str) -> Uri {
        Uri::parse(text, Schemes::Https).unwrap()
    }

    /// Returns what a policy says about an interaction to a stranger, a follower, an account that
    /// the author follows, and the author.
    fn permissions(policy: &Value, interaction: Interaction) -> [Permission; 4] {
        let object = json!({"interactionPolicy": policy});
        let policy = Reader::default().policy(Members::of(&object).unwrap());
        let (id, asker) = (uri("https://a.example/u"), uri("https://b.example/u"));
        let followers = uri("https://a.example/u/followers");
        let following = uri("https://a.example/u/following");
        let author =
            PolicyAuthor { id: &id, followers: Some(&followers), following: Some(&following) };
        [(&asker, false, false), (&asker, true, false), (&asker, false, true), (&id, false, false)]
            .map(|(id, is_follower, is_followed)| {
                let asker = Asker { id, is_follower, is_followed };
                InteractionPolicy::permission(policy.as_ref(), interaction, author, asker)
            })
    }

    #[test]
    fn policies_of_every_spelling_are_read() {
        let followers = "https://a.example/u/followers";
        for (policy, interaction, expected) in [
            (json!(null), Quote, [Manual, Manual, Manual, Automatic]),
            (json!(null), Reply, [Automatic; 4]),
            (json!({}), Quote, [Manual, Manual, Manual, Automatic]),
            (json!({"canReply": {}}), Reply, [Denied, Denied, Denied, Automatic]),
            (json!({"canQuote": {"automaticApproval": [PUBLIC]}}), Quote, [Automatic; 4]),
            (json!({"canQuote": {"automaticApproval": PUBLIC}}), Quote, [Automatic; 4]),
            (
                json!({"canQuote": {"automaticApproval": "https://a.example/u"}}),
                Quote,
                [Denied, Denied, Denied, Automatic],
            ),
            (
                json!({"canQuote": {"automaticApproval": [followers], "manualApproval": "as:Public"}}),
                Quote,
                [Manual, Automatic, Manual, Automatic],
            ),
            (
                json!({"canLike": {"always": ["https://a.example/u/following"],
                    "approvalRequired": []}}),
                Like,
                [Denied, Denied, Automatic, Automatic],
            ),
            (json!({"canReply": {"always": "https://b.example/u"}}), Reply, [Automatic; 4]),
            (
                json!({"canReply": {"always": 7, "manualApproval": [null]}}),
                Reply,
                [Denied, Denied, Denied, Automatic],
            ),
        ] {
            assert_eq!(permissions(&policy, interaction), expected, "{policy}");
        }
    }

    #[test]
    fn followers_of_others_admit_no_one() {
        let policy = json!({"canReply": {"always": "https://c.example/u/followers"}});
        assert_eq!(permissions(&policy, Reply), [Denied, Denied, Denied, Automatic]);
    }
}
