//! Macros for enums without fields whose values have a name in the API or a stored number.

/// Implements `ALL`, `as_str` and `from_name` for an enum. The variants are listed in the order of
/// the enum.
macro_rules! names {
    ($kind:ty { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $kind {
            /// All values, in the order of their declaration.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name used in the API.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// Returns the value with this name. Returns `None` if there is none.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == name)
            }
        }
    };
}

/// Implements `number` and `from_number` for an enum that has `ALL`. The number is the position of
/// the variant, so variants are only appended.
macro_rules! numbers {
    ($kind:ty, unknown: $unknown:ident) => {
        impl $kind {
            /// Returns the stored number.
            #[must_use]
            pub const fn number(self) -> i16 {
                self as i16
            }

            #[doc = concat!(
                        "Returns the value with this stored number, or `", stringify!($unknown),
                        "` if the number is unknown."
                    )]
            #[must_use]
            pub fn from_number(number: i16) -> Self {
                Self::ALL
                    .into_iter()
                    .find(|value| value.number() == number)
                    .unwrap_or(Self::$unknown)
            }
        }
    };
}

/// Declares the error for an unknown name, and implements `FromStr` for an enum that has
/// `from_name`.
macro_rules! parses {
    ($(#[$attribute:meta])* $kind:ty, $error:ident: $message:literal) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $error;

        impl std::fmt::Display for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($message)
            }
        }

        impl std::error::Error for $error {}

        impl std::str::FromStr for $kind {
            type Err = $error;

            fn from_str(name: &str) -> Result<Self, $error> {
                Self::from_name(name).ok_or($error)
            }
        }
    };
}

pub(crate) use {names, numbers, parses};
