//! Collections and their pages.

use super::{
    Detail,
    activity::Activity,
    node::{Members, Node},
    note::Note,
    tags::Tag,
};

/// Size of a page from which its items are written as ids, in bytes. Peers refuse documents of more
/// than 1 MB.
const MAX_ITEMS_BYTES: usize = 500_000;

/// Whether the items of a collection have an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// They have one, the newest first.
    Ordered,
    /// They have none.
    Unordered,
}

/// Item of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    /// Anything, by its id.
    Id(&'a str),
    /// Status.
    Note(&'a Note<'a>),
    /// Activity.
    Activity(&'a Activity<'a>),
    /// Hashtag.
    Hashtag {
        /// Page of the hashtag.
        href: &'a str,
        /// Name without `#`.
        name: &'a str,
    },
}

/// Collection. One that shows neither a page nor items is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection<'a> {
    /// Id.
    pub id: &'a str,
    /// Whether it is ordered.
    pub order: Order,
    /// Account to which it belongs.
    pub attributed_to: Option<&'a str>,
    /// Number of items in all pages.
    pub total_items: Option<u64>,
    /// Address of the first page.
    pub first: Option<&'a str>,
    /// Address of the last page.
    pub last: Option<&'a str>,
    /// Items, if the collection has no pages.
    pub items: Option<&'a [Item<'a>]>,
}

/// Page of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page<'a> {
    /// Id.
    pub id: &'a str,
    /// Whether its collection is ordered.
    pub order: Order,
    /// Id of the collection.
    pub part_of: &'a str,
    /// Address of the next page.
    pub next: Option<&'a str>,
    /// Address of the page before.
    pub prev: Option<&'a str>,
    /// Items. Those that would make the page too large are written as ids.
    pub items: &'a [Item<'a>],
}

impl Order {
    const fn kinds(self) -> (&'static str, &'static str) {
        match self {
            Self::Ordered => ("OrderedCollection", "OrderedCollectionPage"),
            Self::Unordered => ("Collection", "CollectionPage"),
        }
    }

    const fn items(self) -> &'static str {
        match self {
            Self::Ordered => "orderedItems",
            Self::Unordered => "items",
        }
    }
}

impl<'a> Collection<'a> {
    /// Returns a collection of which nothing is shown.
    #[must_use]
    pub const fn new(id: &'a str, order: Order) -> Self {
        Self {
            id,
            order,
            attributed_to: None,
            total_items: None,
            first: None,
            last: None,
            items: None,
        }
    }

    pub(super) fn members(&self) -> Members<'a> {
        let members = Members::with_id(self.id, self.order.kinds().0)
            .optional("attributedTo", self.attributed_to)
            .count("totalItems", self.total_items)
            .optional("first", self.first)
            .optional("last", self.last);
        match self.items {
            Some(items) => members.with(self.order.items(), nodes(items)),
            None => members,
        }
    }
}

impl<'a> Page<'a> {
    pub(super) fn members(&self) -> Members<'a> {
        Members::with_id(self.id, self.order.kinds().1)
            .text("partOf", self.part_of)
            .optional("next", self.next)
            .optional("prev", self.prev)
            .with(self.order.items(), nodes(self.items))
    }
}

impl<'a> Item<'a> {
    /// Returns the item with everything in it.
    fn whole(&self) -> Node<'a> {
        match self {
            Self::Id(id) => Node::Text((*id).into()),
            Self::Note(note) => Node::Object(note.members(Detail::Full)),
            Self::Activity(activity) => Node::Object(activity.members(Detail::Full)),
            Self::Hashtag { href, name } => Node::Object(Tag::Hashtag { href, name }.members()),
        }
    }

    /// Returns the id, or the item if it has none.
    fn short(&self) -> Node<'a> {
        match self {
            Self::Note(note) => Node::Text(note.id.into()),
            Self::Activity(activity) => Node::Text(activity.id.into()),
            _ => self.whole(),
        }
    }
}

fn nodes<'a>(items: &[Item<'a>]) -> Node<'a> {
    let mut room = MAX_ITEMS_BYTES;
    let nodes = items.iter().map(|item| {
        let whole = item.whole();
        match room.checked_sub(whole.size()) {
            Some(rest) => {
                room = rest;
                whole
            }
            None => item.short(),
        }
    });
    Node::List(nodes.collect())
}
