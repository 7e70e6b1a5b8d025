//! How firmly a worker's descendants are held, in words for a person.

use std::fmt;
use std::io;

/// What holds a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// What holds all that it starts.
    pub descendants: Descendants,
}

/// What holds all that a worker starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descendants {
    /// The worker is in a PID namespace of its own: the kernel ends all of it at once.
    PidNamespace {
        /// Whether a user namespace was needed for it, as for anyone but root. In it, files of other people show no
        /// owner's name, and nothing can gain rights (no `sudo`).
        with_user_namespace: bool,
    },
    /// The kernel gives no namespace. Whatever loses its parent becomes a child of the keeper, which looks for all of
    /// them and kills them.
    Subreaper {
        /// The number of the error with which a namespace was refused; 0 if none was asked for.
        errno: i32,
    },
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.descendants.fmt(f)
    }
}

impl fmt::Display for Descendants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Descendants::PidNamespace { .. } => {
                f.write_str("whatever it starts is in a PID namespace and ends with it")
            }
            Descendants::Subreaper { errno: 0 } => f.write_str(
                "whatever it starts is looked for and killed; without a PID namespace some may get away",
            ),
            Descendants::Subreaper { errno } => write!(
                f,
                "whatever it starts is looked for and killed; without a PID namespace ({}) some may get away",
                io::Error::from_raw_os_error(*errno).kind()
            ),
        }
    }
}

const WITHOUT_USER_NAMESPACE: u8 = b'p';
const WITH_USER_NAMESPACE: u8 = b'u';
const SUBREAPER: u8 = b's';
const REFUSAL: u8 = b'e';

impl Descendants {
    /// The length of [`Descendants::to_bytes`].
    pub(super) const LENGTH: usize = 5;

    /// Returns it as the nursery tells it to the host.
    pub(super) fn to_bytes(self) -> [u8; Descendants::LENGTH] {
        let (kind, errno) = match self {
            Descendants::PidNamespace { with_user_namespace: false } => (WITHOUT_USER_NAMESPACE, 0),
            Descendants::PidNamespace { with_user_namespace: true } => (WITH_USER_NAMESPACE, 0),
            Descendants::Subreaper { errno } => (SUBREAPER, errno),
        };
        let [a, b, c, d] = errno.to_le_bytes();
        [kind, a, b, c, d]
    }

    /// Returns what a nursery says that can't serve.
    pub(super) fn refusal(errno: i32) -> [u8; Descendants::LENGTH] {
        let [a, b, c, d] = errno.to_le_bytes();
        [REFUSAL, a, b, c, d]
    }

    /// Reads what a nursery said: what holds workers, or the number of the error why there will be none. `None` if it
    /// is no nursery's.
    pub(super) fn from_bytes(
        [kind, a, b, c, d]: [u8; Descendants::LENGTH],
    ) -> Option<Result<Descendants, i32>> {
        let errno = i32::from_le_bytes([a, b, c, d]);
        match kind {
            WITHOUT_USER_NAMESPACE => Some(Ok(Descendants::PidNamespace { with_user_namespace: false })),
            WITH_USER_NAMESPACE => Some(Ok(Descendants::PidNamespace { with_user_namespace: true })),
            SUBREAPER => Some(Ok(Descendants::Subreaper { errno })),
            REFUSAL => Some(Err(errno)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Descendants, Fence};

    #[test]
    fn what_is_told_is_understood() {
        for descendants in [
            Descendants::PidNamespace { with_user_namespace: false },
            Descendants::PidNamespace { with_user_namespace: true },
            Descendants::Subreaper { errno: 0 },
            Descendants::Subreaper { errno: 1 },
        ] {
            assert_eq!(Descendants::from_bytes(descendants.to_bytes()), Some(Ok(descendants)));
        }
        assert_eq!(Descendants::from_bytes(Descendants::refusal(38)), Some(Err(38)));
        assert_eq!(Descendants::from_bytes(*b"hello"), None);
    }

    #[test]
    fn a_weaker_fence_says_so() {
        let check = |descendants, expected: &str| assert_eq!(Fence { descendants }.to_string(), expected);
        check(
            Descendants::PidNamespace { with_user_namespace: true },
            "whatever it starts is in a PID namespace and ends with it",
        );
        check(
            Descendants::Subreaper { errno: 1 },
            "whatever it starts is looked for and killed; without a PID namespace (permission denied) some may get away",
        );
    }
}
