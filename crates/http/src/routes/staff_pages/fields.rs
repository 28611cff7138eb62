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
    pub(super) hidden: Vec<(String, String)>,
    pub(super) fields: Vec<Field>,
    /// Groups of further fields, below the others.
    pub(super) sets: Vec<FieldSet>,
    pub(super) submit: &'static str,
    /// Class of the first button.
    pub(super) class: &'static str,
    pub(super) others: Vec<OtherButton>,
    /// All sentences about why it was refused, if a field shows at least one of them.
    pub(super) problem: Option<String>,
}

/// Fields below a heading.
pub(super) struct FieldSet {
    pub(super) title: &'static str,
    pub(super) fields: Vec<Field>,
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
            sets: Vec::new(),
            submit,
            class: "",
            others: Vec::new(),
            problem: None,
        }
    }

    /// Begins a form that searches.
    pub(super) fn get(id: &'static str, action: impl Into<String>, submit: &'static str) -> Self {
        Self { is_post: false, class: "plain", ..Self::post(id, action, submit) }
    }

    /// Lets the button look as one that takes something away.
    pub(super) fn negative(self) -> Self {
        Self { class: "negative", ..self }
    }

    /// Sends large texts and files.
    pub(super) fn multipart(self) -> Self {
        Self { has_file: true, ..self }
    }

    pub(super) fn hidden(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.hidden.push((name.into(), value.into()));
        self
    }

    pub(super) fn with(mut self, field: Field) -> Self {
        self.has_file |= matches!(field.input, FieldInput::File(_));
        let field = self.named(field);
        self.fields.push(field);
        self
    }

    /// Adds fields below a heading. None of them is a file.
    pub(super) fn with_set(mut self, title: &'static str, fields: Vec<Field>) -> Self {
        let fields = fields.into_iter().map(|field| self.named(field)).collect();
        self.sets.push(FieldSet { title, fields });
        self
    }

    /// Gives a field its id.
    fn named(&self, field: Field) -> Field {
        Field { id: format!("{}_{}", self.id, field.name.replace('.', "_")), ..field }
    }

    /// Adds a button that sends the same fields to another address.
    pub(super) fn other(mut self, action: impl Into<String>, words: &'static str) -> Self {
        self.others.push(OtherButton { action: action.into(), words });
        self
    }

    /// Shows each sentence of a problem beside the field that it is about: of several, the one with
    /// the longest name. The sentence names the label of the field.
    pub(super) fn refused(mut self, problem: Option<&Problem>) -> Self {
        let Some(problem) = problem else { return self };
        let (mut said, mut is_beside_field) = (Vec::new(), false);
        for sentence in problem.each() {
            match self.field_of(&sentence) {
                Some((subject, field)) => {
                    let labels = [(subject.as_str(), field.label.as_str())];
                    let words = sentence.labelled(&labels).words;
                    field.problem = Some(match field.problem.take() {
                        Some(before) => format!("{before} {words}"),
                        None => words.clone(),
                    });
                    said.push(words);
                    is_beside_field = true;
                }
                None => said.push(sentence.words),
            }
        }
        self.problem = is_beside_field.then(|| said.join(" "));
        self
    }

    /// Returns the field that a sentence is about, after the name of the field in it.
    fn field_of(&mut self, sentence: &Problem) -> Option<(String, &mut Field)> {
        let in_sets = self.sets.iter_mut().flat_map(|set| set.fields.iter_mut());
        let matching = self.fields.iter_mut().chain(in_sets).filter_map(|field| {
            let subject = field.subject_in(sentence)?.to_owned();
            Some((subject, field))
        });
        matching.max_by_key(|(subject, _)| subject.len())
    }

    /// Returns all sentences of the problem, if a field shows at least one of them.
    pub(super) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

/// A field of a form, with what was typed.
pub(super) struct Field {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) label: String,
    pub(super) hint: String,
    pub(super) problem: Option<String>,
    /// The stored value, if it has changed since the person saw the field.
    pub(super) now: Option<String>,
    /// What sentences about a wrong value begin with: the label, and other names of the field.
    pub(super) subjects: Vec<String>,
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
            now: None,
            subjects: vec![label.clone()],
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

    /// Adds what a sentence about a wrong value can begin with, besides the label. The page shows
    /// the sentence with the label.
    pub(super) fn about(mut self, subject: impl Into<String>) -> Self {
        self.subjects.push(subject.into());
        self
    }

    /// Returns the name of the field with which a sentence begins. `None` if it is about something
    /// else.
    fn subject_in(&self, problem: &Problem) -> Option<&str> {
        let subjects = self.subjects.iter().map(String::as_str);
        subjects.filter(|subject| problem.is_about(subject)).max_by_key(|subject| subject.len())
    }

    /// Returns the ids of the texts that describe the input, separated by spaces.
    pub(super) fn described_by(&self) -> String {
        let problem = self.problem.as_ref().map(|_| format!("{}_problem", self.id));
        let now = self.now.as_ref().map(|_| format!("{}_now", self.id));
        let hint = (!self.hint.is_empty()).then(|| format!("{}_hint", self.id));
        [problem, now, hint].into_iter().flatten().collect::<Vec<_>>().join(" ")
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
        let private = form().refused(Some(&Problem::with_input("Private comment is odd.")));
        assert_eq!(private.problem(), Some("Note is odd."));
        assert_eq!(form().problem(), None);
        assert_eq!(problems("Domain can't be blank."), [true, false]);
        assert_eq!(problems("private comment is too long."), [false, true]);
        assert_eq!(problems("Domains differ."), [false, false]);
        assert_eq!(problems(""), [false, false]);
    }

    #[test]
    fn fields_of_all_sets_show_their_problems() {
        let form = || {
            let set = |name: &str, label: &str| vec![Field::text(name, label, "")];
            InputForm::post("settings", "/x", "Save")
                .with_set("First", set("a.b", "Trends"))
                .with_set("Second", set("c", "Trends of others"))
        };
        for (words, wanted) in [("Trends are odd.", 0), ("Trends of others are odd.", 1)] {
            let refused = form().refused(Some(&Problem::with_input(words)));
            assert_eq!(refused.problem(), Some(words));
            assert_eq!(refused.sets[wanted].fields[0].problem.as_deref(), Some(words));
        }
        assert_eq!(form().sets[0].fields[0].id, "settings_a_b");
    }

    #[test]
    fn several_problems_are_each_shown_beside_their_field() {
        let sentences = ["Text is long.", "Something else.", "Words are odd.", "Text is odd."];
        let problem = Problem::with_inputs(sentences.map(str::to_owned).to_vec());
        let form = InputForm::post("add", "/x", "Add")
            .with(Field::text("title", "Title", ""))
            .with(Field::text("text", "Text", ""))
            .with_set("More", vec![Field::text("note", "Note", "").about("Words")])
            .refused(Some(&problem));
        let shown: Vec<Option<&str>> =
            form.fields.iter().map(|field| field.problem.as_deref()).collect();
        assert_eq!(shown, [None, Some("Text is long. Text is odd.")]);
        assert_eq!(form.sets[0].fields[0].problem.as_deref(), Some("Note are odd."));
        let all = "Text is long. Something else. Note are odd. Text is odd.";
        assert_eq!(form.problem(), Some(all));
    }

    #[test]
    fn fields_are_described_by_their_problem_and_hint() {
        let form = InputForm::post("add", "/x", "Add")
            .with(Field::text("limits.bio", "Bio", "").hint("A number."))
            .refused(Some(&Problem::with_input("Bio must be a number.")));
        assert_eq!(form.fields[0].described_by(), "add_limits_bio_problem add_limits_bio_hint");
        let changed = Field { now: Some("Old".to_owned()), ..Field::text("a", "A", "") };
        let form = InputForm::post("add", "/x", "Add").with(changed);
        assert_eq!(form.fields[0].described_by(), "add_a_now");
        assert_eq!(Field::text("a", "A", "").described_by(), "");
    }

    #[test]
    fn lines_end_as_they_are_stored() {
        assert_eq!(unix_lines("a\r\nb\n\r\n"), "a\nb\n\n");
    }
}
