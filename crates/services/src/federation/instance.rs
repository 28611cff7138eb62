//! Document of the actor of the whole server, which signs what no account asks for.

use siskin_entities::Urls;
use siskin_federation::write::{self, InstanceActor, RsaKey};
use siskin_persistence::Conn;

use super::{
    actors::{multikey, public_keys},
    document::{Answer, DocumentCache, Found, Parts, cached},
    keys::{self, KeySet},
    names::{self, ActorNames},
};
use crate::Result;

/// Page about the server.
const ABOUT: &str = "/about";

/// Returns the document of the actor of the whole server.
///
/// # Errors
/// Storage errors only; [`crate::Error::Internal`] if the domain of this server cannot be that of a
/// handle.
pub fn find(conn: &mut Conn, urls: &Urls, cache: &dyn DocumentCache) -> Result<Answer> {
    let Some(keys) = keys::load(conn, None)? else { return Ok(Answer::WithoutKeys(None)) };
    let parts = Parts::InstanceActor { keys: public_keys(&keys) };
    let document = cached(cache, parts, || written(urls, &keys))?;
    Ok(Answer::Found(Found::Document(document)))
}

fn written(urls: &Urls, keys: &KeySet) -> Result<Vec<u8>> {
    let names = ActorNames::of_instance(urls);
    let domain = names::domain(urls)?;
    let handle = names::handle(urls, domain.host())?;
    Ok(write::instance_actor(&InstanceActor {
        id: &names.id,
        handle: &handle,
        url: &urls.page(ABOUT),
        inbox: &names.inbox,
        // It publishes nothing.
        outbox: "",
        shared_inbox: &names.shared_inbox,
        rsa_key: RsaKey { id: &names.rsa_key, pem: &keys.rsa.public },
        multikeys: &[multikey(&names, keys)],
    }))
}
