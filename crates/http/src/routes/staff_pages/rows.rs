//! Tables as data: their rows with links and buttons.

use siskin_entities::Timestamp;

use super::layout::Link;
use crate::{pages::Moment, routes::public::neighbours::Neighbours};

/// A table, or a sentence in its place if it has no rows.
pub(super) struct DataTable {
    /// Says what the table lists.
    pub(super) caption: String,
    /// Headings of the columns. The first one is that of the names of the rows.
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<Row>,
    /// Sentence in place of an empty table.
    pub(super) empty: &'static str,
    pub(super) neighbours: Option<Neighbours>,
    pub(super) selection: Option<Selection>,
}

/// Buttons that do something with all chosen rows.
pub(super) struct Selection {
    pub(super) action: String,
    /// Name, value and text of each button.
    pub(super) buttons: Vec<(&'static str, &'static str, &'static str)>,
}

/// A row of a table.
pub(super) struct Row {
    /// Name in plain text, for the labels of buttons.
    pub(super) name: String,
    /// What the first column shows.
    pub(super) head: Cell,
    /// A cell for each other column.
    pub(super) cells: Vec<Cell>,
    pub(super) actions: Vec<Action>,
    /// Value of its checkbox in a [`Selection`].
    pub(super) choice: String,
}

/// Content of a cell.
pub(super) enum Cell {
    Text(String),
    /// Text with line breaks.
    Lines(String),
    Link(Link),
    Time(Moment),
    Tags(Vec<String>),
    /// Address of a small picture.
    Picture(String),
    Nothing,
}

/// Number of characters of a word that need not fit into one line of a table.
const LONG_WORD: usize = 16;

/// What can be done with a row.
pub(super) enum Action {
    Link(Link),
    Button(Button),
}

/// A form with one button.
pub(super) struct Button {
    pub(super) path: String,
    pub(super) words: &'static str,
    pub(super) class: &'static str,
    /// Name and value of a field of the form.
    pub(super) field: Option<(&'static str, &'static str)>,
}

impl DataTable {
    /// Begins a table.
    pub(super) fn new(
        caption: impl Into<String>,
        columns: &[&'static str],
        empty: &'static str,
    ) -> Self {
        Self {
            caption: caption.into(),
            columns: columns.to_vec(),
            rows: Vec::new(),
            empty,
            neighbours: None,
            selection: None,
        }
    }

    /// Adds rows.
    pub(super) fn rows(mut self, rows: impl IntoIterator<Item = Row>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// Links to the pages before and after this part of a list.
    pub(super) fn paged(self, neighbours: Neighbours) -> Self {
        Self { neighbours: Some(neighbours), ..self }
    }

    /// Lets people choose rows.
    pub(super) fn with_selection(self, selection: Selection) -> Self {
        Self { selection: Some(selection), ..self }
    }

    /// Returns the cells of a row after the first one, with the headings of their columns.
    pub(super) fn labelled<'t>(
        &'t self,
        row: &'t Row,
    ) -> impl Iterator<Item = (&'static str, &'t Cell)> {
        self.columns.iter().skip(1).copied().zip(&row.cells)
    }

    pub(super) fn has_actions(&self) -> bool {
        self.rows.iter().any(|row| !row.actions.is_empty())
    }
}

impl Row {
    /// Begins a row with its name and the cells after it.
    pub(super) fn new(name: impl Into<String>, cells: Vec<Cell>) -> Self {
        let name = name.into();
        let head = Cell::Text(name.clone());
        Self { name, head, cells, actions: Vec::new(), choice: String::new() }
    }

    /// Shows something else than the name in the first column.
    pub(super) fn head(self, head: Cell) -> Self {
        Self { head, ..self }
    }

    /// Lets the name link to a page.
    pub(super) fn linked(self, path: impl Into<String>) -> Self {
        let head = Cell::Link(Link::new(path, self.name.clone()));
        Self { head, ..self }
    }

    /// Sets the value of the row in a [`Selection`].
    pub(super) fn chosen_as(self, value: impl Into<String>) -> Self {
        Self { choice: value.into(), ..self }
    }

    /// Adds a link.
    pub(super) fn link(mut self, path: impl Into<String>, words: &'static str) -> Self {
        self.actions.push(Action::Link(Link::new(path, words)));
        self
    }

    /// Adds a button.
    pub(super) fn button(mut self, button: Button) -> Self {
        self.actions.push(Action::Button(button));
        self
    }

    /// Adds a button that takes something away.
    pub(super) fn negative(self, path: impl Into<String>, words: &'static str) -> Self {
        self.button(Button { class: "negative", ..Button::new(path, words) })
    }
}

impl Button {
    pub(super) fn new(path: impl Into<String>, words: &'static str) -> Self {
        Self { path: path.into(), words, class: "plain", field: None }
    }

    /// Lets the button send a field.
    pub(super) fn with(self, name: &'static str, value: &'static str) -> Self {
        Self { field: Some((name, value)), ..self }
    }
}

impl Cell {
    /// Returns `true` if the words may break: those of long texts, and names and addresses that are
    /// too long for a column.
    pub(super) fn is_long(&self) -> bool {
        let has_long_word =
            |text: &str| text.split_whitespace().any(|word| word.chars().count() > LONG_WORD);
        match self {
            Self::Lines(_) => true,
            Self::Text(text) => has_long_word(text),
            Self::Link(link) => has_long_word(&link.words),
            Self::Tags(tags) => tags.iter().any(|tag| has_long_word(tag)),
            Self::Time(_) | Self::Picture(_) | Self::Nothing => false,
        }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn time(time: Timestamp, now: Timestamp) -> Self {
        Self::Time(Moment::of(time, now))
    }

    /// Returns a cell with a time, which is empty without one.
    pub(super) fn time_if(time: Option<Timestamp>, now: Timestamp) -> Self {
        time.map_or(Self::Nothing, |time| Self::time(time, now))
    }

    /// Returns a cell with those of these words that apply.
    pub(super) fn tags(tags: &[(bool, &str)]) -> Self {
        let applying = tags.iter().filter(|(applies, _)| *applies);
        Self::Tags(applying.map(|(_, words)| (*words).to_owned()).collect())
    }
}
