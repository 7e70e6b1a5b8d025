//! What a handler fails with: a message for the author of the extension. It is never a decision; a guard that fails has
//! not blocked anything by itself.

use std::error::Error as StdError;
use std::fmt;

/// Says why a handler or a start failed. Every error turns into one with `?`, with its causes in the message.
#[derive(Debug)]
pub struct Error {
    message: String,
}

impl Error {
    /// Makes one of a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    pub(crate) fn from_ref(error: &dyn StdError) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(": ");
            message.push_str(&error.to_string());
            cause = error.source();
        }
        Self { message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

// `Error` itself is no `std::error::Error`, so that this can be written for all that are.
impl<E: StdError + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        Self::from_ref(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::Error;
    use crate::protocol::FrameError;
    use std::io;

    #[test]
    fn causes_are_in_the_message() {
        let error = Error::from(FrameError::Io(io::Error::other("the disk is on fire")));
        assert_eq!(error.to_string(), "the connection failed: the disk is on fire");
        assert_eq!(Error::new("no").to_string(), "no");
    }
}
