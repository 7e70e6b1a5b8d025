// @NAME@: holds commands that have a certain word in them, and says how many it has seen.
//
// It speaks the protocol by hand. Each message is a frame: four bytes of length, big-endian, then so many bytes of JSON.
// Frames from the host come in on descriptor 3, frames to it go out on descriptor 4. What is printed goes to the log.
import { writeSync } from "node:fs";
import { Socket } from "node:net";

// As in extension.toml: raise both there and here. The host loads no program that names another version.
const NAME = "@NAME@";
const VERSION = "0.1.0";

// --- what it does ---

const WORD = "forbidden";
let seen = 0;
let held = 0;

// Each hook of extension.toml. `call` is handed on to `ask`.
const hooks = {
  // A guard: asked before a command runs. Answers "continue", or { block: WHY }.
  async "tool.call"(call, command) {
    seen += 1;
    if (!command.line.split(/\s+/).includes(WORD)) return "continue";
    held += 1;
    await ask(call, "log", { level: "warning", message: `held: ${command.line}` });
    return { block: `\`${WORD}\` is in it` };
  },
};

// Each `[slots.command.NAME]`. `payload.args` is what was written after its name.
const commands = {
  async "@NAME@"(call, payload) {
    return { text: `${seen} looked at, ${held} held\n`, exit_code: 0 };
  },
};

// --- the protocol ---

let epoch = 0;
let lastRequest = 0;
const waiting = new Map();

function send(message) {
  const body = Buffer.from(JSON.stringify(message));
  const frame = Buffer.alloc(4 + body.length);
  frame.writeUInt32BE(body.length);
  body.copy(frame, 4);
  for (let sent = 0; sent < frame.length; ) sent += writeSync(4, frame, sent);
}

// Asks something of the host within a call, such as `log`. `pintle contract show` lists what can be asked.
function ask(call, name, args = {}) {
  const id = ++lastRequest;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ request: { id, parent: call, epoch, call: name, arguments: args } });
  });
}

async function* frames() {
  let pending = Buffer.alloc(0);
  // A socket, not a file stream: a read of a file can't be given up, and the program could then not exit.
  for await (const chunk of new Socket({ fd: 3, readable: true, writable: false })) {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
      const end = 4 + pending.readUInt32BE(0);
      yield JSON.parse(pending.subarray(4, end).toString());
      pending = pending.subarray(end);
    }
  }
}

// Finds what answers a call. Only what is written in the tables counts, not what every object has.
function handler(table, name) {
  if (!Object.hasOwn(table, name)) throw new Error(`nothing here answers \`${name}\``);
  return table[name];
}

// What goes wrong is told as a fault. A guard that fails blocks, so a mistake lets nothing through.
async function answer({ id, hook, payload }) {
  try {
    const reply =
      hook === "slot.command"
        ? { handled: await handler(commands, payload.entry)(id, payload.payload) }
        : await handler(hooks, hook)(id, payload);
    send({ outcome: { id, answer: reply } });
  } catch (error) {
    send({ fault: { id, message: String(error?.message ?? error) } });
  }
}

// Messages that are not known are passed over: a later host may send more.
for await (const message of frames()) {
  if (message.hello) {
    epoch = message.hello.epoch;
    send({ ready: { protocol: 1, extension: NAME, version: VERSION, hooks: Object.keys(hooks) } });
  } else if (message.call) {
    answer(message.call);
  } else if (message.reply) {
    const { id, value, error } = message.reply;
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(`${error.message} (${error.code})`));
    else resolve?.(value);
  } else if (message.dispose) {
    send({ disposed: {} });
    process.exit(0);
  }
}
// There will be no more: the host is gone.
process.exit(0);
