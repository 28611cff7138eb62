//! The accounts that a text names: whom its mentions mean, and where they lead.

use std::collections::HashMap;

use siskin_entities::Urls;
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    accounts::{HandleKey, Mentionable, mentionable},
};
use siskin_text::{Handle, Hashtag, Links, MentionLink, username_key};

use crate::{Instance, Result};

/// The accounts that the handles of a text name, as far as they can be mentioned.
#[derive(Debug)]
pub(crate) struct Named {
    accounts: HashMap<HandleKey, Mentionable>,
    urls: Urls,
}

impl Named {
    /// Looks up all handles of a text by `author` at once.
    pub(crate) fn find(
        conn: &mut Conn,
        instance: &Instance,
        author: AccountId,
        handles: &[&Handle],
    ) -> Result<Self> {
        let urls = instance.urls.clone();
        let keys: Vec<HandleKey> = handles.iter().map(|handle| key(handle, &urls)).collect();
        let accounts = mentionable(conn, author, &keys)?
            .into_iter()
            .map(|account| ((account.username_key.clone(), account.domain.clone()), account))
            .collect();
        Ok(Self { accounts, urls })
    }

    /// The account that a handle names.
    pub(crate) fn account(&self, handle: &Handle) -> Option<&Mentionable> {
        self.accounts.get(&key(handle, &self.urls))
    }

    /// The name that is shown after the `@`: with its domain where the text names two people who
    /// share the rest.
    fn shown(&self, account: &Mentionable) -> String {
        let namesakes = self.accounts.keys().filter(|(name, _)| *name == account.username_key);
        match &account.domain {
            Some(domain) if namesakes.count() > 1 => format!("{}@{domain}", account.username),
            _ => account.username.clone(),
        }
    }
}

/// No domain for accounts of this server, however the handle names it.
pub(crate) fn key(handle: &Handle, urls: &Urls) -> HandleKey {
    let domain = handle.domain.as_ref().filter(|domain| *domain != urls.domain());
    (username_key(&handle.username), domain.cloned())
}

impl Links for Named {
    fn mention(&self, handle: &Handle) -> Option<MentionLink> {
        let account = self.account(handle)?;
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
