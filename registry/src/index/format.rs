//! What can be wrong with the bytes of a file of the index. Knows nothing of where they came from.

/// Says why bytes can't be read as the format they should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FormatError {
    /// They have a newer format than this Pintle knows.
    Newer { format: u64, known: u64 },
    /// They break a rule of the format.
    Malformed(String),
}

impl FormatError {
    /// Makes the error for a broken rule.
    pub(super) fn malformed(reason: impl ToString) -> Self {
        Self::Malformed(reason.to_string())
    }
}

impl std::fmt::Display for FormatError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Newer { format, known } => {
                write!(f, "it has format {format}; this Pintle knows {known}")
            }
            Self::Malformed(reason) => f.write_str(reason),
        }
    }
}

/// Fails for a format newer than `known`, and for one that never was.
pub(super) fn check_format(format: u64, known: u64) -> Result<(), FormatError> {
    match format {
        0 => Err(FormatError::malformed("there is no format 0")),
        format if format > known => Err(FormatError::Newer { format, known }),
        _ => Ok(()),
    }
}
