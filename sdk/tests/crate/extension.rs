//! The extension that the tests serve: a handler of each kind, and some that go wrong. What it does depends on the
//! command line it is shown.

use pintle_sdk::agent::{
    BusMessage, CommandCall, CommandReply, Entry, NoticeLevel, OutputDelta, TimerFired, ToolCall, ToolResult,
};
use pintle_sdk::{
    Around, Batch, CallError, Claim, Collect, Context, DisposeReason, Error, Extension, Guard, Hooks,
    Identity, Next, Question, Transform,
};
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

pub(crate) const IDENTITY: Identity = Identity { name: "probe", version: "0.1.0" };

pub(crate) struct Probe {
    /// Where handlers that run at once meet.
    meeting: (Mutex<Sender<()>>, Mutex<Receiver<()>>),
}

impl Extension for Probe {
    fn start(context: &Context) -> Result<Self, Error> {
        assert_eq!((context.epoch(), context.extension()), (7, "probe"));
        let (send, receive) = channel();
        Ok(Self { meeting: (Mutex::new(send), Mutex::new(receive)) })
    }

    fn hooks(hooks: &mut Hooks<Self>) {
        hooks.guard("tool.call", Self::on_tool_call);
        hooks.transform("tool.result", Self::on_tool_result);
        hooks.claim("claim", |_, _, number: u64| {
            Ok(match number {
                0 => Claim::Continue,
                1 => Claim::Replace(number + 1),
                _ => Claim::Handled(json!({ "number": number })),
            })
        });
        hooks.collect("collect", |_, context, (): ()| {
            Ok(Collect(vec![context.root().to_owned(), context.data().expect("there is one").to_owned()]))
        });
        hooks.around("around", |_, _, payload: String, next: Next<String, u64>| {
            Ok(Around(next.call(&payload.to_uppercase())? + 1))
        });
        hooks.observe("observe", |_, context, text: String| Ok(context.notify(NoticeLevel::Info, &text)?));
        hooks.stream("output.delta", |_, context, batch: Batch<OutputDelta>| {
            let text: String = batch.items.iter().map(|item| item.text.as_str()).collect();
            Ok(context.status("seen", Some(&format!("{text} -{}", batch.dropped)))?)
        });
        hooks.command("greet", |_, _, call: CommandCall| {
            Ok(CommandReply::text(format!("hello {}", call.args.join(" and "))))
        });
        hooks.bus(|_, context, message: BusMessage| Ok(context.bus_emit("probe:echo", &message.value)?));
        hooks.timer(|_, context, timer: TimerFired| Ok(context.release(Entry(timer.timer.0))?));
    }

    fn dispose(&self, context: &Context, reason: DisposeReason) {
        // The host has made the context stale by now, so this is answered with an error, which is a value.
        let refused = context.notify(NoticeLevel::Info, &format!("{reason:?}")).expect_err("it is stale");
        assert_eq!(refused.code(), "context.stale");
    }
}

impl Probe {
    fn on_tool_call(&self, context: &Context, mut call: ToolCall) -> Result<Guard<ToolCall>, Error> {
        let line = call.line.clone();
        Ok(match line.as_str() {
            "continue" => Guard::Continue,
            "replace" => {
                call.line = "replaced".to_owned();
                Guard::Replace(call)
            }
            "ask" => Guard::Ask(Question { title: "Sure?".to_owned(), details: Vec::new() }),
            "block" => Guard::Block("no".to_owned()),
            "panic" => panic!("the {} is lost", "thread"),
            "error" => return Err(Error::new("it went wrong")),
            "select" => {
                let selected = context.select("Which?", &[], &["a".to_owned(), "b".to_owned()])?;
                Guard::Block(format!("chose {:?}", selected.chosen))
            }
            "stale" => match context.cwd() {
                Err(error) => Guard::Block(format!("{}: {error}", error.code())),
                Ok(cwd) => Guard::Block(cwd.display().to_string()),
            },
            "wrong" => match context.now() {
                Err(error @ CallError::Returned { .. }) => Guard::Block(error.to_string()),
                other => Guard::Block(format!("{other:?}")),
            },
            "value" => {
                let mut kept: Option<Value> = context.store_get("k")?;
                context.store_set("k", &kept.take())?;
                Guard::Continue
            }
            "until cancelled" => {
                while !context.is_cancelled() {
                    std::thread::yield_now();
                }
                Guard::Block("cancelled".to_owned())
            }
            "meet" => {
                // Asks the host, and while it waits, "met" is answered by another thread.
                context.cwd()?;
                self.meeting.1.lock().unwrap_or_else(PoisonError::into_inner).recv()?;
                Guard::Block("met".to_owned())
            }
            "met" => {
                self.meeting.0.lock().unwrap_or_else(PoisonError::into_inner).send(())?;
                Guard::Continue
            }
            "background" => {
                let context = context.clone();
                std::thread::spawn(move || {
                    for number in 0..3 {
                        context.notify(NoticeLevel::Info, &format!("background {number}"))?;
                    }
                    Ok::<(), CallError>(())
                });
                Guard::Continue
            }
            other => Guard::Block(format!("nobody knows {other}")),
        })
    }

    fn on_tool_result(
        &self,
        _context: &Context,
        mut result: ToolResult,
    ) -> Result<Transform<ToolResult>, Error> {
        result.notes.push(format!("it took {} ms", result.duration_ms));
        Ok(Transform::Replace(result))
    }
}

pintle_sdk::export!(Probe, "probe");
