//! The two ends of the connection, on the level of bytes. Either can be closed early.

use pintle_sdk::protocol::{read_frame, write_frame};
use serde_json::Value;
use std::fs::File;
use std::io::Write;
use std::os::fd::FromRawFd;

pub(crate) struct Wire {
    pub(crate) input: Option<File>,
    pub(crate) output: Option<File>,
}

impl Wire {
    /// Takes descriptors 3 and 4. They stay inheritable, as a careless program would leave them.
    #[expect(unsafe_code, reason = "the descriptors are named by number, by the protocol")]
    pub(crate) fn new() -> Self {
        // SAFETY: by the protocol they are open, and nothing else in this process owns them.
        let (input, output) = unsafe { (File::from_raw_fd(3), File::from_raw_fd(4)) };
        Self { input: Some(input), output: Some(output) }
    }

    /// Returns the next message; `None` when there will be no more.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        let mut frame = Vec::new();
        read_frame(self.input.as_mut()?, &mut frame).ok()?;
        serde_json::from_slice(&frame).ok()
    }

    /// Sends a message; tells whether it went out.
    pub(crate) fn send(&mut self, message: &Value) -> bool {
        self.output.as_mut().is_some_and(|output| write_frame(output, message).is_ok())
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) -> bool {
        self.output.as_mut().is_some_and(|output| output.write_all(bytes).is_ok())
    }

    /// Sends a text in a frame, whatever it says.
    pub(crate) fn send_text(&mut self, text: &[u8]) -> bool {
        let length = u32::try_from(text.len()).expect("a text of a test is short");
        self.send_bytes(&[&length.to_be_bytes(), text].concat())
    }
}
