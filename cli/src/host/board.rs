//! What extensions show to the person and ask of them. Always on standard error, always under the name of the
//! extension, and with nothing in it that acts on a terminal. While a command has the terminal, nothing is asked, and a
//! question that stands is taken back: no key that is meant for the command is read here.

use crate::command::{is_ready, watched};
use crate::question::forget_typed;
use crate::ui::{Paint, Ui};
use pintle_loader::Question;
use pintle_loader::call::{CallError, Caller, Held};
use pintle_manifest::{Name, Untrusted};
use rustix::event::PollFlags;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::Interest;
use tokio::sync::watch;

/// The longest answer that is read, in bytes. More than that is no answer to anything.
const MOST: usize = 4096;

/// How much an extension may show in a minute.
const MOST_SHOWN: u32 = 200;

/// Where extensions meet the person.
#[derive(Debug)]
pub(crate) struct Board {
    ui: Ui,
    /// Whether somebody can be asked now.
    can_ask: watch::Sender<bool>,
    /// The status lines, by extension and key.
    status: Mutex<BTreeMap<(Name, String), (String, Held)>>,
    /// One question at a time.
    asking: tokio::sync::Mutex<()>,
    shown: Mutex<Shown>,
}

/// What is shown, and when.
#[derive(Debug, Default)]
struct Shown {
    /// What is shown later, while a command has the screen: by whom, and of status lines the key, of which only the last
    /// is wanted.
    held: Option<Vec<(Name, Option<String>, String)>>,
    /// How much each extension showed in its present minute, and when that began.
    counts: BTreeMap<Name, (Instant, u32)>,
}

impl Board {
    pub(crate) fn new(ui: &Ui, can_ask: bool) -> Arc<Self> {
        Arc::new(Self {
            ui: ui.clone(),
            can_ask: watch::Sender::new(can_ask),
            status: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
            shown: Mutex::default(),
        })
    }

    /// Says whether somebody can be asked from here on. A question that stands and can't be asked any more is taken back.
    pub(crate) fn may_ask(&self, yes: bool) {
        self.can_ask.send_replace(yes);
    }

    /// Holds back what extensions show, since a command has the screen.
    pub(crate) fn hold(&self) {
        self.shown.lock().expect("no holder panics").held.get_or_insert_default();
    }

    /// Shows what was held back.
    pub(crate) fn release(&self) {
        let held = self.shown.lock().expect("no holder panics").held.take();
        held.into_iter().flatten().for_each(|(_, _, text)| self.ui.rendered(&text));
    }

    /// Shows a text of an extension, at once or when the screen is the host's again. An extension that shows too much is
    /// told so, and nobody else.
    fn show(&self, by: &Name, key: Option<&str>, text: String) -> Result<(), CallError> {
        let mut shown = self.shown.lock().expect("no holder panics");
        let now = Instant::now();
        let (since, count) = shown.counts.entry(by.clone()).or_insert((now, 0));
        if now.duration_since(*since) >= Duration::from_secs(60) {
            (*since, *count) = (now, 0);
        }
        *count += 1;
        if *count > MOST_SHOWN {
            let message = format!("more than {MOST_SHOWN} messages in a minute; this one is not shown");
            return Err(CallError::new("ui.flood", message));
        }
        match &mut shown.held {
            Some(held) => {
                held.retain(|(who, of, _)| key.is_none() || who != by || of.as_deref() != key);
                held.push((by.clone(), key.map(str::to_owned), text));
            }
            None => {
                drop(shown);
                self.ui.rendered(&text);
            }
        }
        Ok(())
    }

    /// Forgets a status line that was held back.
    fn forget(&self, by: &Name, key: &str) {
        let mut shown = self.shown.lock().expect("no holder panics");
        shown
            .held
            .iter_mut()
            .for_each(|held| held.retain(|(who, of, _)| who != by || of.as_deref() != Some(key)));
    }

    /// Shows one message.
    fn notify(&self, by: &Name, level: &str, text: &str) -> Result<(), CallError> {
        let paint = self.ui.paint();
        let label = match level {
            "error" => paint.bad(by.as_str()),
            "warning" => paint.warn(by.as_str()),
            _ => paint.hint(by.as_str()),
        };
        self.show(by, None, format!("{label}: {}\n", lines(text, "  ")))
    }

    /// Asks a question of yes or no. `None` if nobody can be asked.
    pub(crate) async fn confirm(&self, by: &Name, title: &str, details: &[String]) -> Option<bool> {
        let text = format!("{}Go ahead? [y/N] ", self.header(by, title, details));
        let answer = self.ask(text).await?;
        Some(matches!(answer.trim(), "y" | "Y" | "yes"))
    }

    async fn select(&self, by: &Name, asked: &Select) -> Option<Option<usize>> {
        let mut text = self.header(by, &asked.title, &asked.details);
        for (index, option) in asked.options.iter().enumerate() {
            text.push_str(&format!("  {}) {}\n", index + 1, lines(option, "     ")));
        }
        text.push_str("Which one? [none] ");
        let answer = self.ask(text).await?;
        let number: Option<usize> = answer.trim().parse().ok();
        Some(number.and_then(|number| number.checked_sub(1)).filter(|index| *index < asked.options.len()))
    }

    fn header(&self, by: &Name, title: &str, details: &[String]) -> String {
        let paint: Paint = self.ui.paint();
        let mut text = format!("{} asks: {}\n", paint.warn(by.as_str()), paint.bold(&lines(title, "  ")));
        for detail in details {
            text.push_str(&format!("  {}\n", lines(detail, "  ")));
        }
        text
    }

    /// Puts a question, and returns the line that was typed. Whoever drops the future takes the question back.
    async fn ask(&self, text: String) -> Option<String> {
        let _one = self.asking.lock().await;
        let mut can_ask = self.can_ask.subscribe();
        if !*can_ask.borrow() {
            return None;
        }
        forget_typed();
        self.ui.rendered(&text);
        let mut open = OpenLine { ui: &self.ui, ended: false };
        tokio::select! {
            line = typed_line() => {
                let line = line.unwrap_or_default();
                open.ended = line.ends_with('\n');
                Some(line)
            }
            _ = can_ask.wait_for(|can_ask| !can_ask) => None,
        }
    }

    fn set_status(self: &Arc<Self>, caller: &Caller, key: &str, text: Option<&str>) -> Result<(), CallError> {
        caller.declares("status", key)?;
        let owned = (caller.name().clone(), key.to_owned());
        let known = self
            .status
            .lock()
            .expect("no holder panics")
            .get(&owned)
            .map(|(text, held)| (text.clone(), *held));
        let Some(text) = text else {
            self.forget(caller.name(), key);
            if let Some((_, held)) = known {
                caller.release(held);
            }
            return Ok(());
        };
        if known.as_ref().is_some_and(|(shown, _)| shown == text) {
            return Ok(());
        }
        let held = match known {
            Some((_, held)) => held,
            None => {
                let (board, owned) = (Arc::downgrade(self), owned.clone());
                caller.hold("status", key, move || {
                    if let Some(board) = board.upgrade() {
                        board.status.lock().expect("no holder panics").remove(&owned);
                    }
                })?
            }
        };
        self.status.lock().expect("no holder panics").insert(owned, (text.to_owned(), held));
        // One that is called as its extension is named once.
        let label = match caller.name().as_str() == key {
            true => format!("{key}:"),
            false => format!("{} {key}:", caller.name()),
        };
        let label = self.ui.paint().dim(&label);
        self.show(caller.name(), Some(key), format!("{label} {}\n", lines(text, "  ")))
    }
}

/// A line on the screen that the person's key ends, or we do.
struct OpenLine<'a> {
    ui: &'a Ui,
    ended: bool,
}

impl Drop for OpenLine<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.ui.rendered("\n");
        }
    }
}

/// Reads a line from the terminal, and not a byte after it. Nobody reads once the future is dropped.
async fn typed_line() -> io::Result<String> {
    let keyboard = watched(io::stdin().as_fd().try_clone_to_owned()?, Interest::READABLE)?;
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < MOST && !line.ends_with(b"\n") {
        let read = keyboard.async_io(Interest::READABLE, |keyboard| {
            // The terminal is others' too, so it is not made non-blocking.
            match is_ready(keyboard, PollFlags::IN) {
                true => Ok(rustix::io::read(keyboard, &mut byte)?),
                false => Err(io::ErrorKind::WouldBlock.into()),
            }
        });
        if read.await? == 0 {
            break;
        }
        line.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

fn lines(text: &str, indent: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| Untrusted(line).to_string()).collect();
    lines.join(&format!("\n{indent}"))
}

#[derive(Serialize)]
pub(super) struct Nothing {}

#[derive(Deserialize)]
pub(super) struct Notify {
    text: String,
    #[serde(default)]
    level: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Confirm {
    title: String,
    #[serde(default)]
    details: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Confirmed {
    answer: bool,
    asked: bool,
}

#[derive(Deserialize)]
pub(super) struct Select {
    title: String,
    #[serde(default)]
    details: Vec<String>,
    options: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Selected {
    chosen: Option<usize>,
    asked: bool,
}

#[derive(Deserialize)]
pub(super) struct Status {
    key: String,
    text: Option<String>,
}

pub(super) async fn notify(board: Arc<Board>, caller: Caller, asked: Notify) -> Result<Nothing, CallError> {
    board.notify(caller.name(), asked.level.as_deref().unwrap_or("info"), &asked.text)?;
    Ok(Nothing {})
}

pub(super) async fn confirm(
    board: Arc<Board>,
    caller: Caller,
    asked: Confirm,
) -> Result<Confirmed, CallError> {
    let answer = board.confirm(caller.name(), &asked.title, &asked.details).await;
    Ok(Confirmed { answer: answer.unwrap_or(false), asked: answer.is_some() })
}

pub(super) async fn select(board: Arc<Board>, caller: Caller, asked: Select) -> Result<Selected, CallError> {
    let chosen = board.select(caller.name(), &asked).await;
    Ok(Selected { chosen: chosen.flatten(), asked: chosen.is_some() })
}

pub(super) async fn status(board: Arc<Board>, caller: Caller, asked: Status) -> Result<Nothing, CallError> {
    board.set_status(&caller, &asked.key, asked.text.as_deref())?;
    Ok(Nothing {})
}

/// Puts the question of a guard.
pub(super) async fn decide(board: Arc<Board>, by: Name, question: Question) -> bool {
    board.confirm(&by, &question.title, &question.details).await.unwrap_or(false)
}
