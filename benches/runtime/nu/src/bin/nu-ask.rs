//! `nu-ask PLUGIN load COUNT` and `nu-ask PLUGIN guard MILLISECONDS`: starts plugins of Nushell as the shell does, asks
//! them, and writes the times. It has none of the shell's own cost: one thread, which blocks.

use nu_plugin_core::{Encoder, MsgPackSerializer};
use nu_plugin_protocol::{
    CallInfo, EvaluatedCall, PipelineDataHeader, PluginCall, PluginCallResponse, PluginInput, PluginOutput,
    ProtocolInfo,
};
use nu_protocol::{Record, Span, Value};
use std::error::Error;
use std::io::{BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [plugin, "load", count] => load(plugin, count.parse()?),
        [plugin, "guard", ms] => guard(plugin, Duration::from_millis(ms.parse()?)),
        _ => Err("usage: nu-ask PLUGIN load COUNT | PLUGIN guard MILLISECONDS".into()),
    }
}

struct Plugin {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: usize,
}

impl Plugin {
    fn spawn(program: &str) -> Result<Self, Box<dyn Error>> {
        let mut process =
            Command::new(program).arg("--stdio").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = process.stdin.take().ok_or("it was piped")?;
        let from = BufReader::new(process.stdout.take().ok_or("it was piped")?);
        Ok(Self { process, to, from, last: 0 })
    }

    fn greet(&mut self) -> Result<(), Box<dyn Error>> {
        self.send(&PluginInput::Hello(ProtocolInfo::default()))?;
        let mut length = [0];
        self.from.read_exact(&mut length)?;
        let mut encoding = vec![0; usize::from(length[0])];
        self.from.read_exact(&mut encoding)?;
        match self.receive()? {
            PluginOutput::Hello(_) if encoding == b"msgpack" => Ok(()),
            other => Err(format!("it greets with {other:?}").into()),
        }
    }

    fn ask(&mut self, input: Value) -> Result<bool, Box<dyn Error>> {
        self.last += 1;
        let call = EvaluatedCall::new(Span::unknown());
        let run = CallInfo { name: "guard".to_owned(), call, input: PipelineDataHeader::Value(input, None) };
        self.send(&PluginInput::Call(self.last, PluginCall::Run(run)))?;
        loop {
            match self.receive()? {
                PluginOutput::CallResponse(
                    id,
                    PluginCallResponse::PipelineData(PipelineDataHeader::Value(value, _)),
                ) if id == self.last => {
                    return Ok(value.as_bool()?);
                }
                PluginOutput::Option(_) => {}
                other => return Err(format!("it answers {other:?}").into()),
            }
        }
    }

    fn send(&mut self, message: &PluginInput) -> Result<(), Box<dyn Error>> {
        let mut bytes = Vec::with_capacity(512);
        MsgPackSerializer.encode(message, &mut bytes)?;
        Ok(self.to.write_all(&bytes)?)
    }

    fn receive(&mut self) -> Result<PluginOutput, Box<dyn Error>> {
        let decoded: Option<PluginOutput> = MsgPackSerializer.decode(&mut self.from)?;
        decoded.ok_or_else(|| "it closed the connection".into())
    }

    fn end(mut self) -> Result<(), Box<dyn Error>> {
        self.send(&PluginInput::Goodbye)?;
        drop(self.to);
        self.process.wait()?;
        Ok(())
    }
}

/// Starts them all, and then shakes hands with each.
fn load(program: &str, count: usize) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let mut plugins = (0..count).map(|_| Plugin::spawn(program)).collect::<Result<Vec<_>, _>>()?;
    plugins.iter_mut().try_for_each(Plugin::greet)?;
    tell(&format!("load nu {count}"), &[begun.elapsed()]);
    plugins.into_iter().try_for_each(Plugin::end)
}

fn guard(program: &str, time: Duration) -> Result<(), Box<dyn Error>> {
    let mut plugin = Plugin::spawn(program)?;
    plugin.greet()?;
    for (what, rest) in [("guard nu 1 all", None), ("guard nu 1 all, rested", Some(Duration::from_millis(5)))]
    {
        let warm = Instant::now();
        while warm.elapsed() < Duration::from_millis(100) {
            plugin.ask(input())?;
        }
        let (mut times, begun) = (Vec::new(), Instant::now());
        while begun.elapsed() < time {
            rest.into_iter().for_each(std::thread::sleep);
            let input = input();
            let one = Instant::now();
            plugin.ask(input)?;
            times.push(one.elapsed());
        }
        tell(what, &times);
    }
    plugin.end()
}

/// The same command as the other side asks about.
fn input() -> Value {
    let text = |text: &str| Value::string(text, Span::unknown());
    let argv = ["git", "status", "--short", "--branch"].map(text).to_vec();
    let mut record = Record::new();
    record.push("tool", text("any"));
    record.push("program", text("git"));
    record.push("argv", Value::list(argv, Span::unknown()));
    record.push("cwd", text("/srv/analytical-engine"));
    record.push("line", text("git status --short --branch"));
    record.push("interactive", Value::bool(true, Span::unknown()));
    Value::record(record, Span::unknown())
}

fn tell(what: &str, times: &[Duration]) {
    let ns: Vec<u128> = times.iter().map(Duration::as_nanos).collect();
    // Whoever started this reads it, or is gone.
    let _ = writeln!(std::io::stdout(), "{}", serde_json::json!({ "what": what, "ns": ns }));
}
