//! Statistics for staff. All numbers are strings, except shares.

use serde::{Deserialize, Serialize};
use siskin_entities::measure::{self as view, DimensionValue};

use crate::time::Instant;

/// A number for each day of a period.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminMeasure {
    /// What is counted, such as `new_users`.
    pub key: String,
    /// Null: Siskin's measures are plain numbers.
    pub unit: Option<String>,
    /// Number for the period. Without `previous_total`, of all time.
    pub total: String,
    /// Number for as many days before the period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_total: Option<String>,
    /// The days, oldest first.
    pub data: Vec<AdminMeasureData>,
}

/// Number of a day.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminMeasureData {
    /// Midnight (UTC) that begins the day.
    pub date: Instant,
    /// The number.
    pub value: String,
}

/// A ranking.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminDimension {
    /// What is ranked, such as `languages`.
    pub key: String,
    /// The entries, the highest value first.
    pub data: Vec<AdminDimensionData>,
}

/// Entry of a ranking.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminDimensionData {
    /// Name for programs.
    pub key: String,
    /// Name for people.
    pub human_key: String,
    /// A number, or a version.
    pub value: String,
    /// `bytes`, or absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Value for people, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_value: Option<String>,
}

/// Users that signed up in one period.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct AdminCohort {
    /// Begin of the period.
    pub period: Instant,
    /// `day` or `month`.
    pub frequency: String,
    /// This period and all later ones.
    pub data: Vec<AdminCohortData>,
}

/// Users of a cohort that were active in a period.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct AdminCohortData {
    /// Begin of the period.
    pub date: Instant,
    /// Share in the cohort, from 0 to 1.
    pub rate: f64,
    /// Number of users.
    pub value: String,
}

/// Renders a measure.
#[must_use]
pub fn render(measure: &view::Measure) -> AdminMeasure {
    let day = |(date, value): &(_, i64)| AdminMeasureData {
        date: Instant(*date),
        value: value.to_string(),
    };
    AdminMeasure {
        key: measure.key.as_str().to_owned(),
        unit: None,
        total: measure.total.to_string(),
        previous_total: measure.previous_total.map(|total| total.to_string()),
        data: measure.days.iter().map(day).collect(),
    }
}

/// Renders a ranking.
#[must_use]
pub fn render_dimension(dimension: &view::Dimension) -> AdminDimension {
    AdminDimension {
        key: dimension.key.as_str().to_owned(),
        data: dimension.entries.iter().map(render_entry).collect(),
    }
}

fn render_entry(entry: &view::DimensionEntry) -> AdminDimensionData {
    let (value, unit, human_value) = match &entry.value {
        DimensionValue::Count(count) => (count.to_string(), None, None),
        DimensionValue::Bytes(bytes) => {
            (bytes.to_string(), Some("bytes".to_owned()), Some(human_size(*bytes)))
        }
        DimensionValue::Text(text) => (text.clone(), None, Some(text.clone())),
    };
    AdminDimensionData {
        key: entry.key.clone(),
        human_key: entry.name.clone(),
        value,
        unit,
        human_value,
    }
}

/// Renders a cohort.
#[must_use]
pub fn render_cohort(cohort: &view::Cohort) -> AdminCohort {
    let data = |data: &view::CohortData| AdminCohortData {
        date: Instant(data.date),
        rate: data.rate,
        value: data.value.to_string(),
    };
    AdminCohort {
        period: Instant(cohort.period),
        frequency: cohort.frequency.as_str().to_owned(),
        data: cohort.data.iter().map(data).collect(),
    }
}

/// Returns a size with three digits, such as `12.3 MB`. A kilobyte is 1,024 bytes.
fn human_size(bytes: i64) -> String {
    const UNITS: [&str; 6] = ["Bytes", "KB", "MB", "GB", "TB", "PB"];
    let mut size = bytes.max(0) as f64;
    let mut units = UNITS.into_iter();
    let mut unit = units.next().unwrap_or_default();
    for larger in units {
        // 1023.6 would be shown as 1024.
        if size < 1023.5 {
            break;
        }
        (size, unit) = (size / 1024.0, larger);
    }
    let decimals = match size {
        _ if unit == "Bytes" => 0,
        small if small < 9.995 => 2,
        medium if medium < 99.95 => 1,
        _ => 0,
    };
    let digits = format!("{size:.decimals$}");
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => &digits,
    };
    format!("{digits} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        for (bytes, size) in [
            (-1, "0 Bytes"),
            (0, "0 Bytes"),
            (1000, "1000 Bytes"),
            (1024, "1 KB"),
            (1_048_575, "1 MB"),
            (1_288_490, "1.23 MB"),
            (12_900_000, "12.3 MB"),
            (129_000_000, "123 MB"),
            (107_374_182_400, "100 GB"),
            (i64::MAX, "8192 PB"),
        ] {
            assert_eq!(human_size(bytes), size, "{bytes}");
        }
    }
}
