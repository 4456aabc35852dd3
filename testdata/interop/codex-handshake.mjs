// Handshake of an old client (no `plan`) with codex-acp, in plain JSON lines: initialize, then session/new.
// Prints both answers on stdout and timings on stderr; exits 0 if both answers have a result and the agent
// has ended by itself after its stdin was closed. Usage: node codex-handshake.mjs <agent command> [args...]
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [command, ...args] = process.argv.slice(2);
if (!command) {
  process.stderr.write("usage: node codex-handshake.mjs <agent command> [args...]\n");
  process.exit(2);
}

// An empty home: no login, settings or sessions of the user take part, and nothing is written to them.
const home = mkdtempSync(join(tmpdir(), "codex-handshake-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

// Without an account session/new is refused (-32000) as long as the model provider is OpenAI. A provider of
// one's own needs no login; nothing listens at this one's address, and nothing asks it before a prompt.
const provider = { name: "nowhere", base_url: "http://127.0.0.1:9/v1", wire_api: "responses" };
const env = {
  ...process.env,
  HOME: home,
  CODEX_HOME: home,
  CODEX_CONFIG: JSON.stringify({ model_provider: "nowhere", model_providers: { nowhere: provider } }),
};
for (const name of ["CODEX_API_KEY", "OPENAI_API_KEY", "CODEX_PATH", "MODEL_PROVIDER", "DEFAULT_AUTH_REQUEST"]) {
  delete env[name];
}

const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
const started = performance.now();
const note = (text) => process.stderr.write(`codex-handshake: ${text} after ${Math.round(performance.now() - started)} ms\n`);
const fail = (text) => {
  note(text);
  child.kill("SIGKILL");
  process.exit(1);
};
child.on("error", (error) => fail(error.message));
child.stdin.on("error", (error) => note(error.message));
const exited = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));
setTimeout(() => fail("no end"), 30_000).unref();

const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const steps = [
  {
    method: "initialize",
    params: {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "old-client", version: "1.0.0" },
    },
  },
  { method: "session/new", params: { cwd: process.cwd(), mcpServers: [] } },
];

let step = 0;
let results = 0;
const sendStep = () => (step < steps.length ? send({ id: step, ...steps[step] }) : child.stdin.end());
sendStep();
for await (const line of createInterface({ input: child.stdout })) {
  const message = JSON.parse(line);
  // The agent sends notifications in between, and its requests have an id space of their own.
  if ("method" in message) {
    if ("id" in message) send({ id: message.id, error: { code: -32601, message: "Method not found" } });
    continue;
  }
  if (message.id !== step) fail(`unexpected answer ${line}`);
  process.stdout.write(line + "\n");
  note(`${steps[step].method} answered`);
  if ("result" in message) results++;
  step++;
  sendStep();
}

const { code, signal } = await exited;
note(`agent exit (code ${code}, signal ${signal})`);
process.exitCode = results === steps.length && code === 0 ? 0 : 1;
