//! Tree of all parameters of a request.

use std::{collections::BTreeSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

/// Size and shape of a tree of values.
#[derive(Debug, Default)]
pub struct Tree {
    pub depth: usize,
    /// Number of texts, lists and maps.
    pub values: usize,
    pub has_nul: bool,
    /// Hashes of the nesting of value kinds, including the depth.
    pub shapes: BTreeSet<u64>,
}

impl Tree {
    fn leaf(kind: u64) -> Self {
        Self { depth: 0, values: 1, has_nul: false, shapes: BTreeSet::from([kind]) }
    }

    fn text(text: &str) -> Self {
        Self { has_nul: text.contains('\0'), ..Self::leaf(1) }
    }

    fn add(&mut self, kind: u64, child: Self) {
        self.depth = self.depth.max(child.depth + 1);
        self.values += child.values;
        self.has_nul |= child.has_nul;
        self.shapes.extend(child.shapes.into_iter().map(|shape| (shape * 8 + kind) % (1 << 40)));
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::leaf(2))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::leaf(3))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::leaf(4))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::leaf(4))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::leaf(4))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Tree, A::Error> {
        let mut tree = Tree::leaf(5);
        while let Some(element) = elements.next_element::<Tree>()? {
            tree.add(5, element);
        }
        Ok(tree)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut tree = Tree::leaf(6);
        while let Some((name, value)) = entries.next_entry::<String, Tree>()? {
            tree.has_nul |= name.contains('\0');
            tree.add(6, value);
        }
        Ok(tree)
    }
}
