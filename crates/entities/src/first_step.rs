//! Steps of the set-up that the owner of a new instance is led through.

use crate::named::names;

/// A step of the set-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FirstStep {
    /// Give the instance a name.
    Name,
    /// Describe the instance.
    Description,
    /// Upload a picture of the instance.
    Picture,
    /// Write rules.
    Rules,
    /// Decide who may sign up.
    Registrations,
    /// Send an email as a test.
    Mail,
    /// Learn about backups.
    Backups,
}

names!(FirstStep {
    Name = "name",
    Description = "description",
    Picture = "picture",
    Rules = "rules",
    Registrations = "registrations",
    Mail = "mail",
    Backups = "backups",
});

/// What happened with a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepState {
    /// Nothing yet.
    Open,
    /// It was put off.
    Skipped,
    /// It was done, here or elsewhere.
    Done,
}
