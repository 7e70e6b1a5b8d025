//! A plugin of Nushell with one command that does nothing.

use nu_plugin::{
    EngineInterface, EvaluatedCall, MsgPackSerializer, Plugin, PluginCommand, SimplePluginCommand,
};
use nu_protocol::{LabeledError, Signature, Value};

struct Noop;

impl Plugin for Noop {
    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn commands(&self) -> Vec<Box<dyn PluginCommand<Plugin = Self>>> {
        vec![Box::new(Guard)]
    }
}

struct Guard;

impl SimplePluginCommand for Guard {
    type Plugin = Noop;

    fn name(&self) -> &str {
        "guard"
    }

    fn signature(&self) -> Signature {
        Signature::build("guard")
    }

    fn description(&self) -> &str {
        "Lets everything pass"
    }

    fn run(
        &self,
        _plugin: &Noop,
        _engine: &EngineInterface,
        call: &EvaluatedCall,
        _input: &Value,
    ) -> Result<Value, LabeledError> {
        Ok(Value::bool(true, call.head))
    }
}

fn main() {
    nu_plugin::serve_plugin(&Noop, MsgPackSerializer);
}
