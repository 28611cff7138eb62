//! The preferred languages of the client.

use actix_web::http::header::{ACCEPT_LANGUAGE, HeaderMap};

/// Maximum number of entries that are parsed. Clients list only a few languages; the rest is
/// ignored.
const MAX_ENTRIES: usize = 20;

/// Returns the codes in `Accept-Language` (RFC 9110, 12.5.4) by descending preference. Codes with
/// equal preference stay in their order. Refused codes (`q=0`) and `*` are left out.
pub(crate) fn accepted(headers: &HeaderMap) -> Vec<&str> {
    let values = headers.get_all(ACCEPT_LANGUAGE).filter_map(|value| value.to_str().ok());
    let ranges = values.flat_map(|value| value.split(',')).take(MAX_ENTRIES);
    let mut preferred: Vec<(&str, f32)> = ranges.filter_map(range).collect();
    preferred.sort_by(|one, other| other.1.total_cmp(&one.1));
    preferred.into_iter().map(|(code, _)| code).collect()
}

fn range(text: &str) -> Option<(&str, f32)> {
    let mut parts = text.split(';').map(str::trim);
    let code = parts.next().filter(|code| !code.is_empty() && *code != "*")?;
    let weight = match parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q="))) {
        None => 1.0,
        Some(weight) => weight.trim().parse().ok()?,
    };
    (weight > 0.0 && weight <= 1.0).then_some((code, weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(values: &[&'static str]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers
                .append(ACCEPT_LANGUAGE, actix_web::http::header::HeaderValue::from_static(value));
        }
        accepted(&headers).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn the_most_preferred_language_comes_first() {
        assert_eq!(codes(&["de"]), ["de"]);
        assert_eq!(codes(&["da, en-GB;q=0.8, en;q=0.7"]), ["da", "en-GB", "en"]);
        assert_eq!(codes(&["en;q=0.5 , de ; q=0.9,fr;q=0.9"]), ["de", "fr", "en"]);
        assert_eq!(codes(&["en;q=0.5", "de"]), ["de", "en"]);
    }

    #[test]
    fn refused_and_invalid_entries_are_left_out() {
        assert_eq!(codes(&[]), [""; 0]);
        assert_eq!(codes(&["", "*", "en;q=0, de;q=2, fr;q=x, ;q=1, it;q=NaN"]), [""; 0]);
        assert_eq!(codes(&["*;q=0.1,de"]), ["de"]);
    }
}
