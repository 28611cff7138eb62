//! Texts that staff use again when they warn accounts.

use siskin_ids::WarningPresetId;

/// Text for warnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarningPreset {
    /// Id of the text.
    pub id: WarningPresetId,
    /// Name for staff; may be empty. Warned accounts do not see it.
    pub title: String,
    /// What a warned account gets to read, as plain text.
    pub text: String,
}

impl WarningPreset {
    /// Returns the text of a warning with this preset: the preset, and below it what the moderator
    /// added, separated by an empty line.
    #[must_use]
    pub fn with(&self, added: &str) -> String {
        match added.trim() {
            "" => self.text.clone(),
            added => format!("{}\n\n{added}", self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_moderator_adds_follows_the_preset() {
        let id = WarningPresetId::new(1);
        let preset = WarningPreset { id, title: "Spam".to_owned(), text: "No spam.".to_owned() };
        assert_eq!(preset.with(" \n"), "No spam.");
        assert_eq!(preset.with(" Stop it.\n"), "No spam.\n\nStop it.");
    }
}
