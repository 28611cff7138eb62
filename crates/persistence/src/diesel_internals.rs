//! The internals of diesel that this crate imports. A release of diesel may change them without
//! notice, so `Cargo.toml` requires one exact version. No other file imports internals.

pub(crate) use diesel::internal::derives::multiconnection::{AstPassHelper, ConnectionSealed};

#[cfg(test)]
mod tests {
    /// The version of diesel that was checked last. docs/queries.md describes the check.
    const CHECKED: &str = "2.3.14";

    #[test]
    fn the_internals_of_this_version_of_diesel_were_checked() {
        let lock = include_str!("../../../Cargo.lock");
        let diesel = lock.split("[[package]]").find(|entry| entry.contains("name = \"diesel\"\n"));
        let version =
            diesel.and_then(|entry| entry.split("version = \"").nth(1)?.split('"').next());
        assert_eq!(
            version,
            Some(CHECKED),
            "diesel has another version. Follow \"Upgrades of diesel\" in docs/queries.md, then \
             change CHECKED in this file."
        );
    }

    #[test]
    fn the_version_of_diesel_is_exact() {
        let manifest = include_str!("../../../Cargo.toml");
        let exact = format!("\ndiesel = {{ version = \"={CHECKED}\"");
        assert!(
            manifest.contains(&exact),
            "Cargo.toml must require exactly the version of diesel whose internals were checked: \
             ={CHECKED}"
        );
    }
}
