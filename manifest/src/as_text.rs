//! How a word of the house is read from a text and written as one: through its own `parse` and its `Display`, for
//! `FromStr` and for serde alike.

/// Gives a type with `parse(&str)` and `Display` its conversions from and to text.
macro_rules! as_text {
    ($type:ty, $error:ty) => {
        impl std::str::FromStr for $type {
            type Err = $error;
            fn from_str(text: &str) -> Result<Self, $error> {
                Self::parse(text)
            }
        }
        impl TryFrom<String> for $type {
            type Error = $error;
            fn try_from(text: String) -> Result<Self, $error> {
                Self::parse(&text)
            }
        }
        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }
    };
}
pub(crate) use as_text;
