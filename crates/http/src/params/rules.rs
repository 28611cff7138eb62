//! Tests of the decoding rules, one by one.

use std::{collections::BTreeMap, fmt::Debug};

use serde::{Deserialize, de::DeserializeOwned};
use siskin_ids::StatusId;

use super::{Error, Limits, Params, Patch, json};

fn query(text: &str) -> Params {
    Params::from_query(text).unwrap()
}

fn json(text: &str) -> Params {
    json::read(text.as_bytes(), Limits::default()).map(Params::from).unwrap()
}

/// Decodes the one field `x`.
fn field<T: DeserializeOwned>(params: &Params) -> Result<T, Error> {
    #[derive(Deserialize)]
    struct One<T> {
        x: T,
    }
    params.decode().map(|One { x }| x)
}

#[track_caller]
fn reads<T: DeserializeOwned + PartialEq + Debug>(params: &Params, expected: T) {
    assert_eq!(field::<T>(params), Ok(expected), "{params:?}");
}

#[track_caller]
fn refuses<T: DeserializeOwned + PartialEq + Debug>(params: &Params, reason: &str) {
    let invalid = Error::Invalid { field: "x".to_owned(), reason: reason.to_owned() };
    assert_eq!(field::<T>(params), Err(invalid), "{params:?}");
}

#[test]
fn booleans_are_true_except_for_known_values() {
    for text in ["0", "f", "F", "false", "FALSE", "off", "OFF"] {
        reads(&query(&format!("x={text}")), false);
        reads(&json(&format!("{{\"x\":\"{text}\"}}")), false);
    }
    for text in ["1", "t", "true", "on", "False", "no", "%20", "-"] {
        reads(&query(&format!("x={text}")), true);
    }
    for (text, expected) in
        [("true", true), ("false", false), ("0", false), ("0.0", false), ("2", true)]
    {
        reads(&json(&format!("{{\"x\":{text}}}")), expected);
    }
    refuses::<bool>(&query("x[]=1"), "must be true or false");
}

#[test]
fn null_is_absent() {
    for params in [json(r#"{"x":null}"#), json("{}"), query("x"), query("")] {
        reads(&params, None::<String>);
        reads(&params, None::<bool>);
        reads(&params, None::<Vec<u8>>);
        assert_eq!(field::<String>(&params), Err(Error::Missing { field: "x".to_owned() }));
    }
    reads(&json(r#"{"x":[null,1,null]}"#), vec![1]);
}

#[test]
fn a_patch_distinguishes_null_from_absent() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(default)]
    struct Change {
        name: Patch<String>,
        locked: Patch<bool>,
        ids: Patch<Vec<StatusId>>,
        visibility: Patch<Visibility>,
        keyword: Patch<Keyword>,
    }
    impl Default for Change {
        fn default() -> Self {
            use Patch::Keep;
            Self { name: Keep, locked: Keep, ids: Keep, visibility: Keep, keyword: Keep }
        }
    }
    let cleared = || {
        use Patch::Clear;
        Change { name: Clear, locked: Clear, ids: Clear, visibility: Clear, keyword: Clear }
    };
    assert_eq!(json("{}").decode(), Ok(Change::default()));
    assert_eq!(query("unknown=1").decode(), Ok(Change::default()));
    let nulls = r#"{"name":null,"locked":null,"ids":null,"visibility":null,"keyword":null}"#;
    assert_eq!(json(nulls).decode(), Ok(cleared()));
    // A form writes an empty text for null. It stays a text if a text is expected.
    let blank = Change { name: Patch::Set(String::new()), ..cleared() };
    assert_eq!(query("name=&locked=&ids=&visibility=&keyword=").decode(), Ok(blank));
    let keyword = Keyword { keyword: "k".into(), whole_word: None };
    let set = Change {
        name: Patch::Set("n".into()),
        locked: Patch::Set(false),
        ids: Patch::Set(vec![StatusId::new(1)]),
        visibility: Patch::Set(Visibility::Direct),
        keyword: Patch::Set(keyword),
    };
    let text = "name=n&locked=0&ids[]=1&visibility=direct&keyword[keyword]=k";
    assert_eq!(query(text).decode(), Ok(set));
    refuses::<Patch<i64>>(&query("x=a"), "must be a whole number");
}

#[test]
fn null_in_one_element_does_not_affect_others() {
    let filter: Result<Filter, _> =
        query("title=t&keywords_attributes[][keyword]=&keywords_attributes[][keyword]=a").decode();
    assert_eq!(filter.unwrap().keywords_attributes[0].keyword, "");
    let missing = json(r#"{"title":"t","keywords_attributes":[{"keyword":""},{"keyword":null}]}"#);
    assert_eq!(
        missing.decode::<Filter>(),
        Err(Error::Missing { field: "keywords_attributes[1][keyword]".into() })
    );
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Visibility {
    Public,
    Direct,
}

#[test]
fn an_empty_text_is_a_text_and_otherwise_absent() {
    for params in [json(r#"{"x":""}"#), query("x=")] {
        reads(&params, Some(String::new()));
        reads(&params, String::new());
        reads(&params, None::<bool>);
        reads(&params, None::<i64>);
        reads(&params, None::<f64>);
        reads(&params, None::<StatusId>);
        reads(&params, None::<Visibility>);
        reads(&params, None::<Vec<String>>);
        reads(&params, None::<BTreeMap<String, String>>);
        assert_eq!(field::<bool>(&params), Err(Error::Missing { field: "x".to_owned() }));
    }
}

#[test]
fn an_empty_text_takes_the_default() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Follow {
        #[serde(default = "yes")]
        reblogs: bool,
        #[serde(default)]
        languages: Vec<String>,
    }
    fn yes() -> bool {
        true
    }
    let expected = Ok(Follow { reblogs: true, languages: vec![] });
    assert_eq!(query("reblogs=&languages=").decode(), expected);
    assert_eq!(query("").decode(), expected);
}

#[test]
fn empty_list_elements_that_are_no_value_are_dropped() {
    reads(&query("x[]=&x[]=2&x[]="), vec![2]);
    reads(&query("x[]="), Some(Vec::<StatusId>::new()));
    reads(&query("x[]=&x[]=a"), vec![String::new(), "a".to_owned()]);
}

#[test]
fn numbers_may_be_texts() {
    for params in [
        query("x=60"),
        query("x=+60"),
        query("x=%2060"),
        json(r#"{"x":60}"#),
        json(r#"{"x":"60"}"#),
        json(r#"{"x":60.0}"#),
    ] {
        reads(&params, 60_i64);
        reads(&params, 60_u8);
        reads(&params, 60.0_f64);
    }
    reads(&query("x=-0.5"), -0.5);
    reads(&query(&format!("x={}", u64::MAX)), u64::MAX);
    reads(&query(&format!("x={}", i64::MIN)), i64::MIN);
    for text in ["abc", "1.5", "1e3", "0x10", "99999999999999999999", "1 2"] {
        refuses::<i64>(&query(&format!("x={text}")), "must be a whole number");
    }
    refuses::<i64>(&json(r#"{"x":true}"#), "must be a whole number");
    refuses::<i64>(&json(r#"{"x":1.5}"#), "must be a whole number");
    refuses::<u8>(&query("x=256"), "is out of range");
    refuses::<u8>(&query("x=-1"), "is out of range");
    for text in ["NaN", "inf", "-infinity", "x"] {
        refuses::<f64>(&query(&format!("x={text}")), "must be a number");
    }
}

#[test]
fn texts_may_be_numbers() {
    reads(&json(r#"{"x":5}"#), "5".to_owned());
    reads(&json(r#"{"x":true}"#), "true".to_owned());
    refuses::<String>(&query("x[]=a"), "must be a string");
    refuses::<String>(&query("x[a]=b"), "must be a string");
}

#[test]
fn ids_may_be_numbers_and_are_never_rounded() {
    let id = StatusId::new(i64::MAX);
    for params in [
        query(&format!("x={id}")),
        json(&format!("{{\"x\":\"{id}\"}}")),
        json(&format!("{{\"x\":{id}}}")),
    ] {
        reads(&params, id);
    }
    assert!(
        matches!(field::<StatusId>(&query("x=abc")), Err(Error::Invalid { field, .. }) if field == "x")
    );
}

#[test]
fn names_of_an_enum_are_exact_and_listed() {
    reads(&query("x=direct"), Visibility::Direct);
    refuses::<Visibility>(&query("x=Direct"), "must be one of: public, direct");
    refuses::<Visibility>(&query("x[]=direct"), "must be a string");
}

#[test]
fn a_scalar_is_a_list_of_one() {
    reads(&query("x=mention"), vec!["mention".to_owned()]);
    reads(&json(r#"{"x":5}"#), vec![StatusId::new(5)]);
    reads(&json(r#"{"x":false}"#), vec![false]);
}

#[test]
fn numbered_entries_are_a_list() {
    for params in [
        query("x[10]=c&x[2]=b&x[0]=a"),
        json(r#"{"x":{"2":"b","0":"a","10":"c"}}"#),
        json(r#"{"x":["a","b","c"]}"#),
    ] {
        reads(&params, ["a", "b", "c"].map(str::to_owned).to_vec());
    }
    reads(&json(r#"{"x":{}}"#), Vec::<String>::new());
    refuses::<Vec<String>>(&query("x[a]=1"), "must be a list");
    refuses::<Vec<String>>(&query("x[-1]=1"), "must be a list");
}

#[derive(Debug, PartialEq, Deserialize)]
struct Keyword {
    keyword: String,
    whole_word: Option<bool>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Filter {
    title: String,
    keywords_attributes: Vec<Keyword>,
}

#[test]
fn a_filter_is_the_same_three_ways() {
    let keyword = |keyword: &str, whole_word| Keyword { keyword: keyword.into(), whole_word };
    let expected = Ok(Filter {
        title: "t".into(),
        keywords_attributes: vec![keyword("a", Some(true)), keyword("b", Some(false))],
    });
    for params in [
        json(
            r#"{"title":"t","keywords_attributes":[{"keyword":"a","whole_word":true},{"keyword":"b","whole_word":false}]}"#,
        ),
        query(
            "title=t&keywords_attributes[0][keyword]=a&keywords_attributes[0][whole_word]=true&keywords_attributes[1][keyword]=b&keywords_attributes[1][whole_word]=0",
        ),
        query(
            "title=t&keywords_attributes[][keyword]=a&keywords_attributes[][whole_word]=1&keywords_attributes[][keyword]=b&keywords_attributes[][whole_word]=false",
        ),
    ] {
        assert_eq!(params.decode(), expected);
    }
}

#[test]
fn many_empty_fields_are_read_in_a_few_passes() {
    let body =
        "k[][keyword]=&k[][whole_word]=&".repeat(10_000).replace("k[", "keywords_attributes[");
    let filter: Filter = query(&format!("title=&{body}")).decode().unwrap();
    assert_eq!(filter.keywords_attributes.len(), 10_000);
    assert!(
        filter.keywords_attributes.iter().all(|k| k.whole_word.is_none() && k.keyword.is_empty())
    );
}

#[test]
fn errors_name_the_field_in_form_notation() {
    let fault = |text: &str| query(text).decode::<Filter>().unwrap_err();
    assert_eq!(fault("title=t"), Error::Missing { field: "keywords_attributes".into() });
    assert_eq!(
        fault("title=t&keywords_attributes[1][whole_word]=1"),
        Error::Missing { field: "keywords_attributes[0][keyword]".into() }
    );
    assert_eq!(
        fault("title=t&keywords_attributes[][keyword][]=1"),
        Error::Invalid {
            field: "keywords_attributes[0][keyword]".into(),
            reason: "must be a string".into()
        }
    );
    assert_eq!(
        fault("title=t&keywords_attributes[]=text"),
        Error::Invalid {
            field: "keywords_attributes[0]".into(),
            reason: "must have named values".into()
        }
    );
}

#[test]
fn unknown_names_are_ignored() {
    let filter = json(
        r#"{"title":"t","keywords_attributes":[],"access_token":"x","a":[{"b":null}],"c":{"d":1}}"#,
    );
    assert!(filter.decode::<Filter>().is_ok());
}

#[test]
fn two_structs_read_one_request() {
    #[derive(Deserialize)]
    struct Page {
        max_id: Option<StatusId>,
        limit: Option<i64>,
    }
    #[derive(Deserialize)]
    struct Timeline {
        only_media: Option<bool>,
    }
    let params = query("max_id=5&limit=&only_media=1");
    let page: Page = params.decode().unwrap();
    let timeline: Timeline = params.decode().unwrap();
    assert_eq!((page.max_id, page.limit), (Some(StatusId::new(5)), None));
    assert_eq!(timeline.only_media, Some(true));
}

#[test]
fn newtypes_tuples_and_borrowed_texts() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Name(String);
    #[derive(Debug, PartialEq, Deserialize)]
    struct Borrowed<'a> {
        x: &'a str,
    }
    reads(&query("x=a"), Name("a".into()));
    reads(&query("x[]=1&x[]=2"), (1, 2));
    refuses::<(u8, u8)>(&query("x[]=1"), "has the wrong number of elements");
    assert_eq!(query("x=a").decode(), Ok(Borrowed { x: "a" }));
    let map = BTreeMap::from([("a".to_owned(), true)]);
    reads(&query("x[a]=1&x[b]="), map);
    assert_eq!(query("a=1").decode(), Ok(BTreeMap::from([("a".to_owned(), 1)])));
    assert_eq!(query("a=1").decode(), Ok(()));
}
