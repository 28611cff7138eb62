//! The poll of a new or edited status, as clients send it.

use serde::Deserialize;
use siskin_app::App;
use siskin_entities::polls::{Definition, PollRequest};
use siskin_services::{Error as Domain, polls};

use crate::params::Patch;

#[derive(Debug, Deserialize)]
pub(super) struct PollForm {
    #[serde(default)]
    options: Vec<String>,
    expires_in: Option<i64>,
    multiple: Option<bool>,
    hide_totals: Option<bool>,
}

/// Returns the poll that the client defines, if any.
pub(super) fn definition(app: &App, form: Option<PollForm>) -> Result<Option<Definition>, Domain> {
    let poll = form.and_then(PollForm::poll);
    poll.map(|poll| polls::prepare(app.instance(), &poll)).transpose()
}

/// Returns the change that an edit makes to the poll: `None` keeps it, `Some(None)` removes it.
pub(super) fn revised(
    app: &App,
    form: Patch<PollForm>,
) -> Result<Option<Option<Definition>>, Domain> {
    let poll = form.into_options().map(|form| form.filter(|form| !form.is_blank()));
    poll.map(|form| definition(app, form)).transpose()
}

impl PollForm {
    /// Returns `true` if there is no option with a title.
    fn is_blank(&self) -> bool {
        self.options.iter().all(|title| title.trim().is_empty())
    }

    /// Returns the poll of the form. `None` if nothing was filled in, as in forms that have room
    /// for a poll.
    fn poll(self) -> Option<PollRequest> {
        (!self.is_blank() || self.expires_in.is_some()).then_some(PollRequest {
            options: self.options,
            expires_in: self.expires_in,
            multiple: self.multiple.unwrap_or_default(),
            hide_totals: self.hide_totals.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    #[derive(Deserialize)]
    struct Whole {
        poll: Option<PollForm>,
    }

    fn poll(query: &str) -> Option<PollRequest> {
        let form: Whole = Params::from_query(query).unwrap().decode().unwrap();
        form.poll.and_then(PollForm::poll)
    }

    #[test]
    fn a_blank_form_is_no_poll() {
        for query in ["", "poll=", "poll[options][]=&poll[options][]=", "poll[multiple]=false"] {
            assert_eq!(poll(query), None, "{query}");
        }
        assert!(poll("poll[options][]=&poll[expires_in]=300").is_some());
    }

    #[test]
    fn a_poll_is_read_with_all_parameters() {
        let whole = "poll[options][]=a&poll[options][]=b&poll[expires_in]=300&poll[multiple]=1\
                     &poll[hide_totals]=true";
        let expected = PollRequest {
            options: vec!["a".to_owned(), "b".to_owned()],
            expires_in: Some(300),
            multiple: true,
            hide_totals: true,
        };
        assert_eq!(poll(whole), Some(expected.clone()));
        let indexed = "poll[options][0]=a&poll[options][1]=b&poll[expires_in]=300";
        let without_options = PollRequest { multiple: false, hide_totals: false, ..expected };
        assert_eq!(poll(indexed), Some(without_options));
    }
}
