//! Resolves the handles in a text to accounts and their profile links.

use std::collections::HashMap;

use siskin_entities::Urls;
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    accounts::{HandleKey, Mentionable, mentionable},
};
use siskin_text::{Handle, Hashtag, Links, MentionLink, username_key};

use crate::{Instance, Result};

/// Accounts of the handles in a text, as far as they can be mentioned.
#[derive(Debug)]
pub(crate) struct Mentionables {
    accounts: HashMap<HandleKey, Mentionable>,
    urls: Urls,
}

impl Mentionables {
    /// Looks up all handles of a text by `author` at once.
    pub(crate) fn find(
        conn: &mut Conn,
        instance: &Instance,
        author: AccountId,
        handles: &[&Handle],
    ) -> Result<Self> {
        Self::look_up(conn, &instance.urls, author, handles)
    }

    /// Looks up all handles of texts of the instance at once, which has no account and blocks none.
    pub(crate) fn find_for_instance(
        conn: &mut Conn,
        urls: &Urls,
        handles: &[&Handle],
    ) -> Result<Self> {
        // No account has the id 0.
        Self::look_up(conn, urls, AccountId::new(0), handles)
    }

    fn look_up(
        conn: &mut Conn,
        urls: &Urls,
        author: AccountId,
        handles: &[&Handle],
    ) -> Result<Self> {
        let keys: Vec<HandleKey> = handles.iter().map(|handle| key(handle, urls)).collect();
        let accounts = mentionable(conn, author, &keys)?
            .into_iter()
            .map(|account| ((account.username_key.clone(), account.domain.clone()), account))
            .collect();
        Ok(Self { accounts, urls: urls.clone() })
    }

    /// Returns the account of a handle.
    pub(crate) fn account(&self, handle: &Handle) -> Option<&Mentionable> {
        self.accounts.get(&key(handle, &self.urls))
    }

    /// Returns the address of the profile page of an account.
    pub(crate) fn url(&self, account: &Mentionable) -> String {
        match (&account.domain, &account.url) {
            (None, _) => self.urls.profile(&account.username),
            (Some(_), Some(url)) => url.clone(),
            (Some(_), None) => account.uri.clone(),
        }
    }

    /// Returns the name that is shown after the `@`. It includes the domain if the text mentions
    /// two accounts with the same user name.
    fn shown(&self, account: &Mentionable) -> String {
        let same_names = self.accounts.keys().filter(|(name, _)| *name == account.username_key);
        match &account.domain {
            Some(domain) if same_names.count() > 1 => format!("{}@{domain}", account.username),
            _ => account.username.clone(),
        }
    }
}

/// Returns the lookup key of a handle. The key has no domain for local accounts, even if the handle
/// has one.
pub(crate) fn key(handle: &Handle, urls: &Urls) -> HandleKey {
    let domain = handle.domain.as_ref().filter(|domain| !urls.is_own_domain(domain));
    (username_key(&handle.username), domain.cloned())
}

impl Links for Mentionables {
    fn mention(&self, handle: &Handle) -> Option<MentionLink> {
        let account = self.account(handle)?;
        Some(MentionLink { url: self.url(account), shown: self.shown(account) })
    }

    fn hashtag(&self, hashtag: &Hashtag) -> String {
        self.urls.tag(&hashtag.name)
    }
}
