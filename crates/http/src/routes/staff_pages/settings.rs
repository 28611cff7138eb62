//! `/admin/settings`: the settings that staff may change.

mod words;

use std::{collections::BTreeMap, sync::Arc};

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::{
    Settings,
    settings::{Description, SettingKind, SettingValue as _},
};
use siskin_policy::{roles::ManageSettings, settings::staff_may_change};
use siskin_services::{
    Error as Domain, Field as Fault,
    settings::{FixedSettings, SettingChange, is_same_value},
};

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
/// only what they changed on the page, and learns if others have changed the same since.
const SHOWN: &str = "shown.";

/// The settings in force when a page is built. A value and the hidden field about it come from the
/// same ones.
pub(super) struct Present<'a> {
    settings: Arc<Settings>,
    fixed: &'a FixedSettings,
}

impl<'a> Present<'a> {
    pub(super) fn of(app: &'a App) -> Self {
        Self { settings: app.settings(), fixed: app.fixed_settings() }
    }

    fn value(&self, setting: &Description) -> String {
        self.settings.get(setting.key).unwrap_or_default()
    }

    fn is_fixed(&self, setting: &Description) -> bool {
        self.fixed.contains(setting.key)
    }
}

impl Group {
    fn settings(&self) -> impl Iterator<Item = (&'static Description, &'static str)> {
        self.entries.iter().filter_map(|(key, label)| Some((described(key)?, *label)))
    }

    /// Returns `true` if the operator has fixed all of these settings, so that there is nothing to
    /// save.
    pub(super) fn is_fixed(&self, present: &Present<'_>) -> bool {
        self.settings().all(|(setting, _)| present.is_fixed(setting))
    }

    /// Returns what the person changed in a form.
    pub(super) fn changes(&self, typed: &Typed) -> Vec<SettingChange> {
        self.settings().filter_map(|(setting, _)| change(setting, typed)).collect()
    }

    /// Returns the inputs for the settings. Those that the person changed in a refused form have
    /// what was typed.
    pub(super) fn fields(&self, present: &Present<'_>, typed: Option<&Typed>) -> Vec<Field> {
        let input = |(setting, label): (&'static Description, &'static str)| {
            field(present, setting, label, typed.and_then(|typed| change(setting, typed)))
        };
        self.settings().map(input).collect()
    }

    /// Adds hidden fields with the present values to a form, so that it later shows what the person
    /// changed. In a refused form they are newer than what was typed: the page tells what others
    /// have changed since, so the next attempt replaces it.
    pub(super) fn remembered(&self, present: &Present<'_>, form: InputForm) -> InputForm {
        let free = self.settings().filter(|(setting, _)| !present.is_fixed(setting));
        free.fold(form, |form, (setting, _)| {
            form.hidden(format!("{SHOWN}{}", setting.key), present.value(setting))
        })
    }
}

/// Returns the problem with a form of these settings. Each sentence begins with the label of a field,
/// and not with the key of the setting, which the command line shows.
///
/// # Errors
/// The page of the error, if the person cannot solve it in the form.
pub(super) fn problem(
    error: Domain,
    groups: &[Group],
    typed: &Typed,
    fixed: &FixedSettings,
) -> Result<Problem, PageError> {
    let faults = match error {
        Domain::InvalidFields(faults) => faults,
        other => return Problem::of(other),
    };
    let sentence = |fault: &Fault| {
        let mut settings = groups.iter().flat_map(Group::settings);
        match settings.find(|(setting, _)| setting.key == fault.name) {
            Some((setting, label)) => {
                let value = value(setting, typed).unwrap_or_default();
                format!("{label} {}.", words::refusal(fixed, setting, &value, &fault.description))
            }
            None => format!("{fault}."),
        }
    };
    Ok(Problem::with_inputs(faults.iter().map(sentence).collect()))
}

/// Returns what the person changed about a setting. `None` if it is as the page showed it, and if
/// the form does not contain it.
fn change(setting: &Description, typed: &Typed) -> Option<SettingChange> {
    let (value, shown) = (value(setting, typed)?, shown(setting.key, typed).cloned());
    let is_new = shown.as_deref().is_none_or(|shown| !is_same_value(shown, &value));
    is_new.then(|| SettingChange { key: setting.key.to_owned(), value, shown })
}

/// Returns the value of a setting that the page showed. `None` if the form does not contain it.
fn shown<'t>(key: &str, typed: &'t Typed) -> Option<&'t String> {
    typed.get(&format!("{SHOWN}{key}"))
}

/// Returns the submitted value of a setting. `None` if the form does not contain it.
fn value(setting: &Description, typed: &Typed) -> Option<String> {
    let value = typed.get(setting.key).map(|text| unix_lines(text));
    match setting.kind {
        SettingKind::Switch => match value {
            Some(text) => Some(bool::read(text.trim()).map_or(text, |is_on| is_on.to_string())),
            // Browsers do not send a checkbox that is not ticked.
            None => shown(setting.key, typed).map(|_| false.to_string()),
        },
        SettingKind::Text => value,
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
    let present = Present::of(viewer.app);
    let (typed, problem) = refused.unzip();
    let form = GROUPS.iter().fold(InputForm::post("settings", PAGE, "Save"), |form, group| {
        let form = group.remembered(&present, form);
        form.with_set(group.title, group.fields(&present, typed))
    });
    let section = Section::untitled().text(explained).form(form.refused(problem));
    viewer.layout(PAGE, "Settings").refused(problem).with(section)
}

/// Returns the input for a setting, with what the person changed in a refused form, or else with the
/// present value.
fn field(
    present: &Present<'_>,
    setting: &Description,
    label: &str,
    changed: Option<SettingChange>,
) -> Field {
    let (key, stored) = (setting.key, present.value(setting));
    if present.is_fixed(setting) {
        let fixed = format!(
            "{} It is fixed by {} or in the configuration file of the server, and cannot be \
             changed here.",
            words::hint(setting),
            Settings::environment_name(key)
        );
        let value = FieldInput::Fixed(words::value_in_words(setting, &stored));
        return Field::new(key, label, value).hint(fixed);
    }
    let is_new = changed.as_ref().is_some_and(|change| has_changed_since(change, &stored));
    let now = is_new.then(|| words::value_in_words(setting, &stored));
    let value = changed.map_or_else(|| stored.clone(), |change| change.value);
    let input = match setting.kind {
        SettingKind::Switch => FieldInput::Check(value == "true"),
        SettingKind::Number => FieldInput::Line("number", value),
        SettingKind::Text if setting.may_have_lines() => FieldInput::Lines(4, value),
        SettingKind::Text => FieldInput::Line("text", value),
        SettingKind::Choice(names) => FieldInput::Select(choices(
            present.fixed,
            setting,
            names,
            (stored.as_str(), value.as_str()),
        )),
    };
    Field { now, ..Field::new(key, label, input).hint(words::hint(setting)) }
}

/// Returns `true` if others have changed a setting since the page showed it to the person, and not
/// to what the person wants.
fn has_changed_since(change: &SettingChange, stored: &str) -> bool {
    let knew = change.shown.as_deref().is_none_or(|shown| is_same_value(shown, stored));
    !knew && !is_same_value(&change.value, stored)
}

/// Returns the choices for a setting with its stored and its chosen value.
fn choices(
    fixed: &FixedSettings,
    setting: &Description,
    names: &'static [&'static str],
    (stored, chosen): (&str, &str),
) -> Vec<Choice> {
    let offered: Vec<&str> = words::offered(setting, names, fixed).collect();
    // A value that cannot be chosen any more stays, unless the person chooses another one.
    let shown = names.iter().copied().filter(|name| offered.contains(name) || *name == stored);
    let choice =
        |name: &'static str| Choice::new(name, words::name_in_words(setting.key, name), chosen);
    shown.map(choice).collect()
}

async fn save(
    app: Data<App>,
    form: PostedStaff<ManageSettings>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let changes = GROUPS.iter().flat_map(|group| group.changes(&typed)).collect();
    match app.change_settings(form.actor(), changes).await {
        Ok(()) => Ok(viewer.after(PAGE, "saved")),
        Err(error) => {
            let problem = problem(error, GROUPS, &typed, app.fixed_settings())?;
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

    fn group(id: &str) -> &'static Group {
        GROUPS.iter().find(|group| group.id == id).unwrap()
    }

    #[test]
    fn a_form_changes_what_the_person_changed() {
        let changes = |fields: &[(&str, &str)]| -> Vec<(String, String)> {
            let changes = group("discovery").changes(&typed(fields)).into_iter();
            changes.map(|change| (change.key, change.value)).collect()
        };
        let picks = ("suggestions.staff_picks", "a\r\nb");
        let shown = [("shown.trends.enabled", "true"), ("shown.trends.by_default", "true"), picks];
        let expected = |fields: &[(&str, &str)]| -> Vec<(String, String)> {
            fields.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let sent = [&shown[..], &[("trends.enabled", "1"), ("site_title", "X")]].concat();
        assert_eq!(
            changes(&sent),
            expected(&[("trends.by_default", "false"), ("suggestions.staff_picks", "a\nb")])
        );
        let sent = [&sent[..], &[("shown.suggestions.staff_picks", "a\r\nb")]].concat();
        assert_eq!(changes(&sent), expected(&[("trends.by_default", "false")]));
        // A form without a switch does not change it.
        assert_eq!(changes(&[picks]), expected(&[("suggestions.staff_picks", "a\nb")]));
        assert_eq!(changes(&[]), expected(&[]));
    }

    #[test]
    fn a_switch_understands_words() {
        let sent = |text: &str| {
            value(described("link_previews").unwrap(), &typed(&[("link_previews", text)]))
        };
        for (text, expected) in [
            ("1", "true"),
            ("on", "true"),
            (" True ", "true"),
            ("0", "false"),
            ("false", "false"),
            ("off", "false"),
            // The use case refuses anything else.
            ("maybe", "maybe"),
            ("", ""),
        ] {
            assert_eq!(sent(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_refused_form_shows_what_others_changed_meanwhile() {
        let settings = Settings { site_title: "Theirs".to_owned(), ..Settings::default() };
        let fixed = FixedSettings::default();
        let present = Present { settings: Arc::new(settings), fixed: &fixed };
        let shown = |sent: &[(&str, &str)]| {
            let field = group("server").fields(&present, Some(&typed(sent))).remove(0);
            let FieldInput::Line(_, value) = field.input else { panic!("{}", field.name) };
            (value, field.now)
        };
        let old = ("shown.site_title", "Siskin");
        let (value, now) = shown(&[old, ("site_title", "Mine")]);
        assert_eq!((value.as_str(), now.as_deref()), ("Mine", Some("Theirs")));
        // What the person did not change follows the others.
        let (value, now) = shown(&[old, ("site_title", "Siskin")]);
        assert_eq!((value.as_str(), now), ("Theirs", None));
        let (value, now) = shown(&[("shown.site_title", "Theirs"), ("site_title", "Mine")]);
        assert_eq!((value.as_str(), now), ("Mine", None));
        let form = group("server").remembered(&present, InputForm::post("x", PAGE, "Save"));
        assert!(form.hidden.contains(&("shown.site_title".to_owned(), "Theirs".to_owned())));
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
            let hint = words::hint(setting);
            for word in ["GET ", "/api", "Whether", "status", "local", ": ", "true", "siskin"] {
                let is_of_list = setting.key == "languages" && word == ": ";
                assert!(!hint.contains(word) || is_of_list, "{}: {hint}", setting.key);
            }
            assert!(hint.ends_with('.'), "{hint}");
        }
    }

    #[test]
    fn problems_name_the_field() {
        let fixed = FixedSettings::default();
        let fault = |key: &'static str| Fault {
            name: key,
            error: siskin_services::FieldError::Invalid,
            description: "has a wrong value".to_owned(),
        };
        for group in GROUPS {
            for &(key, label) in group.entries {
                // A value that is accepted gets the words of the use case.
                let default = Settings::default().get(key).unwrap();
                let typed = typed(&[(key, default.as_str())]);
                let error = Domain::InvalidFields(vec![fault(key)]);
                let problem = problem(error, GROUPS, &typed, &fixed).unwrap();
                assert_eq!(problem.words, format!("{label} has a wrong value."));
                let fields = group.entries.iter().map(|(key, label)| Field::text(*key, *label, ""));
                let form = InputForm::post(group.id, PAGE, "Save");
                let form = fields.fold(form, InputForm::with).refused(Some(&problem));
                let marked = form.fields.iter().filter(|field| field.problem.is_some());
                let marked: Vec<&str> = marked.map(|field| field.name.as_str()).collect();
                assert_eq!(marked, [key]);
            }
        }
        let several = Domain::InvalidFields(vec![fault("languages"), fault("site_title")]);
        let several = problem(several, GROUPS, &typed(&[]), &fixed).unwrap();
        assert_eq!(several.words, "Languages has a wrong value. Name has a wrong value.");
        let other = problem(Domain::invalid("something else"), GROUPS, &typed(&[]), &fixed);
        assert_eq!(other.unwrap().words, "Something else.");
    }

    #[test]
    fn choices_have_words_and_are_accepted() {
        let fixed = FixedSettings::default().with_providers(vec!["https://id.test".to_owned()]);
        let fixed = fixed.unwrap();
        for setting in Settings::DESCRIPTIONS {
            let SettingKind::Choice(names) = setting.kind else { continue };
            let choices = choices(&fixed, setting, names, ("", ""));
            assert!(choices.len() >= 2, "{}", setting.key);
            for choice in choices {
                assert!(Settings::default().set(setting.key, &choice.value).is_ok());
                assert_ne!(choice.value, choice.words);
            }
        }
        let registrations = described("registrations").unwrap();
        let SettingKind::Choice(names) = registrations.kind else { panic!("it has names") };
        let without = FixedSettings::default();
        let offered = |stored| choices(&without, registrations, names, (stored, stored)).len();
        assert_eq!((offered("none"), offered("external")), (3, 4));
    }
}
