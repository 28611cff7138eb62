//! Lists without duplicates.

/// Sorts values, such as ids, and removes duplicates.
#[must_use]
pub fn sorted_unique<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort_unstable();
    items.dedup();
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_remains_once() {
        let sorted: Vec<i32> = sorted_unique([3, 1, 3, 2, 1]);
        assert_eq!(sorted, [1, 2, 3]);
        assert!(sorted_unique(Vec::<i64>::new()).is_empty());
    }
}
