//! Pages of the staff that consist of sections with texts, forms and tables. All pages of this
//! shape share one template, so that they look and work alike.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::roles::Authority;

use super::{
    fields::{FieldInput, InputForm},
    forms::see,
    frame,
    rows::{Action, Cell, DataTable},
};
use crate::{
    browser::Browser,
    pages::{Frame, PageError, Problem, show},
    staff::{PostedStaff, StaffMember},
};

/// The person who looks at a page.
#[derive(Clone, Copy)]
pub(super) struct Viewer<'a> {
    pub(super) app: &'a App,
    pub(super) browser: &'a Browser,
    pub(super) authority: Authority,
}

impl<'a> Viewer<'a> {
    /// Returns the person who asks for a page.
    pub(super) const fn of<P>(app: &'a App, staff: &'a StaffMember<P>) -> Self {
        Self { app, browser: &staff.browser, authority: staff.authority }
    }

    /// Returns the person who sent a form.
    pub(super) const fn posted<P>(app: &'a App, form: &'a PostedStaff<P>) -> Self {
        Self { app, browser: &form.posted.browser, authority: form.authority }
    }

    /// Builds the frame of a page in an area.
    pub(super) fn frame(self, area: &str, title: impl Into<String>) -> Frame {
        frame(self.app, self.browser, self.authority, area, title)
    }

    /// Redirects to a page after a form was handled. The page says what happened by `done`.
    pub(super) fn after(self, page: &str, done: &str) -> HttpResponse {
        let joint = if page.contains('?') { '&' } else { '?' };
        see(self.app, &format!("{page}{joint}done={done}"))
    }

    /// Begins a page in an area.
    pub(super) fn layout(self, area: &str, title: impl Into<String>) -> Layout {
        Layout {
            frame: self.frame(area, title),
            status: StatusCode::OK,
            done: None,
            problem: None,
            tabs: Vec::new(),
            steps: Vec::new(),
            sections: Vec::new(),
        }
    }
}

/// The last change, in the address after a form was handled.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Done {
    pub(super) done: Option<String>,
}

/// Whether the person confirmed something that cannot be undone.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Confirmed {
    pub(super) confirmed: bool,
}

/// A page.
#[derive(Template)]
#[template(path = "staff_layout.html")]
pub(super) struct Layout {
    frame: Frame,
    status: StatusCode,
    done: Option<String>,
    problem: Option<String>,
    tabs: Vec<Tab>,
    steps: Vec<StepLink>,
    sections: Vec<Section>,
}

/// A link to a sibling of the page.
pub(super) struct Tab {
    pub(super) path: String,
    pub(super) words: &'static str,
    pub(super) current: bool,
}

/// A link to a step of a longer task.
pub(super) struct StepLink {
    pub(super) path: String,
    pub(super) words: &'static str,
    /// What happened with the step; may be empty.
    pub(super) mark: &'static str,
    pub(super) current: bool,
}

impl Layout {
    /// Says what happened, by the first words that belong to the change in the address.
    pub(super) fn done(self, done: &Done, words: &[(&str, &str)]) -> Self {
        let happened = done.done.as_deref();
        let found = words.iter().find(|(change, _)| Some(*change) == happened);
        Self { done: found.map(|(_, words)| (*words).to_owned()), ..self }
    }

    /// Says what happened.
    pub(super) fn happened(self, words: Option<String>) -> Self {
        Self { done: words, ..self }
    }

    /// Says why the last form was refused. A section with the field that the sentence is about, which
    /// is added later, replaces the sentence by that of the field.
    pub(super) fn refused(self, problem: Option<&Problem>) -> Self {
        match problem {
            Some(problem) => {
                Self { status: problem.status, problem: Some(problem.words.clone()), ..self }
            }
            None => self,
        }
    }

    /// Links to the siblings of the page.
    pub(super) fn tabs(self, tabs: Vec<Tab>) -> Self {
        Self { tabs, ..self }
    }

    /// Links to the steps of the task that the page belongs to.
    pub(super) fn steps(self, steps: Vec<StepLink>) -> Self {
        Self { steps, ..self }
    }

    /// Adds a section.
    pub(super) fn with(mut self, section: Section) -> Self {
        if let (Some(words), Some(beside)) = (&mut self.problem, section.problem()) {
            beside.clone_into(words);
        }
        self.sections.push(section);
        self
    }

    /// Adds a section, if there is one.
    pub(super) fn with_some(self, section: Option<Section>) -> Self {
        match section {
            Some(section) => self.with(section),
            None => self,
        }
    }

    /// Renders the page.
    pub(super) fn show(&self) -> Result<HttpResponse, PageError> {
        Ok(show(self.status, self)?)
    }
}

/// A section of a page.
pub(super) struct Section {
    /// Id of the heading.
    id: &'static str,
    /// Heading. Without one the section is a part of the section above.
    title: String,
    parts: Vec<Part>,
}

/// A part of a section.
enum Part {
    /// A paragraph.
    Text(String),
    /// Links that look like buttons.
    Links(Vec<Link>),
    /// Lines of a list.
    Lines(Vec<String>),
    /// A command or a path to copy.
    Code(String),
    /// A large picture.
    Picture(Picture),
    /// A rendered document, HTML.
    Document(String),
    Form(InputForm),
    Table(DataTable),
}

/// A large picture: its address, its alternative text, and its width and height in pixels.
pub(super) struct Picture {
    pub(super) address: String,
    pub(super) words: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
}

/// A link to another page.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) path: String,
    pub(super) words: String,
}

impl Link {
    pub(super) fn new(path: impl Into<String>, words: impl Into<String>) -> Self {
        Self { path: path.into(), words: words.into() }
    }
}

impl Section {
    /// Begins a section with a heading.
    pub(super) fn new(id: &'static str, title: impl Into<String>) -> Self {
        Self { id, title: title.into(), parts: Vec::new() }
    }

    /// Begins a section below the heading of the page.
    pub(super) fn untitled() -> Self {
        Self::new("", "")
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// Returns the problem of a form, if a field shows it or a part of it.
    fn problem(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| match part {
            Part::Form(form) => form.problem(),
            _ => None,
        })
    }

    /// Adds a paragraph.
    pub(super) fn text(self, words: impl Into<String>) -> Self {
        self.part(Part::Text(words.into()))
    }

    /// Adds links.
    pub(super) fn links(self, links: Vec<Link>) -> Self {
        if links.is_empty() { self } else { self.part(Part::Links(links)) }
    }

    /// Adds a list, if it has lines.
    pub(super) fn lines(self, lines: Vec<String>) -> Self {
        if lines.is_empty() { self } else { self.part(Part::Lines(lines)) }
    }

    /// Adds a command or a path to copy.
    pub(super) fn code(self, text: impl Into<String>) -> Self {
        self.part(Part::Code(text.into()))
    }

    /// Adds a large picture.
    pub(super) fn picture(self, picture: Picture) -> Self {
        self.part(Part::Picture(picture))
    }

    /// Adds a rendered document. It must come from the renderer for texts about the instance, which
    /// leaves nothing of foreign HTML.
    pub(super) fn document(self, html: String) -> Self {
        self.part(Part::Document(html))
    }

    pub(super) fn form(self, form: InputForm) -> Self {
        self.part(Part::Form(form))
    }

    pub(super) fn table(self, table: DataTable) -> Self {
        self.part(Part::Table(table))
    }
}
