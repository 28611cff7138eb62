//! Events about announcements, which all users get alike.

use std::collections::HashMap;

use siskin_entities::ShownAnnouncement;
use siskin_ids::{AnnouncementId, EventId};
use siskin_persistence::{
    Conn,
    events::{ChangedReaction, DomainEvent},
    sorted_unique,
};
use siskin_services::{Result, announcements};
use siskin_wire::announcement::ReactionEvent;

use crate::{
    render::Renderer,
    resolve::{ParsedEvent, ResolveContext},
};

/// The announcements to which a batch of events refers.
pub(crate) struct Announcements {
    /// Those that users see now.
    shown: HashMap<AnnouncementId, ShownAnnouncement>,
    /// Last event of the batch about each reaction.
    last: HashMap<ChangedReaction, EventId>,
}

impl Announcements {
    /// Loads the announcements. Runs no statement if no event is about one.
    pub(crate) fn load(
        conn: &mut Conn,
        context: ResolveContext<'_>,
        parsed: &[ParsedEvent],
    ) -> Result<Self> {
        let mut last = HashMap::new();
        for event in parsed {
            if let DomainEvent::AnnouncementReacted(changed) = &event.content {
                last.insert(changed.clone(), event.id);
            }
        }
        let ids = sorted_unique(parsed.iter().filter_map(|event| match &event.content {
            DomainEvent::AnnouncementPublished(id) => Some(*id),
            DomainEvent::AnnouncementReacted(changed) => Some(changed.announcement_id),
            _ => None,
        }));
        let shown = announcements::of_ids(conn, context.urls, &ids, context.now)?;
        let shown = shown.into_iter().map(|one| (one.announcement.id, one)).collect();
        Ok(Self { shown, last })
    }

    /// Renders an announcement. Returns `None` if it is no longer shown.
    pub(crate) fn announcement(
        &self,
        id: AnnouncementId,
        renderer: &Renderer<'_>,
    ) -> Option<String> {
        self.shown.get(&id).map(|shown| renderer.announcement(shown))
    }

    /// Renders the present number of reactions. Returns `None` if the announcement is no longer
    /// shown, and if a later event of the batch has the same content.
    pub(crate) fn reaction(&self, changed: &ChangedReaction, event: EventId) -> Option<String> {
        let shown = self.shown.get(&changed.announcement_id)?;
        if self.last.get(changed) != Some(&event) {
            return None;
        }
        let present = shown.reactions.iter().find(|reaction| reaction.name == changed.name);
        Some(Renderer::reaction(&ReactionEvent {
            name: changed.name.clone(),
            count: present.map_or(0, |reaction| reaction.count),
            announcement_id: changed.announcement_id,
        }))
    }
}
