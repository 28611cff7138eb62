//! Whom a text names, and where the names lead.

use siskin_entities::Urls;
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    accounts::{self, HandleKey, Mentionable},
};
use siskin_text::{self as text, Handle, Hashtag, Links, MentionLink, Token, username_key};

use crate::Result;

/// The accounts that a text names, as far as they can be named.
pub(super) struct Mentions<'u> {
    urls: &'u Urls,
    /// Each once, in the order in which they were typed.
    accounts: Vec<Mentionable>,
}

impl<'u> Mentions<'u> {
    pub(super) fn find(conn: &mut Conn, tokens: &[Token], urls: &'u Urls) -> Result<Self> {
        let keys: Vec<HandleKey> =
            text::mentions(tokens).into_iter().map(|handle| key(handle, urls)).collect();
        let found = accounts::mentionable(conn, &keys)?;
        let mut named: Vec<Mentionable> = Vec::new();
        for key in &keys {
            // `@name` and `@name@here` are two handles of one account.
            let account = found.iter().find(|account| is_of(account, key));
            if let Some(account) = account.filter(|account| !named.contains(account)) {
                named.push(account.clone());
            }
        }
        Ok(Self { urls, accounts: named })
    }

    pub(super) fn ids(&self) -> Vec<AccountId> {
        self.accounts.iter().map(|account| account.id).collect()
    }

    /// The user name, with its domain where someone else of that name is named too.
    fn shown(&self, account: &Mentionable) -> String {
        let is_namesake = |other: &&Mentionable| other.username_key == account.username_key;
        match &account.domain {
            Some(domain) if self.accounts.iter().filter(is_namesake).count() > 1 => {
                format!("{}@{domain}", account.username)
            }
            _ => account.username.clone(),
        }
    }
}

fn key(handle: &Handle, urls: &Urls) -> HandleKey {
    let domain = handle.domain.clone().filter(|domain| domain != urls.domain());
    (username_key(&handle.username), domain)
}

fn is_of(account: &Mentionable, (name, domain): &HandleKey) -> bool {
    account.username_key == *name && account.domain == *domain
}

impl Links for Mentions<'_> {
    fn mention(&self, handle: &Handle) -> Option<MentionLink> {
        let key = key(handle, self.urls);
        let account = self.accounts.iter().find(|account| is_of(account, &key))?;
        let url = match (&account.domain, &account.url) {
            (None, _) => self.urls.profile(&account.username),
            (Some(_), Some(url)) => url.clone(),
            (Some(_), None) => account.uri.clone(),
        };
        Some(MentionLink { url, shown: self.shown(account) })
    }

    fn hashtag(&self, hashtag: &Hashtag) -> String {
        self.urls.tag(&hashtag.name)
    }
}
