//! `/admin/settings`: the settings that staff may change.

use std::collections::BTreeMap;

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::{
    Settings,
    settings::{Description, SettingKind},
};
use siskin_policy::{roles::ManageSettings, settings::staff_may_change};
use siskin_services::Error as Domain;

use super::{
    fields::{Field, FieldInput, InputForm, unix_lines},
    layout::{Done, Layout, Section, Viewer},
    people::Choice,
};
use crate::{
    pages::{PageError, PageForm, Problem},
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/settings";
const HAPPENED: &[(&str, &str)] = &[("saved", "The settings were saved.")];

/// Settings that belong together.
pub(super) struct Group {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// Keys with their labels.
    pub(super) entries: &'static [(&'static str, &'static str)],
}

/// All settings that staff may change, in the order of the page.
const GROUPS: &[Group] = &[
    Group {
        id: "server",
        title: "This server",
        entries: &[
            ("site_title", "Name"),
            ("site_short_description", "Short description"),
            ("site_description", "Description"),
            ("contact_email", "Contact email address"),
            ("contact_account", "Contact account"),
            ("languages", "Languages"),
        ],
    },
    Group {
        id: "sign_up",
        title: "Sign-up",
        entries: &[
            ("registrations", "Who may sign up"),
            ("registrations_message", "Text while sign-up is closed"),
            ("external_only", "Sign-in only through an external provider"),
            ("email_confirmation", "Email addresses must be confirmed"),
            ("unconfirmed_accounts_days", "Days until unconfirmed accounts are deleted"),
            ("sign_up.reserved_names", "Reserved names"),
            ("second_factor.required_for", "Who must set up a second factor"),
        ],
    },
    Group {
        id: "visitors",
        title: "What others see",
        entries: &[
            ("feeds.local", "Timeline of this server"),
            ("feeds.remote", "Timeline of other servers"),
            ("feeds.hashtag_local", "Hashtags of this server"),
            ("feeds.hashtag_remote", "Hashtags of other servers"),
            ("domain_blocks.visibility", "List of blocked servers"),
            ("domain_blocks.reasons", "Reasons in that list"),
            ("peers_api", "List of known servers"),
            ("activity_api", "Numbers of the last weeks"),
        ],
    },
    Group {
        id: "federation",
        title: "Other servers",
        entries: &[("federation.mode", "With whom this server talks")],
    },
    Group {
        id: "discovery",
        title: "Discovery",
        entries: &[
            ("trends.enabled", "Trends"),
            ("trends.by_default", "Trends without a review"),
            ("suggestions.staff_picks", "Suggested accounts"),
            ("link_previews", "Previews of links"),
        ],
    },
    Group {
        id: "limits",
        title: "Limits",
        entries: &[
            ("limits.status_chars", "Characters of a post"),
            ("limits.display_name_chars", "Characters of a display name"),
            ("max_bio_chars", "Characters of a bio"),
            ("limits.profile_fields", "Fields of a profile"),
            ("limits.profile_field_chars", "Characters of a field"),
            ("limits.follows", "Follows without a limit"),
        ],
    },
];

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(show)).route(PAGE, web::post().to(save));
}

/// The submitted form: values by key. Browsers do not send a checkbox that is not ticked.
pub(super) type Typed = BTreeMap<String, String>;

/// Beginning of the names of hidden fields with the values that a page showed. So a person changes
/// only what they changed on the page, and not what others have changed since.
const SHOWN: &str = "shown.";

impl Group {
    fn settings(&self) -> impl Iterator<Item = (&'static Description, &'static str)> {
        self.entries.iter().filter_map(|(key, label)| Some((described(key)?, *label)))
    }

    /// Returns the values of the settings that a form can change, except for those that the person
    /// left as the page showed them.
    pub(super) fn values(
        &self,
        typed: &Typed,
        is_fixed: impl Fn(&str) -> bool,
    ) -> Vec<(String, String)> {
        let free = self.settings().filter(|(setting, _)| !is_fixed(setting.key));
        let values = free.filter_map(|(setting, _)| Some((setting, value(setting, typed)?)));
        let is_new = |setting: &Description, value: &str| {
            shown(setting.key, typed).is_none_or(|shown| unix_lines(shown) != value)
        };
        let changed = values.filter(|(setting, value)| is_new(setting, value));
        changed.map(|(setting, value)| (setting.key.to_owned(), value)).collect()
    }

    /// Returns the inputs for the settings, with the typed or else the present values.
    pub(super) fn fields(&self, app: &App, typed: Option<&Typed>) -> Vec<Field> {
        let input = |(setting, label)| {
            let typed = typed.map(|typed| value(setting, typed).unwrap_or_default());
            field(app, setting, label, typed)
        };
        self.settings().map(input).collect()
    }

    /// Returns the names and values of hidden fields with what the page shows. A refused form keeps
    /// what the page showed first.
    fn hidden_fields(&self, app: &App, typed: Option<&Typed>) -> Vec<(String, String)> {
        let free =
            self.settings().filter(|(setting, _)| !app.fixed_settings().contains(setting.key));
        let hidden = |(setting, _): (&Description, _)| {
            let first = typed.and_then(|typed| shown(setting.key, typed)).cloned();
            let present = || app.settings().get(setting.key).unwrap_or_default();
            (format!("{SHOWN}{}", setting.key), first.unwrap_or_else(present))
        };
        free.map(hidden).collect()
    }

    /// Returns the problem with a value. Its sentence begins with the label of the field, and not
    /// with the key of the setting, which the command line shows.
    ///
    /// # Errors
    /// The page of the error, if the person cannot solve it in the form.
    pub(super) fn problem(&self, error: Domain) -> Result<Problem, PageError> {
        labelled(error, self.entries)
    }
}

/// Returns the problem with the value of one of these settings, which have labels.
fn labelled<'e>(
    error: Domain,
    entries: impl IntoIterator<Item = &'e (&'static str, &'static str)>,
) -> Result<Problem, PageError> {
    let problem = Problem::of(error)?;
    Ok(match entries.into_iter().find(|(key, _)| problem.is_about(key)) {
        Some((key, label)) => problem.renamed(key, label),
        None => problem,
    })
}

/// Returns the value of a setting that the page showed. `None` if the form does not contain it.
fn shown<'t>(key: &str, typed: &'t Typed) -> Option<&'t String> {
    typed.get(&format!("{SHOWN}{key}"))
}

/// Returns the submitted value of a setting. `None` if the form does not contain it.
fn value(setting: &Description, typed: &Typed) -> Option<String> {
    let value = typed.get(setting.key);
    match setting.kind {
        SettingKind::Switch => {
            let is_in_form = value.is_some() || shown(setting.key, typed).is_some();
            is_in_form.then(|| value.is_some().to_string())
        }
        SettingKind::Text => value.map(|text| unix_lines(text)),
        SettingKind::Number | SettingKind::Choice(_) => value.map(|text| text.trim().to_owned()),
    }
}

fn described(key: &str) -> Option<&'static Description> {
    let mut open = Settings::DESCRIPTIONS.iter().filter(|it| staff_may_change(it.key));
    open.find(|description| description.key == key)
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageSettings>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    layout(Viewer::of(&app, &staff), None).done(&done, HAPPENED).show()
}

/// Builds the page. All settings are in one form, so that its button saves every change. `refused`
/// has what was typed, and why it was refused.
fn layout(viewer: Viewer<'_>, refused: Option<(&Typed, &Problem)>) -> Layout {
    let explained = "Changes apply at once. Only those that you make here are saved. The operator \
                     has more settings, on the command line: siskin settings list.";
    let (typed, problem) = refused.unzip();
    let form = GROUPS.iter().fold(InputForm::post("settings", PAGE, "Save"), |form, group| {
        let hidden = group.hidden_fields(viewer.app, typed).into_iter();
        let form = hidden.fold(form, |form, (name, value)| form.hidden(name, value));
        form.with_set(group.title, group.fields(viewer.app, typed))
    });
    let section = Section::untitled().text(explained).form(form.refused(problem));
    viewer.layout(PAGE, "Settings").refused(problem).with(section)
}

/// Returns the input for a setting, with the typed or else the present value.
fn field(app: &App, setting: &Description, label: &str, typed: Option<String>) -> Field {
    let key = setting.key;
    let present = app.settings().get(key).unwrap_or_default();
    if app.fixed_settings().contains(key) {
        let fixed = format!(
            "{} It is fixed by {} or in the configuration file of the server, and cannot be \
             changed here.",
            hint(setting),
            Settings::environment_name(key)
        );
        return Field::new(key, label, FieldInput::Fixed(present)).hint(fixed);
    }
    let value = typed.unwrap_or_else(|| present.clone());
    let input = match setting.kind {
        SettingKind::Switch => FieldInput::Check(value == "true"),
        SettingKind::Number => FieldInput::Line("number", value),
        SettingKind::Text if setting.may_have_lines() => FieldInput::Lines(4, value),
        SettingKind::Text => FieldInput::Line("text", value),
        SettingKind::Choice(names) => {
            // A value that cannot be chosen any more stays, unless the person chooses another one.
            let is_offered =
                |name: &str| name == present || app.fixed_settings().supports(key, name);
            FieldInput::Select(choices(key, names, &value, is_offered))
        }
    };
    Field::new(key, label, input).hint(hint(setting))
}

fn choices(
    key: &str,
    names: &[&'static str],
    chosen: &str,
    is_supported: impl Fn(&str) -> bool,
) -> Vec<Choice> {
    let supported = names
        .iter()
        .filter(|name| is_supported(name) && Settings::default().set(key, name).is_ok());
    supported.map(|name| Choice::new(*name, words(key, name), chosen)).collect()
}

/// Returns what a setting is for, in plain words: those of its description, unless these are about
/// the command line or the API.
fn hint(setting: &Description) -> &'static str {
    match setting.key {
        "contact_account" => "User name of an account here, which is shown as the contact.",
        "languages" => {
            "The main languages here: codes of two letters such as en or de, separated by commas."
        }
        "registrations" => "Invites let people in even while sign-up is closed.",
        "external_only" => {
            "People sign in and sign up only through the external provider. Passwords, their reset \
             by email and all other ways to sign up are then switched off."
        }
        "email_confirmation" => {
            "New people must confirm their email address before they can use their account."
        }
        "unconfirmed_accounts_days" => {
            "An account is deleted after this number of days if its email address was never \
             confirmed. With 0, it stays."
        }
        "sign_up.reserved_names" => {
            "User names that no one can choose at sign-up, besides names such as admin. Separate \
             them by commas or spaces."
        }
        "second_factor.required_for" => {
            "They must set up a second factor before they can use pages here and give apps access."
        }
        "feeds.local" => "Who can read the timeline with all public posts of this server.",
        "feeds.remote" => "Who can read the timeline with public posts of other servers.",
        "feeds.hashtag_local" => "Who can read the posts of this server with a hashtag.",
        "feeds.hashtag_remote" => "Who can read the posts of other servers with a hashtag.",
        "domain_blocks.visibility" => "Who sees which servers are blocked here.",
        "domain_blocks.reasons" => "Who sees the reasons for others that a block can have.",
        "peers_api" => "Everyone can load the list of the servers that this one knows.",
        "activity_api" => {
            "Everyone can load the numbers of posts, sign-ins and new accounts of the last twelve \
             weeks."
        }
        "trends.enabled" => "Shows hashtags, posts and links that many people use at present.",
        "trends.by_default" => "They may trend before staff have reviewed them.",
        "suggestions.staff_picks" => {
            "Accounts that everyone is suggested to follow, such as @ann or @bob@other.example, \
             separated by commas."
        }
        "link_previews" => {
            "The server fetches pages that posts link to, and shows previews of them."
        }
        "limits.status_chars" => "Maximum length of a post with its content warning.",
        "limits.follows" => {
            "Everyone can follow this number of accounts. Beyond it, people need about as many \
             followers as they follow."
        }
        _ => setting.about,
    }
}

/// Returns words for a name that a setting can have.
fn words(key: &str, name: &'static str) -> &'static str {
    match (key, name) {
        ("registrations", "open") => "Everyone",
        ("registrations", "approval") => "Everyone, after staff approve the account",
        ("registrations", "none") => "Only people with an invite",
        ("registrations", "external") => "People of the external sign-in provider",
        ("second_factor.required_for", "none") => "No one",
        ("second_factor.required_for", "staff") => "Staff",
        ("federation.mode", "off") => "With no other server",
        ("federation.mode", "allowed") => "Only with allowed servers",
        ("federation.mode", "open") => "With all servers that are not blocked",
        (_, "public" | "all") => "Everyone",
        (_, "authenticated" | "users") => "People who are signed in",
        ("domain_blocks.visibility" | "domain_blocks.reasons", "disabled") => "Only staff",
        (_, "disabled") => "Switched off",
        (_, other) => other,
    }
}

async fn save(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let is_fixed = |key: &str| app.fixed_settings().contains(key);
    let values = GROUPS.iter().flat_map(|group| group.values(&typed, is_fixed)).collect();
    match app.change_settings(form.actor(), values).await {
        Ok(()) => Ok(viewer.after(PAGE, "saved")),
        Err(error) => {
            let problem = labelled(error, GROUPS.iter().flat_map(|group| group.entries))?;
            layout(viewer, Some((&typed, &problem))).show()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_each_setting_that_staff_may_change_once() {
        let entries = GROUPS.iter().flat_map(|group| group.entries);
        let mut listed: Vec<&str> = entries.map(|(key, _)| *key).collect();
        let open = Settings::DESCRIPTIONS.iter().filter(|it| staff_may_change(it.key));
        let mut open: Vec<&str> = open.map(|description| description.key).collect();
        listed.sort_unstable();
        open.sort_unstable();
        assert_eq!(listed, open);
    }

    fn typed(fields: &[(&str, &str)]) -> Typed {
        fields.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_form_changes_what_the_person_changed() {
        let discovery = GROUPS.iter().find(|group| group.id == "discovery").unwrap();
        let values = |fields: &[(&str, &str)]| {
            discovery.values(&typed(fields), |key| key == "link_previews")
        };
        let picks = ("suggestions.staff_picks", "a\r\nb");
        let shown = [("shown.trends.enabled", "true"), ("shown.trends.by_default", "true"), picks];
        let expected = |fields: &[(&str, &str)]| -> Vec<(String, String)> {
            fields.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let sent = [&shown[..], &[("trends.enabled", "1"), ("site_title", "X")]].concat();
        assert_eq!(
            values(&sent),
            expected(&[("trends.by_default", "false"), ("suggestions.staff_picks", "a\nb")])
        );
        let sent = [&sent[..], &[("shown.suggestions.staff_picks", "a\r\nb")]].concat();
        assert_eq!(values(&sent), expected(&[("trends.by_default", "false")]));
        // A form without a switch does not change it.
        assert_eq!(values(&[picks]), expected(&[("suggestions.staff_picks", "a\nb")]));
        assert_eq!(values(&[]), expected(&[]));
    }

    #[test]
    fn labels_differ() {
        let mut labels: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.entries).map(|(_, label)| *label).collect();
        let count = labels.len();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), count);
    }

    #[test]
    fn hints_are_for_people() {
        for (setting, _) in GROUPS.iter().flat_map(Group::settings) {
            let hint = hint(setting);
            for word in ["GET ", "/api", "Whether", "status", "local", ": ", "true", "siskin"] {
                let is_of_list = setting.key == "languages" && word == ": ";
                assert!(!hint.contains(word) || is_of_list, "{}: {hint}", setting.key);
            }
            assert!(hint.ends_with('.'), "{hint}");
        }
    }

    #[test]
    fn problems_name_the_field() {
        for group in GROUPS {
            for (key, label) in group.entries {
                let error = Domain::invalid(format!("{key} has a wrong value"));
                let problem = group.problem(error).unwrap();
                assert_eq!(problem.words, format!("{label} has a wrong value."));
                let fields = group.entries.iter().map(|(key, label)| Field::text(*key, *label, ""));
                let form = InputForm::post(group.id, PAGE, "Save");
                let form = fields.fold(form, InputForm::with).refused(Some(&problem));
                let marked = form.fields.iter().filter(|field| field.problem.is_some());
                let marked: Vec<&str> = marked.map(|field| field.name.as_str()).collect();
                assert_eq!(marked, [*key]);
            }
            let other = group.problem(Domain::invalid("something else")).unwrap();
            assert_eq!(other.words, "Something else.");
        }
    }

    #[test]
    fn choices_have_words_and_are_accepted() {
        for setting in Settings::DESCRIPTIONS {
            let SettingKind::Choice(names) = setting.kind else { continue };
            let choices = choices(setting.key, names, "", |_| true);
            assert!(choices.len() >= 2, "{}", setting.key);
            for choice in choices {
                assert!(Settings::default().set(setting.key, &choice.value).is_ok());
                assert_ne!(choice.value, choice.words);
            }
        }
    }
}
