//! Forms as data: their fields with labels, hints and problems.

use super::people::Choice;
use crate::pages::Problem;

/// A form.
pub(super) struct InputForm {
    /// Beginning of the ids of its fields, which distinguishes them from those of other forms.
    pub(super) id: &'static str,
    pub(super) action: String,
    pub(super) is_post: bool,
    pub(super) has_file: bool,
    pub(super) hidden: Vec<(&'static str, String)>,
    pub(super) fields: Vec<Field>,
    pub(super) submit: &'static str,
    /// What the first button is about, for screen readers; empty if that is clear.
    pub(super) about: &'static str,
    /// Class of the first button.
    pub(super) class: &'static str,
    pub(super) others: Vec<OtherButton>,
}

/// A button that sends the form to another address.
pub(super) struct OtherButton {
    pub(super) action: String,
    pub(super) words: &'static str,
}

impl InputForm {
    /// Begins a form that changes something. `submit` is the text of its button.
    pub(super) fn post(id: &'static str, action: impl Into<String>, submit: &'static str) -> Self {
        Self {
            id,
            action: action.into(),
            is_post: true,
            has_file: false,
            hidden: Vec::new(),
            fields: Vec::new(),
            submit,
            about: "",
            class: "",
            others: Vec::new(),
        }
    }

    /// Begins a form that searches.
    pub(super) fn get(id: &'static str, action: impl Into<String>, submit: &'static str) -> Self {
        Self { is_post: false, class: "plain", ..Self::post(id, action, submit) }
    }

    /// Says to screen readers what the button is about. Pages with several forms need that.
    pub(super) fn of(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// Lets the button look as one that takes something away.
    pub(super) fn negative(self) -> Self {
        Self { class: "negative", ..self }
    }

    /// Sends large texts and files.
    pub(super) fn multipart(self) -> Self {
        Self { has_file: true, ..self }
    }

    pub(super) fn hidden(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.hidden.push((name, value.into()));
        self
    }

    pub(super) fn with(mut self, field: Field) -> Self {
        self.has_file |= matches!(field.input, FieldInput::File(_));
        let id = format!("{}_{}", self.id, field.name.replace('.', "_"));
        self.fields.push(Field { id, ..field });
        self
    }

    /// Adds a button that sends the same fields to another address.
    pub(super) fn other(mut self, action: impl Into<String>, words: &'static str) -> Self {
        self.others.push(OtherButton { action: action.into(), words });
        self
    }

    /// Shows a problem beside the field that it is about: of several, the one with the longest name.
    pub(super) fn refused(mut self, problem: Option<&Problem>) -> Self {
        let Some(problem) = problem else { return self };
        let fields = self.fields.iter_mut().filter(|field| problem.is_about(&field.subject));
        if let Some(field) = fields.max_by_key(|field| field.subject.len()) {
            field.problem = Some(problem.words.clone());
        }
        self
    }
}

/// A field of a form, with what was typed.
pub(super) struct Field {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) label: String,
    pub(super) hint: String,
    pub(super) problem: Option<String>,
    /// What the sentence about a wrong value begins with.
    pub(super) subject: String,
    pub(super) input: FieldInput,
}

/// The input of a field.
pub(super) enum FieldInput {
    /// One line: type and value.
    Line(&'static str, String),
    /// Several lines: number of visible ones and value.
    Lines(u8, String),
    /// A checkbox.
    Check(bool),
    /// Several checkboxes.
    Checks(Vec<Choice>),
    Select(Vec<Choice>),
    /// A file of these types.
    File(&'static str),
    /// A value that cannot be changed here.
    Fixed(String),
}

impl Field {
    pub(super) fn new(
        name: impl Into<String>,
        label: impl Into<String>,
        input: FieldInput,
    ) -> Self {
        let label = label.into();
        Self {
            id: String::new(),
            name: name.into(),
            hint: String::new(),
            problem: None,
            subject: label.clone(),
            label,
            input,
        }
    }

    /// Returns a field of one line.
    pub(super) fn text(
        name: impl Into<String>,
        label: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self::typed("text", name, label, value)
    }

    /// Returns a field of one line with the type of its input, such as `date`.
    pub(super) fn typed(
        kind: &'static str,
        name: impl Into<String>,
        label: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self::new(name, label, FieldInput::Line(kind, value.into()))
    }

    /// Returns a field of several lines.
    pub(super) fn lines(
        name: impl Into<String>,
        label: impl Into<String>,
        rows: u8,
        value: impl Into<String>,
    ) -> Self {
        Self::new(name, label, FieldInput::Lines(rows, value.into()))
    }

    /// Returns a checkbox. Browsers do not send one that is not ticked.
    pub(super) fn check(
        name: impl Into<String>,
        label: impl Into<String>,
        is_checked: bool,
    ) -> Self {
        Self::new(name, label, FieldInput::Check(is_checked))
    }

    /// Returns a selection.
    pub(super) fn select(
        name: impl Into<String>,
        label: impl Into<String>,
        choices: Vec<Choice>,
    ) -> Self {
        Self::new(name, label, FieldInput::Select(choices))
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// Names what the sentence about a wrong value begins with, if that is not the label.
    pub(super) fn about(self, subject: impl Into<String>) -> Self {
        Self { subject: subject.into(), ..self }
    }

    /// Returns the ids of the texts that describe the input, separated by spaces.
    pub(super) fn described_by(&self) -> String {
        let problem = self.problem.as_ref().map(|_| format!("{}_problem", self.id));
        let hint = (!self.hint.is_empty()).then(|| format!("{}_hint", self.id));
        [problem, hint].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// Returns a text of several lines without the carriage returns that browsers add.
pub(super) fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_shown_beside_its_field() {
        let form = || {
            InputForm::post("add", "/x", "Add")
                .with(Field::text("domain", "Domain", "é"))
                .with(Field::text("private_comment", "Note", "").about("Private comment"))
        };
        let problems = |words: &str| -> Vec<bool> {
            let form = form().refused(Some(&Problem::with_input(words)));
            form.fields.iter().map(|field| field.problem.is_some()).collect()
        };
        assert_eq!(problems("Domain can't be blank."), [true, false]);
        assert_eq!(problems("private comment is too long."), [false, true]);
        assert_eq!(problems("Domains differ."), [false, false]);
        assert_eq!(problems(""), [false, false]);
    }

    #[test]
    fn fields_are_described_by_their_problem_and_hint() {
        let form = InputForm::post("add", "/x", "Add")
            .with(Field::text("limits.bio", "Bio", "").hint("A number."))
            .refused(Some(&Problem::with_input("Bio must be a number.")));
        assert_eq!(form.fields[0].described_by(), "add_limits_bio_problem add_limits_bio_hint");
        assert_eq!(Field::text("a", "A", "").described_by(), "");
    }

    #[test]
    fn lines_end_as_they_are_stored() {
        assert_eq!(unix_lines("a\r\nb\n\r\n"), "a\nb\n\n");
    }
}
