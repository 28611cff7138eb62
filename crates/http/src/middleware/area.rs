//! The areas of the server, recognised by the prefix of a path.

/// The area that a path belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    /// The API, which programs call from any origin.
    Interface,
    /// Pages that people see in a browser.
    Page,
    /// Files: pictures and style sheets.
    File,
    /// Everything else, such as the health check.
    Other,
}

const INTERFACE: &[&str] =
    &["/api", "/oauth/token", "/oauth/revoke", "/oauth/userinfo", "/nodeinfo", "/.well-known"];
const PAGE: &[&str] = &[
    "/actor",
    "/admin",
    "/about",
    "/auth",
    "/authorize_interaction",
    "/disputes",
    "/invite",
    "/oauth",
    "/privacy-policy",
    "/settings",
    "/setup",
    "/tags",
    "/terms-of-service",
    "/users",
];
/// Prefix of the paths of profiles and of the pages below them.
const PROFILE: &str = "/@";
const FILE: &[&str] = &["/assets", "/avatars", "/headers", "/media"];

impl Area {
    pub(super) fn of(path: &str) -> Self {
        let under = |beginnings: &[&str]| {
            beginnings.iter().any(|beginning| {
                path.strip_prefix(beginning)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        if under(INTERFACE) {
            Self::Interface
        } else if path == "/" || path.starts_with(PROFILE) || under(PAGE) {
            Self::Page
        } else if under(FILE) {
            Self::File
        } else {
            Self::Other
        }
    }

    /// Returns `true` if requests to this area count towards the rate limits.
    pub(super) const fn is_counted(self) -> bool {
        matches!(self, Self::Interface | Self::Page)
    }
}

/// Returns `true` if the path belongs to the API, even if no route serves it.
pub(crate) fn is_interface(path: &str) -> bool {
    Area::of(path) == Area::Interface
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_path_is_whole_segments() {
        assert_eq!(Area::of("/api/v1/apps"), Area::Interface);
        assert_eq!(Area::of("/oauth/token"), Area::Interface);
        assert_eq!(Area::of("/oauth/authorize"), Area::Page);
        assert_eq!(Area::of("/oauth/tokens"), Area::Page);
        assert_eq!(Area::of("/"), Area::Page);
        assert_eq!(Area::of("/@alice/1"), Area::Page);
        assert_eq!(Area::of("/users/alice"), Area::Page);
        assert_eq!(Area::of("/actor"), Area::Page);
        assert_eq!(Area::of("/actors"), Area::Other);
        assert_eq!(Area::of("/apis"), Area::Other);
        assert_eq!(Area::of("/avatars/original/missing.png"), Area::File);
        assert_eq!(Area::of("/health"), Area::Other);
    }
}
