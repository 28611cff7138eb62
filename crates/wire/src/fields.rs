//! Fields of a JSON object, appended without serde.
//!
//! serde looks for characters to escape in each field name, which takes longer than writing the
//! small values here. These names are part of the program and need no escapes.

use serde::Serialize;
use siskin_entities::time::Date;
use siskin_ids::{AccountId, StatusId};

use crate::{filter::FilterResult, poll::Poll, time::Day};

/// Appends all fields of a struct to an object that is not closed yet, as serde writes them. The
/// pattern names every field, so a new field does not compile until it is listed.
macro_rules! append_fields {
    ($out:expr, $value:expr, $type:ident { $($field:ident),+ }) => {{
        let $type { $($field),+ } = $value;
        $( $crate::fields::append_field!($out, $field); )+
    }};
}
pub(crate) use append_fields;

/// Appends the variable `$field` as a field of this name to an object that is not closed yet.
macro_rules! append_field {
    ($out:expr, $field:ident) => {{
        $out.extend_from_slice(concat!(",\"", stringify!($field), "\":").as_bytes());
        $crate::fields::AppendJson::append_json(&$field, $out);
    }};
}
pub(crate) use append_field;

/// A value that appends its JSON, byte-identical to that of serde.
pub(crate) trait AppendJson {
    fn append_json(&self, out: &mut Vec<u8>);
}

impl AppendJson for bool {
    fn append_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

impl AppendJson for i64 {
    fn append_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(itoa::Buffer::new().format(*self).as_bytes());
    }
}

impl<T: AppendJson> AppendJson for Option<T> {
    fn append_json(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.append_json(out),
            None => out.extend_from_slice(b"null"),
        }
    }
}

impl AppendJson for Vec<FilterResult> {
    fn append_json(&self, out: &mut Vec<u8>) {
        if self.is_empty() {
            out.extend_from_slice(b"[]");
        } else {
            write_json(out, self);
        }
    }
}

/// Ids are strings in JSON.
macro_rules! quoted {
    ($($id:ident),+) => {$(
        impl AppendJson for $id {
            fn append_json(&self, out: &mut Vec<u8>) {
                out.push(b'"');
                self.get().append_json(out);
                out.push(b'"');
            }
        }
    )+};
}
quoted!(AccountId, StatusId);

impl AppendJson for Day {
    fn append_json(&self, out: &mut Vec<u8>) {
        let (year, month, day) = Date(self.midnight()).parts();
        if !(1000..=9999).contains(&year) {
            return write_json(out, self);
        }
        out.push(b'"');
        year.append_json(out);
        for part in [month, day] {
            out.extend_from_slice(if part < 10 { b"-0" } else { b"-" });
            part.append_json(out);
        }
        out.push(b'"');
    }
}

impl AppendJson for Poll {
    fn append_json(&self, out: &mut Vec<u8>) {
        write_json(out, self);
    }
}

/// Appends the JSON of a value.
pub(crate) fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value)
        .expect("values with text keys serialize as JSON, and writes to memory do not fail");
}
