//! Statistics for staff: measures with a value for each day, rankings of dimensions, and how many
//! new users stay.

use std::{fmt, iter, time::Duration};

use crate::{
    named::{names, parses},
    time::{Date, Timestamp},
};

const DAY: Duration = Duration::from_hours(24);

/// What a [`Measure`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeasureKey {
    /// Users that used the server.
    ActiveUsers,
    /// Users that signed up.
    NewUsers,
    /// Favourites, reblogs and replies to others by local accounts.
    Interactions,
    /// Reports to the staff.
    OpenedReports,
    /// Reports that staff resolved.
    ResolvedReports,
    /// Accounts that used a hashtag publicly.
    TagAccounts,
    /// Public statuses with a hashtag.
    TagUses,
    /// Servers of the accounts that used a hashtag publicly.
    TagServers,
    /// Known accounts of a server.
    InstanceAccounts,
    /// Attachments of the accounts of a server.
    InstanceMediaAttachments,
    /// Reports of accounts of a server.
    InstanceReports,
    /// Statuses of the accounts of a server.
    InstanceStatuses,
    /// Follows of accounts of a server.
    InstanceFollows,
    /// Follows by accounts of a server.
    InstanceFollowers,
}

names!(MeasureKey {
    ActiveUsers = "active_users",
    NewUsers = "new_users",
    Interactions = "interactions",
    OpenedReports = "opened_reports",
    ResolvedReports = "resolved_reports",
    TagAccounts = "tag_accounts",
    TagUses = "tag_uses",
    TagServers = "tag_servers",
    InstanceAccounts = "instance_accounts",
    InstanceMediaAttachments = "instance_media_attachments",
    InstanceReports = "instance_reports",
    InstanceStatuses = "instance_statuses",
    InstanceFollows = "instance_follows",
    InstanceFollowers = "instance_followers",
});
parses!(
    /// Error for a name that is no measure.
    MeasureKey, UnknownMeasureKey: "unknown measure"
);

/// What a [`Dimension`] ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DimensionKey {
    /// Languages that active users chose for the interface.
    Languages,
    /// Applications by which users signed up.
    Sources,
    /// Servers by their statuses.
    Servers,
    /// Parts of the server by the space that they use.
    SpaceUsage,
    /// Programs with their versions.
    SoftwareVersions,
    /// Servers by their statuses with a hashtag.
    TagServers,
    /// Languages of the statuses with a hashtag.
    TagLanguages,
    /// Accounts of a server by their followers.
    InstanceAccounts,
    /// Languages of the statuses of a server.
    InstanceLanguages,
}

names!(DimensionKey {
    Languages = "languages",
    Sources = "sources",
    Servers = "servers",
    SpaceUsage = "space_usage",
    SoftwareVersions = "software_versions",
    TagServers = "tag_servers",
    TagLanguages = "tag_languages",
    InstanceAccounts = "instance_accounts",
    InstanceLanguages = "instance_languages",
});
parses!(
    /// Error for a name that is no dimension.
    DimensionKey, UnknownDimensionKey: "unknown dimension"
);

/// A number for each day of a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// What it counts.
    pub key: MeasureKey,
    /// Number for the whole period, or for all time if `previous_total` is `None`.
    pub total: i64,
    /// Number for as many days before the period.
    pub previous_total: Option<i64>,
    /// Numbers of all days of the period, oldest first, with the midnight that begins each day.
    pub days: Vec<(Timestamp, i64)>,
}

/// A ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// What it ranks.
    pub key: DimensionKey,
    /// The entries, first the one with the highest value.
    pub entries: Vec<DimensionEntry>,
}

/// Entry of a [`Dimension`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DimensionEntry {
    /// Name for programs, such as `en` or a domain.
    pub key: String,
    /// Name for people.
    pub name: String,
    /// The value.
    pub value: DimensionValue,
}

/// Value of a [`DimensionEntry`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DimensionValue {
    /// A number of occurrences.
    Count(i64),
    /// A number of bytes.
    Bytes(i64),
    /// A text, such as a version.
    Text(String),
}

/// Length of the periods of a [`Cohort`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Frequency {
    /// A day (UTC).
    #[default]
    Day,
    /// A month of the calendar (UTC).
    Month,
}

names!(Frequency { Day = "day", Month = "month" });
parses!(
    /// Error for a name that is no frequency.
    Frequency, UnknownFrequency: "unknown frequency"
);

impl Frequency {
    /// Returns the begin of the period that contains a time.
    ///
    /// ```
    /// use siskin_entities::{Timestamp, measure::Frequency};
    ///
    /// let time = Timestamp::from_unix_ms(1_795_766_400_123);
    /// assert_eq!(Frequency::Day.begin(time).to_string(), "2026-11-27T00:00:00.000Z");
    /// assert_eq!(Frequency::Month.begin(time).to_string(), "2026-11-01T00:00:00.000Z");
    /// ```
    #[must_use]
    pub fn begin(self, time: Timestamp) -> Timestamp {
        match self {
            Self::Day => time.midnight(),
            Self::Month => {
                let (year, month, _) = Date(time).parts();
                Date::of_parts(year, month, 1).map_or(time.midnight(), |date| date.0)
            }
        }
    }

    /// Returns the begins of all periods that contain days of `range`, oldest first.
    #[must_use]
    pub fn periods(self, range: DayRange) -> Vec<Timestamp> {
        let mut periods: Vec<Timestamp> = range.days().map(|day| self.begin(day)).collect();
        periods.dedup();
        periods
    }
}

/// Users that signed up in one period, and how many of them were active later.
#[derive(Debug, Clone, PartialEq)]
pub struct Cohort {
    /// Begin of the period in which they signed up.
    pub period: Timestamp,
    /// Length of the periods.
    pub frequency: Frequency,
    /// The period itself, and all later ones.
    pub data: Vec<CohortData>,
}

/// Users of a [`Cohort`] that were active in one period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CohortData {
    /// Begin of the period.
    pub date: Timestamp,
    /// Their share in the cohort, from 0 to 1.
    pub rate: f64,
    /// Their number.
    pub value: i64,
}

/// Whole days (UTC) without a gap: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayRange {
    /// Midnight that begins the first day.
    start: Timestamp,
    length: u32,
}

/// Error for days that form no [`DayRange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidDayRange {
    /// The end is before the start.
    Reversed,
    /// There are more days than allowed.
    TooLong,
}

impl fmt::Display for InvalidDayRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reversed => "the end is before the start",
            Self::TooLong => "there are too many days",
        })
    }
}

impl std::error::Error for InvalidDayRange {}

impl DayRange {
    /// Returns the days from that of `start` to that of `end`, both included.
    ///
    /// ```
    /// use siskin_entities::{Timestamp, measure::{DayRange, InvalidDayRange}};
    ///
    /// let hour = |hours: i64| Timestamp::from_unix_ms(hours * 3_600_000);
    /// let range = DayRange::of(hour(1), hour(47), 366).unwrap();
    /// assert_eq!(range.days().collect::<Vec<_>>(), [hour(0), hour(24)]);
    /// assert_eq!(range.previous().start(), hour(-48));
    /// assert_eq!(DayRange::of(hour(25), hour(1), 366), Err(InvalidDayRange::Reversed));
    /// assert_eq!(DayRange::of(hour(1), hour(47), 1), Err(InvalidDayRange::TooLong));
    /// ```
    ///
    /// # Errors
    /// [`InvalidDayRange`] if these are not one to `max` days.
    pub fn of(start: Timestamp, end: Timestamp, max: u32) -> Result<Self, InvalidDayRange> {
        let (first, last) = (start.midnight(), end.midnight());
        if end < start {
            return Err(InvalidDayRange::Reversed);
        }
        let between = last.unix_ms().saturating_sub(first.unix_ms()) / 86_400_000;
        let length = u32::try_from(between).ok().and_then(|between| between.checked_add(1));
        let length = length.filter(|length| *length <= max).ok_or(InvalidDayRange::TooLong)?;
        Ok(Self { start: first, length })
    }

    /// Returns the midnight that begins the first day.
    #[must_use]
    pub const fn start(self) -> Timestamp {
        self.start
    }

    /// Returns the midnight that ends the last day.
    #[must_use]
    pub fn end(self) -> Timestamp {
        self.start.after(DAY.saturating_mul(self.length))
    }

    /// Returns as many days right before these.
    #[must_use]
    pub fn previous(self) -> Self {
        Self { start: self.start.before(DAY.saturating_mul(self.length)), length: self.length }
    }

    /// Returns the midnights that begin the days, oldest first.
    pub fn days(self) -> impl Iterator<Item = Timestamp> {
        let next = |day: &Timestamp| Some(day.after(DAY));
        iter::successors(Some(self.start), next).take(self.length as usize)
    }

    /// Returns `true` if the time is on one of these days.
    #[must_use]
    pub fn contains(self, time: Timestamp) -> bool {
        time >= self.start && time < self.end()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(number: i64) -> Timestamp {
        Timestamp::from_unix_ms(number * 86_400_000)
    }

    #[test]
    fn months_begin_with_their_first_day() {
        // 30 January to 2 March of a leap year.
        let range = DayRange::of(day(19_752), day(19_784), 366).unwrap();
        let months = Frequency::Month.periods(range);
        let months: Vec<String> = months.iter().map(|month| Date(*month).to_string()).collect();
        assert_eq!(months, ["2024-01-01", "2024-02-01", "2024-03-01"]);
        assert_eq!(Frequency::Day.periods(range).len(), 33);
    }

    #[test]
    fn a_single_day_is_a_range() {
        let noon = Timestamp::from_unix_ms(day(5).unix_ms() + 43_200_000);
        let range = DayRange::of(noon, noon, 1).unwrap();
        assert_eq!((range.start(), range.end()), (day(5), day(6)));
        assert!(range.contains(noon) && !range.contains(day(6)));
        assert_eq!(range.previous().days().collect::<Vec<_>>(), [day(4)]);
    }

    proptest! {
        #[test]
        fn a_range_has_its_days_and_touches_the_previous_one(
            start in -62_135_596_800_000_i64..253_402_300_800_000, length in 0_i64..400,
        ) {
            let start = Timestamp::from_unix_ms(start);
            let end = start.after(DAY.saturating_mul(u32::try_from(length).unwrap()));
            match DayRange::of(start, end, 366) {
                Ok(range) => {
                    prop_assert_eq!(i64::try_from(range.days().count()).unwrap(), length + 1);
                    prop_assert!(range.contains(start) && range.contains(end));
                    prop_assert_eq!(range.previous().end(), range.start());
                    prop_assert!(range.days().is_sorted_by(|a, b| a < b));
                }
                Err(error) => {
                    prop_assert_eq!(error, InvalidDayRange::TooLong);
                    prop_assert!(length >= 366);
                }
            }
        }
    }
}
