//! Type that proves that filters were applied.

use std::ops::Deref;

use crate::{
    conversation::Conversation,
    notification::{GroupedNotifications, Notification, NotificationRequest},
    paging::Page,
    status::Status,
};

/// Response content that passed the viewer's filters ([`super::FilterSet::mark`]). Routes can only
/// respond with this type, so that no route forgets the filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked<T>(T);

impl<T> Marked<T> {
    pub(super) const fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the marked value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Marked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Value that contains one or many statuses.
pub trait ContainsStatuses {
    /// Calls `visit` once for each status.
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status));

    /// Returns the number of statuses.
    fn statuses(&self) -> usize;
}

impl ContainsStatuses for Status {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        visit(self);
    }

    fn statuses(&self) -> usize {
        1
    }
}

impl<T: ContainsStatuses> ContainsStatuses for Box<T> {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.as_mut().for_each_status(visit);
    }

    fn statuses(&self) -> usize {
        self.as_ref().statuses()
    }
}

impl ContainsStatuses for Notification {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.status.iter_mut().for_each(visit);
    }

    fn statuses(&self) -> usize {
        usize::from(self.status.is_some())
    }
}

impl ContainsStatuses for NotificationRequest {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.last_status.iter_mut().for_each(visit);
    }

    fn statuses(&self) -> usize {
        usize::from(self.last_status.is_some())
    }
}

impl ContainsStatuses for GroupedNotifications {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.statuses.for_each_status(visit);
    }

    fn statuses(&self) -> usize {
        self.statuses.len()
    }
}

impl ContainsStatuses for Conversation {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.last_status.iter_mut().for_each(visit);
    }

    fn statuses(&self) -> usize {
        usize::from(self.last_status.is_some())
    }
}

impl<T: ContainsStatuses> ContainsStatuses for Vec<T> {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.iter_mut().for_each(|one| one.for_each_status(visit));
    }

    fn statuses(&self) -> usize {
        self.iter().map(ContainsStatuses::statuses).sum()
    }
}

impl<T: ContainsStatuses> ContainsStatuses for Page<T> {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.items.for_each_status(visit);
    }

    fn statuses(&self) -> usize {
        self.items.statuses()
    }
}
