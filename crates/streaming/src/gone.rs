//! Who is told that a status is gone: those who could read it, on the streams that had it.

use std::sync::Arc;

use siskin_entities::{Feeds, Visibility};
use siskin_persistence::{
    Conn, Result,
    events::DeletedStatus,
    timelines::{Origin, audience::Former},
};

use crate::{
    Audience, Delivery, Listener, News, Stream, audience::each_once, resolve::to, traits::Traits,
};

pub(crate) fn deleted(
    conn: &mut Conn,
    id: i64,
    gone: &DeletedStatus,
    audience: &Audience,
    feeds: Feeds,
) -> Result<Vec<Delivery>> {
    let traits = traits(gone);
    let readers = each_once(audience.listeners().iter().map(|listener| listener.account));
    let former = Former::of(conn, gone, &readers, audience.lists())?;
    let news = Arc::new(News::new(id, "delete", Some(gone.id.to_string())));
    let had_it = |listener: &Listener| match &listener.stream {
        Stream::User => former.was_at_home(gone, listener.account),
        Stream::List(list) => former.was_in_list(gone, *list, listener.account),
        Stream::Public(_) | Stream::Hashtag { .. } => {
            traits.fit(&listener.stream, feeds) && former.could_read(gone, listener.account)
        }
        Stream::Notifications | Stream::Direct => false,
    };
    Ok(audience.those(had_it).map(|listener| to(listener, &news)).collect())
}

fn traits(gone: &DeletedStatus) -> Traits {
    Traits {
        is_public: Visibility::from_number(gone.visibility) == Visibility::Public,
        is_reblog: gone.is_reblog,
        answers_others: gone.answered.is_some_and(|answered| answered != gone.account),
        origin: if gone.local { Origin::Local } else { Origin::Remote },
        has_media: gone.has_media,
        tags: gone.tags.iter().map(|(_, name)| name.clone()).collect(),
    }
}
