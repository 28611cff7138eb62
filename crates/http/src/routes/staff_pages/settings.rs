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

/// Settings that are changed together.
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
            ("domain_blocks.visibility", "Blocked servers"),
            ("domain_blocks.reasons", "Reasons of blocks"),
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

/// Field that names the group of a form.
const GROUP: &str = "group";

impl Group {
    fn settings(&self) -> impl Iterator<Item = (&'static Description, &'static str)> {
        self.entries.iter().filter_map(|(key, label)| Some((described(key)?, *label)))
    }

    /// Returns the values of the settings that a form can change.
    pub(super) fn values(
        &self,
        typed: &Typed,
        is_fixed: impl Fn(&str) -> bool,
    ) -> Vec<(String, String)> {
        let free = self.settings().filter(|(setting, _)| !is_fixed(setting.key));
        free.filter_map(|(setting, _)| Some((setting.key.to_owned(), value(setting, typed)?)))
            .collect()
    }

    /// Returns the inputs for the settings, with the typed or else the present values.
    pub(super) fn fields(&self, app: &App, typed: Option<&Typed>) -> Vec<Field> {
        let input = |(setting, label)| {
            let typed = typed.map(|typed| value(setting, typed).unwrap_or_default());
            field(app, setting, label, typed)
        };
        self.settings().map(input).collect()
    }

    /// Returns the problem with a value. Its sentence begins with the label of the field, and not
    /// with the key of the setting, which the command line shows.
    ///
    /// # Errors
    /// The page of the error, if the person cannot solve it in the form.
    pub(super) fn problem(&self, error: Domain) -> Result<Problem, PageError> {
        let problem = Problem::of(error)?;
        Ok(match self.entries.iter().find(|(key, _)| problem.is_about(key)) {
            Some((key, label)) => problem.renamed(key, label),
            None => problem,
        })
    }
}

/// Returns the submitted value of a setting. `None` if the form does not contain it.
fn value(setting: &Description, typed: &Typed) -> Option<String> {
    let value = typed.get(setting.key);
    match setting.kind {
        SettingKind::Switch => Some(value.is_some().to_string()),
        SettingKind::Text => value.map(|text| unix_lines(text)),
        SettingKind::Number | SettingKind::Choice(_) => value.map(|text| text.trim().to_owned()),
    }
}

fn group(id: &str) -> Option<&'static Group> {
    GROUPS.iter().find(|group| group.id == id)
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
    let saved = done.done.as_deref().and_then(group);
    let words = saved.map(|group| format!("The settings of “{}” were saved.", group.title));
    layout(Viewer::of(&app, &staff), None).happened(words).show()
}

/// A form that was refused, with what was typed.
struct Refused<'a> {
    group: &'a Group,
    typed: &'a Typed,
    problem: &'a Problem,
}

fn layout(viewer: Viewer<'_>, refused: Option<&Refused<'_>>) -> Layout {
    let explained = "These settings apply at once. The operator has more, on the command line: \
                     siskin settings list.";
    let sections = GROUPS.iter().map(|group| {
        let refused = refused.filter(|refused| refused.group.id == group.id);
        section(viewer.app, group, refused)
    });
    let layout = viewer
        .layout(PAGE, "Settings")
        .refused(refused.map(|refused| refused.problem))
        .with(Section::untitled().text(explained));
    sections.fold(layout, Layout::with)
}

fn section(app: &App, group: &Group, refused: Option<&Refused<'_>>) -> Section {
    let form = InputForm::post(group.id, PAGE, "Save").of(group.title).hidden(GROUP, group.id);
    let fields = group.fields(app, refused.map(|refused| refused.typed));
    let form = fields.into_iter().fold(form, InputForm::with);
    let form = form.refused(refused.map(|refused| refused.problem));
    Section::new(group.id, group.title).form(form)
}

/// Returns the input for a setting, with the typed or else the present value.
fn field(app: &App, setting: &Description, label: &str, typed: Option<String>) -> Field {
    let key = setting.key;
    let present = app.settings().get(key).unwrap_or_default();
    if app.fixed_settings().contains(key) {
        let fixed = format!(
            "{} It is fixed by {} or in the configuration file.",
            setting.about,
            Settings::environment_name(key)
        );
        return Field::new(key, label, FieldInput::Fixed(present)).hint(fixed);
    }
    let value = typed.unwrap_or(present);
    let input = match setting.kind {
        SettingKind::Switch => FieldInput::Check(value == "true"),
        SettingKind::Number => FieldInput::Line("number", value),
        SettingKind::Text if setting.may_have_lines() => FieldInput::Lines(4, value),
        SettingKind::Text => FieldInput::Line("text", value),
        SettingKind::Choice(names) => {
            let supported = |name: &str| app.fixed_settings().supports(key, name);
            FieldInput::Select(choices(key, names, &value, supported))
        }
    };
    Field::new(key, label, input).hint(setting.about)
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
    let group = typed.get(GROUP).and_then(|id| group(id)).ok_or(Domain::NotFound)?;
    let values = group.values(&typed, |key| app.fixed_settings().contains(key));
    match app.change_settings(form.actor(), values).await {
        Ok(()) => Ok(viewer.after(PAGE, group.id)),
        Err(error) => {
            let problem = &group.problem(error)?;
            layout(viewer, Some(&Refused { group, typed: &typed, problem })).show()
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

    #[test]
    fn a_form_changes_the_settings_of_its_group_only() {
        let group = |id: &str| GROUPS.iter().find(|group| group.id == id).unwrap();
        let typed: Typed =
            [("trends.enabled", "1"), ("site_title", "X"), ("suggestions.staff_picks", "a\r\nb")]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into();
        let values = group("discovery").values(&typed, |key| key == "link_previews");
        let expected = [
            ("trends.enabled", "true"),
            ("trends.by_default", "false"),
            ("suggestions.staff_picks", "a\nb"),
        ];
        assert_eq!(values, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
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
