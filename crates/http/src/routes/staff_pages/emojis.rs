//! `/admin/emojis`: custom emojis.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{CustomEmoji, Urls};
use siskin_policy::{limits::MAX_EMOJI_BYTES, roles::ManageCustomEmojis};
use siskin_services::{Error as Domain, emojis};
use siskin_text::MAX_SHORTCODE_LENGTH;

use super::{
    confirm::Confirmation,
    fields::{Field, FieldInput, InputForm},
    forms::with_params,
    layout::{Confirmed, Done, Layout, Link, Section, Viewer},
    rows::{Cell, DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm, Problem},
    pictures,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/emojis";
const HAPPENED: &[(&str, &str)] = &[
    ("added", "The emoji was added."),
    ("changed", "The emoji was changed."),
    ("deleted", "The emoji was deleted."),
];
/// Number of emojis on a page.
const ON_A_PAGE: usize = 100;

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(add))
        .route("/admin/emojis/{shortcode}", web::get().to(show))
        .route("/admin/emojis/{shortcode}", web::post().to(change))
        .route("/admin/emojis/{shortcode}/delete", web::post().to(delete));
}

/// The submitted form. Browsers do not send a checkbox that is not ticked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Typed {
    shortcode: String,
    category: String,
    visible_in_picker: bool,
}

impl Typed {
    fn blank() -> Self {
        Self { visible_in_picker: true, ..Self::default() }
    }

    fn prepared(&self) -> Result<emojis::Prepared, Domain> {
        let shortcode = self.shortcode.trim().trim_matches(':');
        emojis::prepare(shortcode, Some(&self.category), self.visible_in_picker)
    }

    /// Adds the fields that a new emoji and a changed one have in common.
    fn fields(&self, form: InputForm) -> InputForm {
        form.with(
            Field::text("category", "Category", &self.category)
                .about("A category")
                .hint("Apps list emojis by it. It may be empty."),
        )
        .with(Field::check(
            "visible_in_picker",
            "Offer it in apps",
            self.visible_in_picker,
        ))
    }
}

/// The part of the list that is shown.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Part {
    /// Number of the page, from 0.
    page: usize,
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageCustomEmojis>,
    PageForm(part): PageForm<Part>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let layout = layout(Viewer::of(&app, &staff), part, &Typed::blank(), None).await?;
    layout.done(&done, HAPPENED).show()
}

async fn layout(
    viewer: Viewer<'_>,
    part: Part,
    typed: &Typed,
    problem: Option<&Problem>,
) -> Result<Layout, PageError> {
    let found = viewer.app.read(emojis::list).await?;
    let shown = found.iter().skip(part.page.saturating_mul(ON_A_PAGE)).take(ON_A_PAGE);
    let columns = ["Name", "Picture", "Category", "Apps"];
    let table = DataTable::new("Custom emojis", &columns, "There are no emojis here.")
        .rows(shown.map(|emoji| row(emoji, viewer.app.urls())));
    let kilobytes = MAX_EMOJI_BYTES / 1024;
    let form = InputForm::post("emoji", PAGE, "Add the emoji")
        .with(
            Field::new("image", "Picture", FieldInput::File("image/*"))
                .about("The picture")
                .hint(format!("PNG, GIF, JPEG or WebP of at most {kilobytes} kB.")),
        )
        .with(Field::text("shortcode", "Name", &typed.shortcode).about("The name").hint(format!(
            "2 to {MAX_SHORTCODE_LENGTH} letters from a to z, digits and underscores. People type \
             it between colons."
        )));
    let form = typed.fields(form).refused(problem);
    Ok(viewer
        .layout(PAGE, "Custom emojis")
        .refused(problem)
        .with(Section::new("add", "Add an emoji").form(form))
        .with(Section::new("all", "All emojis").table(table).links(neighbours(part, found.len()))))
}

/// Returns links to the parts of the list around this one.
fn neighbours(part: Part, length: usize) -> Vec<Link> {
    let link =
        |page: usize, words| Link::new(with_params(PAGE, &[("page", &page.to_string())]), words);
    let before = part.page.checked_sub(1).map(|page| link(page, "Page before"));
    let next = part.page.saturating_add(1);
    let after = (next.saturating_mul(ON_A_PAGE) < length).then(|| link(next, "Next page"));
    before.into_iter().chain(after).collect()
}

fn row(emoji: &CustomEmoji, urls: &Urls) -> Row {
    let name = format!(":{}:", emoji.shortcode);
    let picture = &emoji.picture;
    let still = picture.still.as_ref().unwrap_or(&picture.file);
    let path = format!("{PAGE}/{}", emoji.shortcode);
    let cells = vec![
        Cell::Picture(urls.file(still)),
        Cell::text(emoji.category.clone().unwrap_or_default()),
        Cell::tags(&[(!emoji.visible_in_picker, "Not offered")]),
    ];
    Row::new(name, cells).link(path.clone(), "Change").negative(format!("{path}/delete"), "Delete")
}

async fn add(
    app: Data<App>,
    form: PostedStaff<ManageCustomEmojis>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let _permit = pictures::acquire_permit().await?;
    let file = form.posted.file("image").await?;
    let added = match (typed.prepared(), file) {
        (Ok(prepared), Some(file)) => app.add_emoji(form.actor(), prepared, file).await,
        (Ok(_), None) => Err(Domain::validation("The picture can't be blank")),
        (Err(error), _) => Err(error),
    };
    match added {
        Ok(()) => Ok(viewer.after(PAGE, "added")),
        Err(error) => {
            let problem = Problem::of(error)?;
            layout(viewer, Part::default(), &typed, Some(&problem)).await?.show()
        }
    }
}

async fn find(app: &App, shortcode: &str) -> Result<CustomEmoji, PageError> {
    let shortcode = shortcode.to_owned();
    Ok(app.read(move |conn| emojis::find(conn, &shortcode)).await?)
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageCustomEmojis>,
    shortcode: Path<String>,
) -> Result<HttpResponse, PageError> {
    let emoji = find(&app, &shortcode).await?;
    let typed = Typed {
        category: emoji.category.unwrap_or_default(),
        visible_in_picker: emoji.visible_in_picker,
        shortcode: emoji.shortcode,
    };
    emoji_layout(Viewer::of(&app, &staff), &typed, None).show()
}

fn emoji_layout(viewer: Viewer<'_>, typed: &Typed, problem: Option<&Problem>) -> Layout {
    let form = InputForm::post("emoji", format!("{PAGE}/{}", typed.shortcode), "Save");
    let section = Section::untitled().form(typed.fields(form).refused(problem));
    viewer
        .layout(PAGE, format!("Emoji :{}:", typed.shortcode))
        .refused(problem)
        .with(section.links(vec![Link::new(PAGE, "All emojis")]))
}

async fn change(
    app: Data<App>,
    form: PostedStaff<ManageCustomEmojis>,
    shortcode: Path<String>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let shortcode = find(&app, &shortcode).await?.shortcode;
    let typed = Typed { shortcode, ..form.posted.decode()? };
    let (actor, new) = (form.actor(), typed.prepared());
    let changed = app.write_prepared(new, move |tx, new| emojis::change(tx, actor, new)).await;
    match changed {
        Ok(()) => Ok(viewer.after(PAGE, "changed")),
        Err(error) => emoji_layout(viewer, &typed, Some(&Problem::of(error)?)).show(),
    }
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageCustomEmojis>,
    shortcode: Path<String>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let Confirmed { confirmed } = form.posted.decode()?;
    let shortcode = find(&app, &shortcode).await?.shortcode;
    if !confirmed {
        let page = Confirmation {
            frame: viewer.frame(PAGE, format!("Delete the emoji :{shortcode}:?")),
            words: "Texts that contain it then show its name.".to_owned(),
            names: Vec::new(),
            action: format!("{PAGE}/{shortcode}/delete"),
            fields: Vec::new(),
            button: "Delete the emoji".to_owned(),
            back: PAGE.to_owned(),
        };
        return Ok(page.show()?);
    }
    let actor = form.actor();
    app.write(move |tx| emojis::delete(tx, actor, &shortcode)).await?;
    Ok(viewer.after(PAGE, "deleted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_has_parts() {
        let words = |page, length| -> Vec<String> {
            neighbours(Part { page }, length).into_iter().map(|link| link.words).collect()
        };
        assert_eq!(words(0, 100), Vec::<String>::new());
        assert_eq!(words(0, 101), ["Next page"]);
        assert_eq!(words(1, 201), ["Page before", "Next page"]);
        assert_eq!(words(usize::MAX, 5), ["Page before"]);
    }

    #[test]
    fn names_may_be_typed_with_colons() {
        let typed = Typed { shortcode: " :cat: ".to_owned(), ..Typed::blank() };
        assert_eq!(typed.prepared().unwrap(), emojis::prepare("cat", None, true).unwrap());
        let refused = Typed::blank().prepared().unwrap_err();
        assert!(Problem::of(refused).unwrap().words.starts_with("The name of an emoji must"));
    }
}
