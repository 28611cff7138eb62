//! List of domain blocks, as a CSV file that Mastodon and compatible servers read and write.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use siskin_entities::{DomainSeverity, InstanceDomainBlock, Urls};
use siskin_policy::limits::MAX_DOMAIN_BLOCK_COMMENT_CHARS;
use siskin_text::TextLimit;

use super::blockable_domain;
use crate::{Error, Result};

/// The columns, in the order of a file without a header. In a file, a `#` stands before each name.
const COLUMNS: [&str; 6] =
    ["domain", "severity", "reject_media", "reject_reports", "public_comment", "obfuscate"];
/// Maximum length of an imported list, in lines.
pub const MAX_LINES: usize = 10_000;
/// Maximum length of an imported list, in bytes.
pub const MAX_BYTES: usize = 2 << 20;
/// Maximum length of an invalid line in the result, in characters.
const MAX_SHOWN_CHARS: usize = 100;
/// Characters with which a spreadsheet begins a formula, if a cell begins with them.
const OF_FORMULAS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
/// Mark before a text, so that spreadsheets take it for no formula.
const NO_FORMULA: char = '\'';

/// A line of an imported list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedLine {
    /// Number of the line in the file, from 1.
    pub(super) number: u64,
    /// The domain as written.
    pub(super) typed: String,
    /// What the line says, or why it is no domain block.
    pub(super) values: Result<LineValues, String>,
}

/// What a line says about a domain. `None` if it says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineValues {
    /// In its stored form.
    pub(super) domain: String,
    pub(super) severity: Option<DomainSeverity>,
    /// The severity of a new block. Without one in the line it suspends, as in Mastodon.
    pub(super) new_severity: DomainSeverity,
    pub(super) reject_media: Option<bool>,
    pub(super) reject_reports: Option<bool>,
    pub(super) public_comment: Option<String>,
    pub(super) obfuscate: Option<bool>,
    /// Whether a line before is about the same domain. Both have the same values.
    pub(super) is_repeat: bool,
}

impl LineValues {
    /// Adds another line about the same domain: the stricter values of both count, and the first
    /// comment.
    fn add(&mut self, other: &Self) {
        self.severity = self.severity.max(other.severity);
        self.new_severity = self.new_severity.max(other.new_severity);
        self.reject_media = self.reject_media.max(other.reject_media);
        self.reject_reports = self.reject_reports.max(other.reject_reports);
        self.obfuscate = self.obfuscate.max(other.obfuscate);
        if self.public_comment.is_none() {
            self.public_comment.clone_from(&other.public_comment);
        }
    }
}

/// Returns the list of these blocks. A comment that a spreadsheet would take for a formula has a
/// mark before it, which [`parse`] takes away.
///
/// # Errors
/// [`Error::Internal`] if the list cannot be written, which does not happen.
pub fn export(blocks: &[InstanceDomainBlock]) -> Result<String> {
    let mut list = csv::Writer::from_writer(Vec::new());
    list.write_record(COLUMNS.map(|name| format!("#{name}"))).map_err(Error::internal)?;
    for block in blocks {
        let limits = block.limits;
        let comment = in_cell(block.public_comment.as_deref().unwrap_or_default());
        let line = [
            block.domain.as_str(),
            limits.severity.as_str(),
            &limits.reject_media.to_string(),
            &limits.reject_reports.to_string(),
            &comment,
            &block.obfuscate.to_string(),
        ];
        list.write_record(line).map_err(Error::internal)?;
    }
    let bytes = list.into_inner().map_err(|error| Error::internal(error.to_string()))?;
    String::from_utf8(bytes).map_err(Error::internal)
}

/// Returns a text for a cell that no spreadsheet takes for a formula.
fn in_cell(text: &str) -> Cow<'_, str> {
    if is_like_formula(text) {
        Cow::Owned(format!("{NO_FORMULA}{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the text of a cell that [`in_cell`] wrote.
fn of_cell(cell: &str) -> &str {
    cell.strip_prefix(NO_FORMULA).filter(|text| is_like_formula(text)).unwrap_or(cell)
}

/// Returns `true` for a text that begins as a formula, perhaps after marks.
fn is_like_formula(text: &str) -> bool {
    text.trim_start_matches(NO_FORMULA).starts_with(OF_FORMULAS)
}

/// Parses a list. A header names the columns, in any order, with or without `#`. Without a header
/// the columns have the usual order. All columns but the domain are optional, and an empty cell
/// says nothing. Lines about the same domain all have their strictest values. Lines that are no
/// domain blocks are part of the result.
///
/// # Errors
/// [`Error::Invalid`] if the file is no CSV file, is too long, or has no line.
pub fn parse(urls: &Urls, file: &[u8]) -> Result<Vec<ParsedLine>> {
    if file.len() > MAX_BYTES {
        return Err(Error::invalid(format!("File is too long (at most {MAX_BYTES} bytes)")));
    }
    let text = std::str::from_utf8(file).map_err(|_| Error::invalid("File is not UTF-8 text"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let (mut columns, mut lines) = (Columns::USUAL, Vec::new());
    for (place, record) in reader.records().enumerate() {
        let record = record.map_err(|_| Error::invalid("File is not valid CSV"))?;
        if let Some(named) = Columns::named(&record).filter(|_| place == 0) {
            columns = named;
            continue;
        }
        lines.extend(columns.line(urls, &record));
        if lines.len() > MAX_LINES {
            return Err(Error::invalid(format!("File has more than {MAX_LINES} lines")));
        }
    }
    if lines.is_empty() {
        return Err(Error::invalid("File contains no domains"));
    }
    combine_repeated(&mut lines);
    Ok(lines)
}

/// Lets all lines about a domain say the same: lists that were put together often repeat domains,
/// and the order of the lines must not decide.
fn combine_repeated(lines: &mut [ParsedLine]) {
    let mut strictest: HashMap<String, LineValues> = HashMap::new();
    for values in lines.iter().filter_map(|line| line.values.as_ref().ok()) {
        strictest
            .entry(values.domain.clone())
            .and_modify(|all| all.add(values))
            .or_insert_with(|| values.clone());
    }
    let mut seen = HashSet::new();
    for values in lines.iter_mut().filter_map(|line| line.values.as_mut().ok()) {
        let is_repeat = !seen.insert(values.domain.clone());
        if let Some(all) = strictest.get(&values.domain) {
            *values = LineValues { is_repeat, ..all.clone() };
        }
    }
}

/// Position of each column in a line.
#[derive(Debug, Clone, Copy)]
struct Columns([Option<usize>; COLUMNS.len()]);

impl Columns {
    const USUAL: Self = Self([Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)]);

    /// Parses a header. Returns `None` if the line names no column of domains.
    fn named(first: &csv::StringRecord) -> Option<Self> {
        let is_named = |cell: &str, name: &str| cell.trim_matches('#').eq_ignore_ascii_case(name);
        let found = COLUMNS.map(|name| first.iter().position(|cell| is_named(cell, name)));
        found[0].map(|_| Self(found))
    }

    /// Parses a line. Returns `None` if all its cells are empty.
    fn line(self, urls: &Urls, record: &csv::StringRecord) -> Option<ParsedLine> {
        if record.iter().all(str::is_empty) {
            return None;
        }
        let number = record.position().map_or(0, csv::Position::line);
        let [domain, rest @ ..] = self.0.map(|column| {
            let cell = column.and_then(|index| record.get(index));
            cell.filter(|text| !text.is_empty())
        });
        let typed = domain.unwrap_or_default();
        Some(ParsedLine {
            number,
            typed: typed.chars().take(MAX_SHOWN_CHARS).collect(),
            values: values(urls, typed, rest),
        })
    }
}

/// Parses the cells of a line, or returns why it is no domain block.
fn values(urls: &Urls, typed: &str, cells: [Option<&str>; 5]) -> Result<LineValues, String> {
    let [severity, reject_media, reject_reports, public_comment, obfuscate] = cells;
    let domain = blockable_domain(urls, typed).map_err(|error| {
        let message = error.to_string();
        message.strip_prefix("Validation failed: ").unwrap_or(&message).to_owned()
    })?;
    let severity = severity.map(|name| name.to_ascii_lowercase().parse());
    let severity = severity.transpose().map_err(|_| "Severity is not included in the list")?;
    let public_comment = public_comment.map(of_cell);
    let limit = TextLimit::of(MAX_DOMAIN_BLOCK_COMMENT_CHARS);
    if public_comment.is_some_and(|it| !limit.fits_code_points(it)) {
        return Err(format!(
            "Public comment is too long (at most {MAX_DOMAIN_BLOCK_COMMENT_CHARS} characters)"
        ));
    }
    if public_comment.is_some_and(|it| it.contains('\0')) {
        return Err("Public comment has a NUL character in it".to_owned());
    }
    Ok(LineValues {
        domain,
        severity,
        new_severity: severity.unwrap_or(DomainSeverity::Suspend),
        reject_media: yes_or_no(reject_media)?,
        reject_reports: yes_or_no(reject_reports)?,
        public_comment: public_comment.map(str::to_owned),
        obfuscate: yes_or_no(obfuscate)?,
        is_repeat: false,
    })
}

fn yes_or_no(cell: Option<&str>) -> Result<Option<bool>, String> {
    let Some(text) = cell else { return Ok(None) };
    match text.to_ascii_lowercase().as_str() {
        "true" | "t" | "1" | "yes" => Ok(Some(true)),
        "false" | "f" | "0" | "no" => Ok(Some(false)),
        _ => Err("A value must be true or false".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use siskin_entities::{DomainLimits, Timestamp};
    use siskin_ids::InstanceDomainBlockId;

    use super::*;

    fn read(file: &str) -> Vec<ParsedLine> {
        let urls = Urls::new("https://here.example", "here.example", "https://here.example");
        parse(&urls, file.as_bytes()).unwrap()
    }

    fn refused(file: &[u8]) -> String {
        let urls = Urls::new("https://here.example", "here.example", "https://here.example");
        parse(&urls, file).unwrap_err().to_string()
    }

    fn bare(domain: &str) -> LineValues {
        LineValues {
            domain: domain.to_owned(),
            severity: None,
            new_severity: DomainSeverity::Suspend,
            reject_media: None,
            reject_reports: None,
            public_comment: None,
            obfuscate: None,
            is_repeat: false,
        }
    }

    fn with_severity(domain: &str, severity: DomainSeverity) -> LineValues {
        LineValues { severity: Some(severity), new_severity: severity, ..bare(domain) }
    }

    fn block(domain: &str, severity: DomainSeverity, comment: Option<&str>) -> InstanceDomainBlock {
        InstanceDomainBlock {
            id: InstanceDomainBlockId::new(1),
            domain: domain.to_owned(),
            digest: String::new(),
            limits: DomainLimits { severity, reject_media: true, reject_reports: false },
            private_comment: Some("Secret".to_owned()),
            public_comment: comment.map(str::to_owned),
            obfuscate: true,
            created_at: Timestamp::from_unix_ms(0),
        }
    }

    #[test]
    fn an_exported_list_is_read_back() {
        let comment = "Spam, \"lies\"\nand ü";
        let list = export(&[
            block("a.example", DomainSeverity::Suspend, Some(comment)),
            block("b.example:80", DomainSeverity::Noop, None),
        ])
        .unwrap();
        assert_eq!(
            list,
            "#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate\n\
             a.example,suspend,true,false,\"Spam, \"\"lies\"\"\nand ü\",true\n\
             b.example:80,noop,true,false,,true\n"
        );
        let lines = read(&list);
        let numbers: Vec<u64> = lines.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [2, 4]);
        let first = lines[0].values.as_ref().unwrap();
        assert_eq!((&*first.domain, first.severity), ("a.example", Some(DomainSeverity::Suspend)));
        assert_eq!(first.public_comment.as_deref(), Some(comment));
        assert_eq!(
            (first.reject_media, first.reject_reports, first.obfuscate),
            (Some(true), Some(false), Some(true))
        );
        assert_eq!(lines[1].values.as_ref().unwrap().public_comment, None);
    }

    #[test]
    fn domains_are_enough_and_columns_have_any_order() {
        let lines = read("\u{feff}bad.example\r\n\r\n BÜCHER.example ,silence\r\n,,\r\n");
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].values, Ok(bare("bad.example")));
        let silenced = with_severity("xn--bcher-kva.example", DomainSeverity::Silence);
        assert_eq!(lines[1].values, Ok(silenced));
        let lines = read("Severity,#note,#DOMAIN\nSUSPEND,x,bad.example\n");
        let suspended = with_severity("bad.example", DomainSeverity::Suspend);
        assert_eq!(lines[0].values, Ok(suspended));
    }

    #[test]
    fn no_comment_is_a_formula_in_a_spreadsheet() {
        for comment in [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "\t=1+1",
            "\r=1+1",
            "'=1+1",
            "''=1+1",
            "'quoted'",
            "plain = text",
            "it's",
        ] {
            let list = export(&[block("a.example", DomainSeverity::Suspend, Some(comment))]);
            let list = list.unwrap();
            let mut cells = csv::Reader::from_reader(list.as_bytes());
            let record = cells.records().next().unwrap().unwrap();
            assert!(!record[4].starts_with(OF_FORMULAS), "{list}");
            let values = read(&list).remove(0).values.unwrap();
            assert_eq!(values.public_comment.as_deref(), Some(comment));
        }
        // Other servers write no mark.
        let foreign = read("a.example,suspend,,,=1+1").remove(0).values.unwrap();
        assert_eq!(foreign.public_comment.as_deref(), Some("=1+1"));
    }

    #[test]
    fn lines_about_a_domain_have_their_strictest_values() {
        let lines = read(
            "a.example,silence,true,false,,false\nb.example,silence\nno domain\n\
             A.example,suspend,false,,Spam,true\na.example,noop,,,Other\nb.example\nc.example\n",
        );
        let values = |index: usize| lines[index].values.clone().unwrap();
        let all = LineValues {
            reject_media: Some(true),
            reject_reports: Some(false),
            public_comment: Some("Spam".to_owned()),
            obfuscate: Some(true),
            ..with_severity("a.example", DomainSeverity::Suspend)
        };
        assert_eq!(values(0), all);
        for index in [3, 4] {
            assert_eq!(values(index), LineValues { is_repeat: true, ..all.clone() });
        }
        // A line without a severity keeps that of a block, but suspends as a new one.
        let both = LineValues {
            new_severity: DomainSeverity::Suspend,
            ..with_severity("b.example", DomainSeverity::Silence)
        };
        assert_eq!(values(1), both);
        assert_eq!(values(5), LineValues { is_repeat: true, ..both });
        assert_eq!(values(6), bare("c.example"));
    }

    #[test]
    fn invalid_lines_say_why() {
        for (line, why) in [
            ("bad example", "Domain is not a valid domain name"),
            ("ba*.exa***e,suspend", "Domain is not a valid domain name"),
            ("here.example,suspend", "Domain is that of this server"),
            (",suspend", "Domain can't be blank"),
            ("bad.example,limit", "Severity is not included in the list"),
            ("bad.example,suspend,maybe", "A value must be true or false"),
            ("bad.example,suspend,,,a\0b", "Public comment has a NUL character in it"),
        ] {
            assert_eq!(read(line)[0].values, Err(why.to_owned()), "{line}");
        }
        let long = format!("bad.example,,,,{}", "x".repeat(2001));
        let why = "Public comment is too long (at most 2000 characters)";
        assert_eq!(read(&long)[0].values, Err(why.to_owned()));
        assert_eq!(read(&"x ".repeat(500))[0].typed.len(), MAX_SHOWN_CHARS);
    }

    #[test]
    fn a_file_that_is_no_list_is_refused() {
        assert_eq!(refused(b"\xff\xfe\x00"), "File is not UTF-8 text");
        for empty in [&b""[..], b"#domain,#severity\n", b"\n\n", b",,\n"] {
            assert_eq!(refused(empty), "File contains no domains");
        }
        assert_eq!(refused(&vec![b'a'; MAX_BYTES + 1]), "File is too long (at most 2097152 bytes)");
        let long = "a.example\n".repeat(MAX_LINES + 1);
        assert_eq!(refused(long.as_bytes()), "File has more than 10000 lines");
    }
}
