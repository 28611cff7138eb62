//! Publishes the deletion of a status: to accounts that could read it, on streams that contained
//! it.

use std::sync::Arc;

use siskin_entities::{Feeds, Visibility};
use siskin_persistence::{
    Conn, Result,
    events::{DeletedStatus, Happened},
    timelines::{
        Origin,
        audience::{Former, Gone},
    },
};

use crate::{
    Audience, Delivery, Listener, News, Stream,
    audience::each_once,
    resolve::{Heard, to},
    traits::Traits,
};

/// Loads which listeners could read the statuses that these events delete.
pub(crate) fn former(conn: &mut Conn, heard: &[Heard], audience: &Audience) -> Result<Former> {
    let gone = heard.iter().filter_map(|heard| match &heard.happened {
        Happened::StatusDeleted(status) => Some(Gone { event: heard.id, status }),
        _ => None,
    });
    let gone: Vec<Gone<'_>> = gone.collect();
    if gone.is_empty() {
        return Ok(Former::default());
    }
    let readers = each_once(audience.listeners().iter().map(|listener| listener.account));
    Former::of(conn, &gone, &readers, audience.lists())
}

/// Returns the `delete` deliveries for one deleted status.
pub(crate) fn deleted(
    position: i64,
    gone: Gone<'_>,
    former: &Former,
    audience: &Audience,
    feeds: Feeds,
) -> Vec<Delivery> {
    let traits = traits(gone.status);
    let news = Arc::new(News::new(position, "delete", Some(gone.status.id.to_string())));
    let had_it = |listener: &Listener| match &listener.stream {
        Stream::User => former.was_at_home(gone, listener.account),
        Stream::List(list) => former.was_in_list(gone, *list, listener.account),
        Stream::Public(_) | Stream::Hashtag { .. } => {
            traits.fit(&listener.stream, feeds) && former.could_read(gone, listener.account)
        }
        Stream::Notifications | Stream::Direct => false,
    };
    audience.those(had_it).map(|listener| to(listener, &news)).collect()
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
