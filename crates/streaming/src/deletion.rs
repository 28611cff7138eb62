//! Publishes the deletion of a status: to accounts that could read it, on streams that contained
//! it.

use std::sync::Arc;

use siskin_entities::{Feeds, Visibility};
use siskin_persistence::{
    Conn, Result,
    events::{DeletedStatus, DomainEvent},
    sorted_unique,
    timelines::{
        Origin,
        audience::{DeletionEvent, FormerRelations},
    },
};

use crate::{
    Audience, Delivery, Listener, Message, Stream,
    attributes::StatusAttributes,
    resolve::{ParsedEvent, to},
};

/// Loads which listeners could read the statuses that these events delete.
pub(crate) fn former(
    conn: &mut Conn,
    parsed: &[ParsedEvent],
    audience: &Audience,
) -> Result<FormerRelations> {
    let deletion = parsed.iter().filter_map(|parsed| match &parsed.content {
        DomainEvent::StatusDeleted(status) => Some(DeletionEvent { event: parsed.id, status }),
        _ => None,
    });
    let deletion: Vec<DeletionEvent<'_>> = deletion.collect();
    if deletion.is_empty() {
        return Ok(FormerRelations::default());
    }
    let viewers = sorted_unique(audience.listeners().iter().map(|listener| listener.account));
    FormerRelations::of(conn, &deletion, &viewers, audience.lists())
}

/// Returns the `delete` deliveries for one deleted status.
pub(crate) fn deleted(
    position: i64,
    deletion: DeletionEvent<'_>,
    former: &FormerRelations,
    audience: &Audience,
    feeds: Feeds,
) -> Vec<Delivery> {
    let attributes = attributes(deletion.status);
    let message = Arc::new(Message::new(position, "delete", Some(deletion.status.id.to_string())));
    let contained_it = |listener: &Listener| match &listener.stream {
        Stream::User => former.was_in_home(deletion, listener.account),
        Stream::List(list) => former.was_in_list(deletion, *list, listener.account),
        Stream::Public(_) | Stream::Hashtag { .. } => {
            attributes.fits(&listener.stream, feeds) && former.could_see(deletion, listener.account)
        }
        Stream::Notifications | Stream::Direct => false,
    };
    audience.matching(contained_it).map(|listener| to(listener, &message)).collect()
}

fn attributes(deletion: &DeletedStatus) -> StatusAttributes {
    StatusAttributes {
        is_public: Visibility::from_number(deletion.visibility) == Visibility::Public,
        is_reblog: deletion.is_reblog,
        replies_to_others: deletion.answered.is_some_and(|answered| answered != deletion.account),
        origin: if deletion.local { Origin::Local } else { Origin::Remote },
        has_media: deletion.has_media,
        tags: deletion.tags.iter().map(|(_, name)| name.clone()).collect(),
    }
}
