//! Collections and their pages.

use super::{Member, ReadError, Reader, Subject, limits};
use crate::{
    address::Uri,
    json::{Members, Value},
};

/// Item of a collection.
pub type Item = Subject;

/// Page that a collection names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageLink {
    /// Address of the page.
    Uri(Uri),
    /// The page itself.
    Embedded(Box<Collection>),
}

/// Collection, or a page of one, ordered or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Id; `None` if there is none, as for some embedded pages.
    pub id: Option<Uri>,
    /// Whether it is a page.
    pub is_page: bool,
    /// Claimed number of items in all pages; `None` if unknown.
    pub total_items: Option<u64>,
    /// First page.
    pub first: Option<PageLink>,
    /// Next page of a page.
    pub next: Option<PageLink>,
    /// Collection of a page.
    pub part_of: Option<Uri>,
    /// Account to which it belongs.
    pub attributed_to: Option<Uri>,
    /// Items, at most [`limits::PAGE_ITEMS`]. Those that cannot be read are left out.
    pub items: Vec<Item>,
    /// Whether it shows no items at all, neither here nor in pages. The network of an account with
    /// such a collection is hidden.
    pub is_hidden: bool,
}

/// Returns `true` for the names of types of collections and pages.
pub(super) fn is_collection(name: &str) -> bool {
    matches!(name, "Collection" | "OrderedCollection") || is_page(name)
}

fn is_page(name: &str) -> bool {
    matches!(name, "CollectionPage" | "OrderedCollectionPage")
}

impl Reader {
    pub(super) fn read_collection(self, members: Members<'_>) -> Result<Collection, ReadError> {
        self.collection_at(members, 0)
    }

    /// Reads a collection that is inside of `depth` others. Only a collection contains a page.
    fn collection_at(self, members: Members<'_>, depth: usize) -> Result<Collection, ReadError> {
        if !members.types().any(is_collection) {
            return Err(ReadError::UnknownType);
        }
        let list = ["orderedItems", "items"].into_iter().find(|it| members.get(it).is_some());
        let items = list.map(|name| self.items(members, name)).unwrap_or_default();
        let first = self.page_link(members, "first", depth);
        Ok(Collection {
            id: self.optional_id(members)?,
            is_page: members.types().any(is_page),
            total_items: members.count("totalItems").map(|count| count.min(limits::COUNT)),
            is_hidden: first.is_none() && list.is_none(),
            first,
            next: self.page_link(members, "next", depth),
            part_of: self.uri_of(members, "partOf"),
            attributed_to: self.uri_of(members, "attributedTo"),
            items,
        })
    }

    fn items(self, members: Members<'_>, name: &str) -> Vec<Item> {
        let values = members.items(name).take(limits::PAGE_ITEMS);
        values.filter_map(|it| self.subject(it, Member::Object, 1).ok()).collect()
    }

    fn page_link(self, members: Members<'_>, name: &str, depth: usize) -> Option<PageLink> {
        let value: &Value = members.first(name)?;
        let embedded = Members::of(value).filter(|_| depth == 0);
        let page = embedded.and_then(|it| self.collection_at(it, depth + 1).ok());
        match page {
            Some(page) => Some(PageLink::Embedded(Box::new(page))),
            None => self.uri(value).map(PageLink::Uri),
        }
    }
}
