//! Keys of forms and queries: parses `a[b][]` and finds the place of its value in the tree.

use super::{
    Error, Map, Value,
    tree::{self, Budget},
};

/// A bracketed part of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// `[]`: the next element of a list.
    Next,
    /// `[name]`: an entry of a map.
    Entry(String),
}

/// Inserts `value` at the place that `key` names. A key with unbalanced brackets is a plain name.
///
/// # Errors
/// [`Error::Malformed`] if an earlier key used a name on the path differently (`a=1&a[b]=2`),
/// [`Error::TooMany`] if the budget is spent.
pub(super) fn insert(
    root: &mut Map,
    key: Vec<u8>,
    value: Value,
    budget: &mut Budget,
) -> Result<(), Error> {
    let key = tree::text(key)?;
    let (name, steps) = parse(&key);
    budget.check_depth(steps.len() + 1)?;
    budget.spend()?;
    let mut placement = Placement { key: &key, budget };
    match root.get_mut(name) {
        Some(slot) => placement.merge(slot, &steps, value),
        None => {
            let value = placement.build(&steps, value)?;
            root.insert(name.to_owned(), value);
            Ok(())
        }
    }
}

/// Splits a key into the name and its brackets. `a[b` and `a[b]c` are names without brackets.
fn parse(key: &str) -> (&str, Vec<Step>) {
    let without_brackets = || (key, Vec::new());
    let Some(open) = key.find('[').filter(|open| *open > 0) else { return without_brackets() };
    let (name, mut rest) = key.split_at(open);
    let mut steps = Vec::new();
    while let Some(inner) = rest.strip_prefix('[') {
        let Some((step, after)) = inner.split_once(']') else { return without_brackets() };
        if step.contains('[') {
            return without_brackets();
        }
        steps.push(if step.is_empty() { Step::Next } else { Step::Entry(step.to_owned()) });
        rest = after;
    }
    if rest.is_empty() { (name, steps) } else { without_brackets() }
}

/// An insertion in progress.
struct Placement<'a> {
    key: &'a str,
    budget: &'a mut Budget,
}

impl Placement<'_> {
    /// Inserts the value into a slot that already has one.
    fn merge(&mut self, slot: &mut Value, steps: &[Step], value: Value) -> Result<(), Error> {
        match (steps, slot) {
            ([], slot @ (Value::Null | Value::Text(_) | Value::File(_))) => {
                *slot = value;
                Ok(())
            }
            ([Step::Next, rest @ ..], Value::List(list)) => self.append(list, rest, value),
            ([Step::Entry(name), rest @ ..], Value::Map(map)) => match map.get_mut(name) {
                Some(slot) => self.merge(slot, rest, value),
                None => {
                    let value = self.build(rest, value)?;
                    map.insert(name.clone(), value);
                    Ok(())
                }
            },
            _ => Err(Error::malformed(format!("{} is used in two ways", self.key))),
        }
    }

    /// Appends the value to the last element while that has room for it, else to a new one.
    fn append(&mut self, list: &mut Vec<Value>, rest: &[Step], value: Value) -> Result<(), Error> {
        match list.last_mut() {
            Some(last) if !rest.is_empty() && has_room(last, rest) => self.merge(last, rest, value),
            _ => {
                let value = self.build(rest, value)?;
                list.push(value);
                Ok(())
            }
        }
    }

    /// Wraps the value in the lists and maps that `steps` name.
    fn build(&mut self, steps: &[Step], value: Value) -> Result<Value, Error> {
        let Some((step, rest)) = steps.split_first() else { return Ok(value) };
        self.budget.spend()?;
        let inner = self.build(rest, value)?;
        Ok(match step {
            Step::Next => Value::List(vec![inner]),
            Step::Entry(name) => Value::Map(Map::from([(name.clone(), inner)])),
        })
    }
}

/// Returns `true` if an element can take another value at `steps` without losing one. Lists always
/// can.
fn has_room(element: &Value, steps: &[Step]) -> bool {
    match (element, steps) {
        (Value::Map(map), [Step::Entry(name), rest @ ..]) => {
            map.get(name).is_none_or(|inner| has_room(inner, rest))
        }
        (Value::List(_), [Step::Next, ..]) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Limits, *};

    fn tree(pairs: &[(&str, &str)]) -> Result<Map, Error> {
        let mut root = Map::new();
        let mut budget = Budget::new(Limits::default());
        for (key, value) in pairs {
            insert(&mut root, (*key).into(), Value::Text((*value).into()), &mut budget)?;
        }
        Ok(root)
    }

    fn json(root: &Map) -> String {
        fn show(value: &Value) -> String {
            match value {
                Value::Text(text) => text.clone(),
                Value::List(list) => {
                    format!("[{}]", list.iter().map(show).collect::<Vec<_>>().join(","))
                }
                Value::Map(map) => json(map),
                other => format!("{other:?}"),
            }
        }
        let entries: Vec<_> = root.iter().map(|(k, v)| format!("{k}:{}", show(v))).collect();
        format!("{{{}}}", entries.join(","))
    }

    #[track_caller]
    fn check(pairs: &[(&str, &str)], expected: &str) {
        assert_eq!(json(&tree(pairs).unwrap()), expected);
    }

    #[test]
    fn names_lists_and_maps() {
        check(&[("a", "1"), ("b", "2")], "{a:1,b:2}");
        check(&[("a", "1"), ("a", "2")], "{a:2}");
        check(&[("media_ids[]", "1"), ("media_ids[]", "2")], "{media_ids:[1,2]}");
        check(
            &[("source[privacy]", "private"), ("source[language]", "de")],
            "{source:{language:de,privacy:private}}",
        );
        check(&[("subscription[keys][auth]", "x")], "{subscription:{keys:{auth:x}}}");
        check(
            &[("poll[options][]", "a"), ("poll[expires_in]", "60"), ("poll[options][]", "b")],
            "{poll:{expires_in:60,options:[a,b]}}",
        );
    }

    #[test]
    fn indices_are_names() {
        check(
            &[
                ("fields_attributes[0][name]", "a"),
                ("fields_attributes[0][value]", "b"),
                ("fields_attributes[1][name]", "c"),
            ],
            "{fields_attributes:{0:{name:a,value:b},1:{name:c}}}",
        );
    }

    #[test]
    fn a_repeated_key_starts_the_next_element() {
        check(
            &[
                ("k[][keyword]", "a"),
                ("k[][whole_word]", "true"),
                ("k[][keyword]", "b"),
                ("k[][whole_word]", "false"),
            ],
            "{k:[{keyword:a,whole_word:true},{keyword:b,whole_word:false}]}",
        );
        check(&[("k[][x]", "1"), ("k[][x]", "2"), ("k[][y]", "3")], "{k:[{x:1},{x:2,y:3}]}");
    }

    #[test]
    fn elements_nest() {
        check(
            &[("k[][a][b]", "1"), ("k[][a][c]", "2"), ("k[][a][b]", "3")],
            "{k:[{a:{b:1,c:2}},{a:{b:3}}]}",
        );
        check(
            &[
                ("k[][x]", "1"),
                ("k[][l][]", "a"),
                ("k[][l][]", "b"),
                ("k[][x]", "2"),
                ("k[][l][]", "c"),
            ],
            "{k:[{l:[a,b],x:1},{l:[c],x:2}]}",
        );
        check(&[("k[][]", "1"), ("k[][]", "2")], "{k:[[1,2]]}");
    }

    #[test]
    fn unbalanced_brackets_are_part_of_the_name() {
        for key in ["a[b", "a]b", "[a]", "[]", "a[b]c", "a[b[c]]", "a[[b]]", "a[]]", "]", "a[b]["] {
            check(&[(key, "1")], &format!("{{{key}:1}}"));
        }
    }

    #[test]
    fn one_name_in_two_ways_is_malformed() {
        for (first, second) in [
            ("a", "a[]"),
            ("a[]", "a"),
            ("a[b]", "a[]"),
            ("a[]", "a[b]"),
            ("a[b]", "a"),
            ("a", "a[b]"),
        ] {
            assert_eq!(
                tree(&[(first, "1"), (second, "2")]),
                Err(Error::malformed(format!("{second} is used in two ways")))
            );
        }
        // A list of scalars accepts maps as further elements, as in JSON.
        check(&[("a[]", "1"), ("a[][b]", "2")], "{a:[1,{b:2}]}");
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let nested = |levels: usize| format!("a{}", "[a]".repeat(levels));
        assert!(tree(&[(&nested(31), "1")]).is_ok());
        assert_eq!(tree(&[(&nested(32), "1")]), Err(Error::TooMany));
        assert_eq!(tree(&[(&nested(100_000), "1")]), Err(Error::TooMany));
        assert!(tree(&vec![("a[]", "1"); 49_999]).is_ok());
        assert_eq!(tree(&vec![("a[]", "1"); 50_000]), Err(Error::TooMany));
    }

    #[test]
    fn invalid_text_in_keys_is_malformed() {
        let mut budget = Budget::new(Limits::default());
        for key in [&b"a\xff"[..], b"a\0"] {
            let put = insert(&mut Map::new(), key.to_vec(), Value::Null, &mut budget);
            assert!(matches!(put, Err(Error::Malformed { .. })));
        }
    }
}
