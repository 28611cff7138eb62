//! Forms with checks beyond the types of their fields.

use std::{future::Future, pin::Pin};

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use serde::de::DeserializeOwned;
use validator::{Validate, ValidationError, ValidationErrors, ValidationErrorsKind};

use super::{Error, Form};
use crate::admission;

/// As [`Form`], for a struct that bounds its values with `validator`. The bounds are sizes that no
/// client needs to exceed, and a request that exceeds them is refused before anything is done. The
/// use case decides what is allowed below them.
#[derive(Debug, Clone, Copy)]
pub struct Checked<T>(pub T);

impl<T: DeserializeOwned + Validate + 'static> FromRequest for Checked<T> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (form, request) = (Form::<T>::from_request(request, payload), request.clone());
        Box::pin(async move {
            let Form(form) = form.await?;
            if let Err(errors) = form.validate() {
                admission::wait_until_admitted(&request).await;
                return Err(fault(&errors));
            }
            Ok(Self(form))
        })
    }
}

/// Returns the first error by field name, for the client.
fn fault(errors: &ValidationErrors) -> Error {
    let (field, reason) =
        first(errors, "").unwrap_or_else(|| ("form".to_owned(), "is not acceptable".to_owned()));
    Error::Invalid { field, reason }
}

fn first(errors: &ValidationErrors, parent: &str) -> Option<(String, String)> {
    let mut faults: Vec<_> = errors.errors().iter().collect();
    faults.sort_unstable_by_key(|fault| fault.0);
    faults.into_iter().find_map(|(name, kind)| {
        let name = if parent.is_empty() { name.to_string() } else { format!("{parent}[{name}]") };
        match kind {
            ValidationErrorsKind::Field(faults) => {
                faults.first().map(|fault| (name, reason(fault)))
            }
            ValidationErrorsKind::Struct(inner) => first(inner, &name),
            ValidationErrorsKind::List(items) => {
                items.iter().find_map(|(index, inner)| first(inner, &format!("{name}[{index}]")))
            }
        }
    })
}

/// Returns the message that the struct defines, else one derived from the failed check.
fn reason(fault: &ValidationError) -> String {
    if let Some(message) = &fault.message {
        return message.to_string();
    }
    match fault.params.get("max") {
        Some(most) if fault.code == "length" => format!("has more than {most} parts"),
        _ => "is not acceptable".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize, Validate)]
    #[serde(default)]
    struct Search {
        #[validate(length(max = 3))]
        types: Vec<String>,
        #[validate(length(max = 5, message = "is too long"))]
        q: String,
        #[validate(nested)]
        page: Page,
    }

    #[derive(Debug, Default, Deserialize, Validate)]
    #[serde(default)]
    struct Page {
        #[validate(range(max = 80))]
        limit: u32,
    }

    async fn read(query: &str) -> Result<Search, String> {
        let request = TestRequest::with_uri(&format!("/?{query}")).to_http_request();
        let read = Checked::<Search>::from_request(&request, &mut Payload::None).await;
        read.map(|Checked(search)| search).map_err(|error| error.to_string())
    }

    #[actix_web::test]
    async fn values_within_the_bounds_are_accepted() {
        let search = read("types[]=a&types[]=b&q=short&page[limit]=80").await.unwrap();
        assert_eq!((search.types.len(), search.q.as_str(), search.page.limit), (2, "short", 80));
        assert!(read("").await.is_ok());
    }

    #[actix_web::test]
    async fn the_first_error_is_named_in_form_notation() {
        for (query, message) in [
            ("types[]=a&types[]=b&types[]=c&types[]=d", "types has more than 3 parts"),
            ("q=longer&types[]=a", "q is too long"),
            ("page[limit]=81&q=longer", "page[limit] is not acceptable"),
            ("q=longer&types[]=a&types[]=b&types[]=c&types[]=d", "q is too long"),
        ] {
            assert_eq!(read(query).await.unwrap_err(), format!("Invalid parameter: {message}"));
        }
        assert_eq!(
            read("page[limit]=x").await.unwrap_err(),
            "Invalid parameter: page[limit] must be a whole number"
        );
    }
}
