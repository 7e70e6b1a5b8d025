// Keeps notes, and shows those on a program when it fails. Speaks the protocol by hand; see docs/protocol.md.
import { writeSync } from "node:fs";
import { Socket } from "node:net";

const NAME = "node-notes";
const VERSION = "0.1.0";
const LONGEST = 500;
const MOST = 100;

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

// Asks the host for something, within a call.
function ask(parent, call, args = {}) {
  const id = ++lastRequest;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ request: { id, parent, epoch, call, arguments: args } });
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

async function answer({ id, hook, payload }) {
  try {
    const handler = handlers[hook];
    if (!handler) throw new Error(`nothing here answers \`${hook}\``);
    send({ outcome: { id, answer: await handler(id, payload) } });
  } catch (error) {
    send({ fault: { id, message: String(error?.message ?? error) } });
  }
}

// --- notes ---

async function notes(call) {
  const { value } = await ask(call, "store.get", { key: "notes" });
  return value ?? [];
}

const commands = {
  async add(call, words) {
    const text = words.join(" ").trim();
    if (!text) return { text: "what is the note?\n", exit_code: 2 };
    if (text.length > LONGEST) return { text: `a note has at most ${LONGEST} characters\n`, exit_code: 1 };
    const kept = await notes(call);
    if (kept.length >= MOST) return { text: `there are ${MOST} notes; drop one first\n`, exit_code: 1 };
    await ask(call, "store.set", { key: "notes", value: [...kept, text] });
    return { text: `kept as ${kept.length + 1}\n` };
  },
  async list(call) {
    const kept = await notes(call);
    return { text: kept.map((note, index) => `${index + 1}  ${note}\n`).join("") || "no notes\n" };
  },
  async drop(call, [number]) {
    const kept = await notes(call);
    const index = Number(number) - 1;
    if (!Number.isInteger(index) || !(index in kept)) return { text: "there is no such note\n", exit_code: 1 };
    const [dropped] = kept.splice(index, 1);
    await ask(call, "store.set", { key: "notes", value: kept });
    return { text: `dropped: ${dropped}\n` };
  },
};

// Two commands at once would read the same notes and lose one of two changes, so each waits for the one before.
let turn = Promise.resolve();

const handlers = {
  async "slot.command"(call, { entry, payload }) {
    if (entry !== "note") throw new Error(`nothing here answers \`${entry}\``);
    const [name = "list", ...rest] = payload.args;
    if (!Object.hasOwn(commands, name)) {
      return { handled: { text: "note add TEXT | note list | note drop NUMBER\n", exit_code: 2 } };
    }
    const mine = turn.then(() => commands[name](call, rest));
    turn = mine.catch(() => {});
    return { handled: await mine };
  },
  async "tool.result"(call, result) {
    if (result.exit_code === 0) return "continue";
    const start = `@${result.program} `;
    const about = (await notes(call)).filter((note) => note.startsWith(start));
    if (about.length === 0) return "continue";
    const lines = about.map((note) => `${result.program}: ${note.slice(start.length)}`);
    return { replace: { ...result, notes: [...result.notes, ...lines].slice(0, 100) } };
  },
};

// --- the life of the extension ---

for await (const message of frames()) {
  if (message.hello) {
    epoch = message.hello.epoch;
    send({ ready: { protocol: 1, extension: NAME, version: VERSION, hooks: ["tool.result"] } });
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
process.exit(0);
