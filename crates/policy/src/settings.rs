//! Which settings staff may change. The others are for the operator alone.

/// Settings that only the operator changes: they decide what the machine has to bear, whom the
/// server protects itself against, and what the licence requires.
const OF_THE_OPERATOR: &[&str] = &["source_url", "oauth_password_grant", "max_search_results"];
/// Groups of such settings, by the beginning of their keys.
const GROUPS_OF_THE_OPERATOR: &[&str] = &["rate_limits.", "streams."];

/// Returns `true` if staff with the permission to manage settings may change the setting with this
/// key, and `false` if only the operator may.
#[must_use]
pub fn staff_may_change(key: &str) -> bool {
    let is_in_group = GROUPS_OF_THE_OPERATOR.iter().any(|group| key.starts_with(group));
    !is_in_group && !OF_THE_OPERATOR.contains(&key)
}

#[cfg(test)]
mod tests {
    use siskin_entities::Settings;

    use super::*;

    #[test]
    fn only_existing_settings_are_kept_from_staff() {
        let exists = |is_it: &dyn Fn(&str) -> bool| {
            Settings::DESCRIPTIONS.iter().any(|description| is_it(description.key))
        };
        for name in OF_THE_OPERATOR {
            assert!(exists(&|key| key == *name) && !staff_may_change(name), "{name}");
        }
        for group in GROUPS_OF_THE_OPERATOR {
            assert!(exists(&|key| key.starts_with(group)), "{group}");
        }
        assert!(staff_may_change("site_title") && !staff_may_change("rate_limits.enabled"));
    }
}
