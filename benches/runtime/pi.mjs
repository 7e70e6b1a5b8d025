// `node pi.mjs PACKAGE SCRATCH load COUNT` and `node pi.mjs PACKAGE SCRATCH guard MILLISECONDS`: Pi's own runner, with
// extensions that let everything pass, loaded from files as Pi does. Writes the times as the bench host does.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [where, scratch, row, number] = process.argv.slice(2);
const module = (name) => import(pathToFileURL(join(where, "dist/core/extensions", name)));
const { ExtensionRunner } = await module("runner.js");
const { loadExtensions } = await module("loader.js");
const now = () => process.hrtime.bigint();
const tell = (what, ns) => console.log(JSON.stringify({ what, ns: ns.map(Number) }));

/** Loads so many, of which each looks at the name of the tool itself, since Pi calls all of them. */
async function load(count) {
  mkdirSync(scratch, { recursive: true });
  const paths = Array.from({ length: count }, (_, index) => {
    const tool = `guard-${String(index).padStart(3, "0")}`;
    const path = join(scratch, `${tool}.ts`);
    const handler = `async (event) => { if (event.toolName !== "${tool}") return; return undefined; }`;
    writeFileSync(path, `export default function (pi) { pi.on("tool_call", ${handler}); }\n`);
    return path;
  });
  const begun = now();
  const loaded = await loadExtensions(paths, scratch);
  const took = now() - begun;
  if (loaded.extensions.length !== count) throw new Error(JSON.stringify(loaded.errors));
  return { runner: new ExtensionRunner(loaded.extensions, loaded.runtime, scratch, {}, {}), took };
}

function event(toolName) {
  const input = { program: "git", argv: ["git", "status", "--short", "--branch"], line: "git status --short --branch" };
  return { type: "tool_call", toolCallId: "1", toolName, input };
}

async function guard(milliseconds) {
  for (const count of [1, 10, 100]) {
    const { runner } = await load(count);
    const last = `guard-${String(count - 1).padStart(3, "0")}`;
    for (const [rest, suffix] of [[0, ""], [5, ", rested"]]) {
      const warm = now() + 300_000_000n;
      while (now() < warm) await runner.emitToolCall(event(last));
      const ns = [];
      const end = now() + BigInt(milliseconds) * 1_000_000n;
      while (now() < end && ns.length < 100_000) {
        if (rest) await new Promise((resolve) => setTimeout(resolve, rest));
        const asked = event(last);
        const one = now();
        await runner.emitToolCall(asked);
        ns.push(now() - one);
      }
      tell(`guard pi ${count}${suffix}`, ns);
    }
  }
}

if (row === "load") tell(`load pi ${number}`, [(await load(Number(number))).took]);
else if (row === "guard") await guard(Number(number));
else throw new Error("no such row: load, guard");
