//! Which accounts or reports a decision about several did not change, and why. The address after
//! the decision carries their ids, so that a reload of the page does not decide again.

use std::{
    collections::{HashMap, HashSet},
    fmt::Display,
    hash::Hash,
    str::FromStr,
};

use siskin_app::App;
use siskin_entities::{AdminAccount, DecisionResult, ShownReport};
use siskin_ids::{AccountId, ReportId};
use siskin_persistence::IdMap;
use siskin_policy::roles::Authority;
use siskin_services::{moderation::accounts, reports};

use super::people::{Person, handle};
use crate::pages::{Moment, PageError};

/// Name of the parameter with the ids.
pub(super) const PARAMETER: &str = "unchanged";
/// Maximum number of entries with a name. Some proxies refuse the address of more.
const MAX_NAMED: usize = 100;
/// Characters between results, and between ids. Addresses contain them as they are.
const BETWEEN_RESULTS: &str = "*";
const BETWEEN_IDS: &str = ".";

/// An account or a report that a decision did not change.
pub(super) struct Unchanged {
    pub(super) name: String,
    /// Path of its page. `None` if it has none.
    pub(super) path: Option<String>,
    pub(super) why: &'static str,
}

/// What a decision did not change.
#[derive(Default)]
pub(super) struct UnchangedList {
    pub(super) entries: Vec<Unchanged>,
    /// Number of further ones, which have no name here.
    pub(super) more: usize,
}

/// Returns the value of the parameter with those that did not change, in the order of `ids`.
pub(super) fn encode<I: Display + Eq + Hash>(
    ids: &[I],
    results: &HashMap<I, DecisionResult>,
) -> String {
    let (mut groups, mut left) = (Vec::new(), MAX_NAMED);
    let others = DecisionResult::ALL.into_iter().filter(|result| *result != DecisionResult::Done);
    for result in others {
        let those = ids.iter().filter(|id| results.get(*id) == Some(&result));
        let named: Vec<String> = those.take(left).map(|id| format!("{BETWEEN_IDS}{id}")).collect();
        left -= named.len();
        if !named.is_empty() {
            groups.push(format!("{}{}", result.as_str(), named.concat()));
        }
    }
    groups.join(BETWEEN_RESULTS)
}

/// Parses the value of the parameter: at most `most` results, one for each id. Leaves out what
/// cannot exist, and decisions that took effect. People can change the address.
fn decode<I: FromStr + Copy + Eq + Hash>(text: &str, most: usize) -> Vec<(DecisionResult, I)> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for group in text.split(BETWEEN_RESULTS) {
        let mut parts = group.split(BETWEEN_IDS);
        let result = parts.next().and_then(DecisionResult::from_name);
        let Some(result) = result.filter(|result| *result != DecisionResult::Done) else {
            continue;
        };
        let ids = parts.filter_map(|id| id.parse::<I>().ok());
        found.extend(ids.filter(|id| seen.insert(*id)).map(|id| (result, id)));
    }
    found.truncate(most.min(MAX_NAMED));
    found
}

/// Returns the handles of accounts, in the order of `ids`. An account that does not exist any more
/// has its id as a name.
pub(super) fn account_names(
    ids: &[AccountId],
    found: &IdMap<AccountId, AdminAccount>,
) -> Vec<String> {
    let name = |id: &AccountId| match found.get(id) {
        Some(account) => handle(&account.account),
        None => format!("Account {id}, which does not exist any more"),
    };
    ids.iter().map(name).collect()
}

/// Says why a decision did not change something.
const fn why(result: DecisionResult) -> &'static str {
    match result {
        DecisionResult::Done => "It has changed.",
        DecisionResult::Unchanged => {
            "There was nothing to change: it was so already, or someone else decided first."
        }
        DecisionResult::NotFound => "It does not exist any more.",
        DecisionResult::Forbidden => "Your rank does not allow it.",
        DecisionResult::Taken => "The name or the email address is taken by now.",
        DecisionResult::Impossible => {
            "It is not possible: this is the only owner, or an account of another server."
        }
    }
}

impl UnchangedList {
    fn of(entries: Vec<Unchanged>, count: usize) -> Self {
        Self { more: count.saturating_sub(entries.len()), entries }
    }

    /// Loads the names of accounts. `text` is the value of the parameter, and `count` the number of
    /// all that did not change.
    pub(super) async fn of_accounts(
        app: &App,
        staff: Authority,
        text: &str,
        count: usize,
    ) -> Result<Self, PageError> {
        let unchanged = decode::<AccountId>(text, count);
        if unchanged.is_empty() {
            return Ok(Self::default());
        }
        let ids: Vec<AccountId> = unchanged.iter().map(|(_, id)| *id).collect();
        let found = app.read(move |conn| accounts::load(conn, &ids)).await?;
        let entry = |(result, id): (DecisionResult, AccountId)| {
            let why = why(result);
            match found.get(&id) {
                Some(account) => of_account(account, staff, app, why),
                None => Unchanged { name: format!("Account {id}"), path: None, why },
            }
        };
        Ok(Self::of(unchanged.into_iter().map(entry).collect(), count))
    }

    /// Does the same for reports.
    pub(super) async fn of_reports(
        app: &App,
        staff: Authority,
        text: &str,
        count: usize,
    ) -> Result<Self, PageError> {
        let unchanged = decode::<ReportId>(text, count);
        if unchanged.is_empty() {
            return Ok(Self::default());
        }
        let ids: Vec<ReportId> = unchanged.iter().map(|(_, id)| *id).collect();
        let found = app.read(move |conn| reports::load(conn, staff, &ids)).await?;
        let entry = |(result, id): (DecisionResult, ReportId)| {
            let why = why(result);
            match found.iter().find(|shown| shown.report.id == id) {
                Some(shown) => of_report(shown, app, why),
                None => Unchanged { name: format!("Report {id}"), path: None, why },
            }
        };
        Ok(Self::of(unchanged.into_iter().map(entry).collect(), count))
    }
}

fn of_account(account: &AdminAccount, staff: Authority, app: &App, why: &'static str) -> Unchanged {
    let Person { handle, path, .. } = Person::of(&account.account, staff, app.urls());
    // A rejected sign-up has no page.
    Unchanged { name: handle, path: (!account.is_rejected()).then_some(path), why }
}

fn of_report(shown: &ShownReport, app: &App, why: &'static str) -> Unchanged {
    let created = Moment::of(shown.report.created_at, app.now());
    let about = handle(&shown.target);
    Unchanged {
        // Several reports about one account may be of the same minute.
        name: format!("Report about {about} of {}, number {}", created.spoken, shown.report.id),
        path: Some(format!("/admin/reports/{}", shown.report.id)),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_names_what_did_not_change() {
        let results = [
            (7, DecisionResult::Done),
            (8, DecisionResult::Forbidden),
            (9, DecisionResult::Unchanged),
            (10, DecisionResult::Unchanged),
        ];
        let results: HashMap<i64, DecisionResult> = results.into();
        let text = encode(&[10, 9, 8, 7], &results);
        assert_eq!(text, "unchanged.10.9*forbidden.8");
        let expected = [
            (DecisionResult::Unchanged, 10),
            (DecisionResult::Unchanged, 9),
            (DecisionResult::Forbidden, 8),
        ];
        assert_eq!(decode::<i64>(&text, 3), expected);
        assert_eq!(decode::<i64>(&text, 2), expected[..2]);
        assert_eq!(encode(&[7], &results), "");
        let encoded: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        assert_eq!(encoded, text);
    }

    #[test]
    fn strange_addresses_name_nothing() {
        let strange =
            ["", "unchanged", "*.", "odd.7", "unchanged.x", "unchanged..*taken.-", "done.7*done.8"];
        for text in strange {
            assert!(decode::<AccountId>(text, 9).is_empty(), "{text}");
        }
    }

    #[test]
    fn each_id_has_one_result() {
        let found = decode::<i64>("forbidden.7.7.8*unchanged.8.7.9*done.6", 9);
        let expected = [
            (DecisionResult::Forbidden, 7),
            (DecisionResult::Forbidden, 8),
            (DecisionResult::Unchanged, 9),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_long_list_is_cut() {
        let ids: Vec<i64> = (1..=150).collect();
        let results = ids.iter().map(|id| (*id, DecisionResult::NotFound)).collect();
        let text = encode(&ids, &results);
        assert_eq!(decode::<i64>(&text, 150).len(), MAX_NAMED);
        assert!(text.ends_with(".100"), "{text}");
        assert_eq!(UnchangedList::of(Vec::new(), 50).more, 50);
    }
}
