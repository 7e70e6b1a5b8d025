//! What the host asks of its nursery: one program, as a list of strings that end in a zero byte, which is also how the
//! kernel wants them. Before it go four bytes of its length, and with those the descriptors: first the worker's
//! socket, then the ones that become 0, 1, 2 and so on in the program. Both ends are always the same binary, so there is
//! no version.

use super::spec::Limits;
use std::ffi::{CStr, CString};

/// The most bytes of a request. The kernel takes two megabytes of arguments and environment.
pub(super) const LONGEST: usize = 4 << 20;

/// What is to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) program: Start,
    pub(super) directory: CString,
    pub(super) environment: Vec<CString>,
    pub(super) limits: Limits,
}

/// How it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// By executing a file.
    Exec { path: CString, arguments: Vec<CString> },
    /// By executing the file that is the last descriptor; the path is for messages.
    Open { path: CString, arguments: Vec<CString> },
    /// By loading the library that is the last descriptor.
    Native,
}

impl Request {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut put = |field: &[u8]| {
            bytes.extend_from_slice(field);
            bytes.push(0);
        };
        let Limits { open_files, data, stack } = self.limits;
        for limit in [open_files, data, stack] {
            put(limit.to_string().as_bytes());
        }
        put(self.directory.to_bytes());
        match &self.program {
            Start::Exec { path, arguments } | Start::Open { path, arguments } => {
                put(if matches!(self.program, Start::Open { .. }) { b"open" } else { b"exec" });
                put(path.to_bytes());
                put(arguments.len().to_string().as_bytes());
                arguments.iter().for_each(|argument| put(argument.to_bytes()));
            }
            Start::Native => put(b"native"),
        }
        self.environment.iter().for_each(|variable| put(variable.to_bytes()));
        bytes
    }

    /// Reads a request; `None` if it is not one.
    pub(super) fn decode(bytes: &[u8]) -> Option<Request> {
        let mut fields =
            bytes.split_inclusive(|byte| *byte == 0).map(|field| CStr::from_bytes_with_nul(field).ok());
        let mut next = || fields.next().flatten().map(CStr::to_owned);
        let number = |field: CString| field.to_str().ok()?.parse().ok();
        let limits = Limits { open_files: number(next()?)?, data: number(next()?)?, stack: number(next()?)? };
        let directory = next()?;
        let how = next()?;
        let program = match how.to_bytes() {
            b"exec" | b"open" => {
                let path = next()?;
                let count = number(next()?)?;
                let arguments = (0..count).map(|_| next()).collect::<Option<_>>()?;
                match how.to_bytes() {
                    b"open" => Start::Open { path, arguments },
                    _ => Start::Exec { path, arguments },
                }
            }
            b"native" => Start::Native,
            _ => return None,
        };
        let environment = fields.map(|field| field.map(CStr::to_owned)).collect::<Option<_>>()?;
        Some(Request { program, directory, environment, limits })
    }
}

#[cfg(test)]
mod tests {
    use super::{Request, Start};
    use crate::worker::spec::Limits;

    fn check(program: Start) {
        let request = Request {
            program,
            directory: c"/a b".to_owned(),
            environment: vec![c"A=1".to_owned(), c"B=\xff".to_owned(), c"C=".to_owned()],
            limits: Limits::default(),
        };
        assert_eq!(Request::decode(&request.encode()), Some(request));
    }

    #[test]
    fn what_is_written_is_read() {
        check(Start::Native);
        check(Start::Open { path: c"/bin/x".to_owned(), arguments: vec![c"x".to_owned()] });
        check(Start::Exec { path: c"/bin/x".to_owned(), arguments: vec![] });
        check(Start::Exec {
            path: c"/bin/x".to_owned(),
            arguments: vec![c"".to_owned(), c"exec".to_owned()],
        });
    }

    #[test]
    fn what_is_not_a_request_is_refused() {
        for bytes in [
            &b""[..],
            b"1\0",
            b"1\x002\x003\0/\0exec\0/x\x0018446744073709551615\0a\0",
            b"1\x002\x003\0/\0exec\0/x\x002\0a\0",
            b"1\x002\x003\0/\0other\0",
            b"1\x002\x003\0/\0native\0A=1",
        ] {
            assert_eq!(Request::decode(bytes), None, "{}", bytes.escape_ascii());
        }
    }
}
