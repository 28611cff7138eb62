//! Types of the values of settings, and their text forms.

/// Sign-up mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registrations {
    /// Sign-up is open to all.
    Open,
    /// Sign-up is open to all, but staff approve each account.
    Approval,
    /// Sign-up is closed.
    None,
    /// Only users of the external sign-in provider can sign up.
    External,
}

/// Access to the public listing of statuses of one origin (local or remote).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedAccess {
    /// Open to all, including anonymous clients.
    Public,
    /// Open to signed-in users.
    Authenticated,
    /// Not listed at all.
    Disabled,
}

impl FeedAccess {
    /// Returns the name used in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Authenticated => "authenticated",
            Self::Disabled => "disabled",
        }
    }
}

/// Who sees a list about the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownTo {
    /// All, including anonymous clients.
    All,
    /// Signed-in users.
    Users,
    /// Only staff, in the interface for them.
    Staff,
}

impl ShownTo {
    /// Returns the name used in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Users => "users",
            Self::Staff => "disabled",
        }
    }
}

/// Users who must set up a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredFor {
    /// No user must.
    None,
    /// Users with a role that opens pages of the staff.
    Staff,
    /// All users.
    All,
}

impl RequiredFor {
    /// Returns the name used in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Staff => "staff",
            Self::All => "all",
        }
    }
}

/// With which other servers this one exchanges posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FederationMode {
    /// With none: it answers no question of another server.
    Off,
    /// Only with servers that staff allowed.
    Allowed,
    /// With all servers that staff did not block.
    Open,
}

impl FederationMode {
    /// Returns the name used in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Allowed => "allowed",
            Self::Open => "open",
        }
    }

    /// Returns `true` unless this server keeps to itself.
    #[must_use]
    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }
}

/// Kind of the values of a setting, for those who offer an input for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Number,
    /// A text.
    Text,
    /// One of these names.
    Choice(&'static [&'static str]),
}

/// Type that a setting can have, with its text form.
pub trait SettingValue: Sized {
    /// Kind of the values.
    const KIND: SettingKind;

    /// Parses the text form.
    ///
    /// # Errors
    /// Returns a description of the accepted values.
    fn read(text: &str) -> Result<Self, String>;
    /// Returns the text form, which `read` accepts.
    fn show(&self) -> String;
}

impl SettingValue for bool {
    const KIND: SettingKind = SettingKind::Switch;

    fn read(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" | "1" => Ok(true),
            "false" | "off" | "no" | "0" => Ok(false),
            _ => Err("true or false".to_owned()),
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for u32 {
    const KIND: SettingKind = SettingKind::Number;

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("a whole number from 0 to {}", Self::MAX))
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for String {
    const KIND: SettingKind = SettingKind::Text;

    fn read(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }

    fn show(&self) -> String {
        self.clone()
    }
}

impl SettingValue for Registrations {
    const KIND: SettingKind = SettingKind::Choice(&["open", "approval", "none", "external"]);

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "open" => Ok(Self::Open),
            "approval" => Ok(Self::Approval),
            "none" => Ok(Self::None),
            "external" => Ok(Self::External),
            _ => Err("open, approval, none or external".to_owned()),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Open => "open",
            Self::Approval => "approval",
            Self::None => "none",
            Self::External => "external",
        }
        .to_owned()
    }
}

impl SettingValue for FeedAccess {
    const KIND: SettingKind = SettingKind::Choice(&["public", "authenticated", "disabled"]);

    fn read(text: &str) -> Result<Self, String> {
        [Self::Public, Self::Authenticated, Self::Disabled]
            .into_iter()
            .find(|access| access.as_str() == text)
            .ok_or_else(|| "public, authenticated or disabled".to_owned())
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }
}

impl SettingValue for ShownTo {
    const KIND: SettingKind = SettingKind::Choice(&["all", "users", "disabled"]);

    fn read(text: &str) -> Result<Self, String> {
        [Self::All, Self::Users, Self::Staff]
            .into_iter()
            .find(|shown_to| shown_to.as_str() == text)
            .ok_or_else(|| "all, users or disabled".to_owned())
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }
}

impl SettingValue for RequiredFor {
    const KIND: SettingKind = SettingKind::Choice(&["none", "staff", "all"]);

    fn read(text: &str) -> Result<Self, String> {
        [Self::None, Self::Staff, Self::All]
            .into_iter()
            .find(|required_for| required_for.as_str() == text)
            .ok_or_else(|| "none, staff or all".to_owned())
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }
}

impl SettingValue for FederationMode {
    const KIND: SettingKind = SettingKind::Choice(&["off", "allowed", "open"]);

    fn read(text: &str) -> Result<Self, String> {
        [Self::Off, Self::Allowed, Self::Open]
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| "off, allowed or open".to_owned())
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }
}
