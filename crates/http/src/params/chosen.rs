//! Texts that identify something, such as an id or a visibility. The text `undefined` counts as
//! absent.

use serde::{Deserialize, Deserializer};

use super::fault::is_blank_text;

/// Returns the text unless it is blank. `None` if it is empty or `undefined`.
pub(crate) fn chosen<T: AsRef<str>>(text: Option<T>) -> Option<T> {
    text.filter(|text| !is_blank_text(text.as_ref()))
}

/// Deserializes a list of such texts and leaves out those that are empty or `undefined`.
pub(crate) fn chosen_list<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    let mut texts = Vec::<String>::deserialize(deserializer)?;
    texts.retain(|text| !is_blank_text(text));
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::super::Params;
    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Form {
        text: String,
        id: Option<String>,
        #[serde(deserialize_with = "chosen_list")]
        ids: Vec<String>,
        sensitive: Option<bool>,
        number: Option<u8>,
        list: Option<Vec<String>>,
    }

    #[test]
    fn undefined_is_a_text_and_otherwise_absent() {
        let names = ["text", "id", "ids[]", "ids[]", "sensitive", "number", "list"];
        let query = names.map(|name| format!("{name}=undefined")).join("&");
        let form: Form = Params::from_query(&query).unwrap().decode().unwrap();
        let undefined = Some("undefined".to_owned());
        let expected = Form { text: "undefined".to_owned(), id: undefined, ..Form::default() };
        assert_eq!(form, expected);
        assert_eq!(chosen(form.id), None);
        let some = Params::from_query("id=7&ids[]=undefined&ids[]=8&sensitive=1").unwrap();
        let form: Form = some.decode().unwrap();
        assert_eq!((chosen(form.id.as_deref()), form.sensitive), (Some("7"), Some(true)));
        assert_eq!(form.ids, ["8"]);
    }
}
